"""Any system behind an HTTP endpoint of its own as reader."""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ragaliq.errors import ConfigError
from ragaliq.llm import TIMEOUT_S, LLMSession, ResponseCache
from ragaliq.llm.connections.bounded import ReplyTooLong, read_bounded
from ragaliq.llm.connections.transport import asked_wait, proxy_of, trusted
from ragaliq.llm.endpoints.endpoint import is_link, mask
from ragaliq.llm.endpoints.environment import headers_from_env as read_headers
from ragaliq.read.outcome import outcome_of
from ragaliq.storage.redaction import error_line
from ragaliq.types import AnswerOutcome, CitedSentence, Hit, Query, Reading, Trace, Usage

if TYPE_CHECKING:
    from aiohttp import ClientResponse

_ATTEMPTS = 3
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0


class HttpReader:
    """Posts each question and its context to an endpoint, and takes what comes back for the answer.

    Sent is `{"question", "lang", "query_id", "context": [{"doc_id", "text"}, …]}`. The reply is JSON,
    `{"answer": "…"}` with, if you like, `"usage": {"prompt_tokens": n, "completion_tokens": n}` and, of an answer that
    cites, `"sentences": [{"text": "…", "citations": [doc_id, …]}, …]`; or the answer alone as `text/plain`. Too many
    requests (429), errors of the server (5xx) and lost connections are tried up to three times.
    Redirects are not followed, so that no header reaches another host.
    """

    def __init__(
        self, model: str, timeout_s: float = TIMEOUT_S, headers_from_env: str = "", session: LLMSession | None = None
    ) -> None:
        """Check address and headers.

        Args:
            model: the address of the endpoint, without a query: it is shown, and part of the run's name.
            timeout_s: most seconds that one attempt may take.
            headers_from_env: headers whose values are secret, each with the environment variable that holds its whole
                value: `Authorization=MY_TOKEN, X-Key=MY_KEY`. The variables may be in `.env` in the working
                directory.
            session: connections and the signal to stop, shared with others; whoever made it closes it.

        Raises:
            ConfigError: if the address is none or may hold a secret, or a variable is not set. No value is shown.
        """
        self._link = _checked(model)
        self._name = f"reader 'http:{model}'"
        if not (timeout_s > 0 and math.isfinite(timeout_s)):
            raise ConfigError(f"{self._name}: option 'timeout_s' must be above 0, not {timeout_s}")
        self.session = session or LLMSession()
        self._timeout_s = timeout_s
        self._headers = read_headers(headers_from_env, self._name)
        self._last_reply = float("-inf")
        self._has_answered = False

    async def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return the endpoint's answer, or the typed reason that there is none.

        Raises:
            ConfigError: if the endpoint refuses the headers (401, 403), or the address (404, 405) before it has
                answered anything; no later question can succeed.
            Stopped: if no connection can be made, or the stop was asked for.
        """
        body = {
            "question": query.text,
            "lang": query.lang,
            "query_id": query.query_id,
            "context": [{"doc_id": hit.chunk.doc_id, "text": hit.chunk.text} for hit in context],
        }
        for attempt in range(1, _ATTEMPTS + 1):
            sent_at = asyncio.get_running_loop().time()
            try:
                reply, reading = await self._ask(body, query.lang)
            except _CallFailedError as failed:
                if attempt < _ATTEMPTS and failed.may_pass:
                    backoff = _FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
                    await self.session.signal.sleep(min(_LONGEST_WAIT_S, max(failed.wait_s, backoff)))
                    continue
                # If others got replies meanwhile, the endpoint is there.
                if failed.unreachable and self._last_reply < sent_at:
                    self._stop(failed.unreachable)
                tried = f" (attempt {attempt})" if attempt > 1 else ""
                reply, reading = "", Reading("", AnswerOutcome.ERROR, error=f"{failed}{tried}")
            self._keep(query, ResponseCache.key(body), reply, reading, attempt)
            return reading
        raise AssertionError("the last attempt returns or raises")

    def _keep(self, query: Query, key: str, reply: str, reading: Reading, attempts: int) -> None:
        """Keep the trace of a question."""
        if self.session.traces is None:
            return
        self.session.traces.append(
            Trace(
                "reader",
                self._link,
                query.lang,
                query.query_id,
                request_hash=key,
                raw_reply=reply,
                usage=reading.usage,
                attempts=attempts,
                error=reading.error,
            )
        )

    async def _ask(self, body: Mapping[str, object], lang: str) -> tuple[str, Reading]:
        """Post once; return the reply as it came, and what it says."""
        import aiohttp

        sent = self.session.connections().post(
            self._link,
            json=body,
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=self._timeout_s),
            ssl=trusted() if urlsplit(self._link).scheme == "https" else True,
            proxy=proxy_of(self._link),
            allow_redirects=False,
        )
        try:
            async with sent as response:
                self._take(response)
                data = await read_bounded(response.content.iter_any())
                encoding = response.charset or "utf-8"
                text = data.decode("utf-8-sig" if encoding.lower() == "utf-8" else encoding)
                # An answer that repeats a header is kept without it.
                text = mask(text, self._headers.values())
                plain = response.content_type == "text/plain"
        except TimeoutError:
            raise _CallFailedError(f"no reply from {self._link} within {self._timeout_s:g} s") from None
        except ReplyTooLong as error:
            raise _CallFailedError(f"{error} ({self._link})") from None
        except (LookupError, UnicodeDecodeError):
            raise _CallFailedError(f"the reply of {self._link} is not in the encoding that it names") from None
        except (aiohttp.ClientError, OSError) as error:
            lost = f"the connection to {self._link} failed ({type(error).__name__})"
            unreachable = error_line(error) if isinstance(error, aiohttp.ClientConnectorError) else ""
            raise _CallFailedError(lost, may_pass=True, unreachable=unreachable) from None
        if plain:
            return text, Reading(text.strip(), outcome_of(text, lang))
        return text, _structured(text, lang, f"the reply of {self._link}")

    def _take(self, response: ClientResponse) -> None:
        """Take note of a reply; raise unless it is to hold an answer."""
        self._last_reply = asyncio.get_running_loop().time()
        status = response.status
        if 200 <= status < 300:
            self._has_answered = True
            return
        if status in (401, 403):
            raise ConfigError(f"{self._name}: HTTP {status}; check headers_from_env")
        # Later it may be the one question: some say so that they found nothing.
        if status in (404, 405) and not self._has_answered:
            raise ConfigError(f"{self._name}: HTTP {status}; check the path of the address, which must take POST")
        may_pass = status == 429 or status >= 500
        raise _CallFailedError(f"HTTP {status} from {self._link}", may_pass, asked_wait(response.headers) or 0.0)

    def _stop(self, why: str) -> None:
        self.session.signal.ask(
            f"{self._name}: the endpoint does not answer ({why}); what is finished is on disk, the same command goes on"
        )
        self.session.signal.check()


class _CallFailedError(Exception):
    """An attempt gave no answer.

    Attributes:
        may_pass: whether another attempt may succeed.
        wait_s: the wait that the endpoint asked for, in seconds; 0 for none.
        unreachable: why no connection could be made; empty if one was.
    """

    def __init__(self, message: str, may_pass: bool = False, wait_s: float = 0.0, unreachable: str = "") -> None:
        super().__init__(message)
        self.may_pass = may_pass
        self.wait_s = wait_s
        self.unreachable = unreachable


def _structured(text: str, lang: str, where: str) -> Reading:
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        raise _CallFailedError(f"{where} is neither JSON nor text/plain") from None
    if not isinstance(reply, dict) or not isinstance(reply.get("answer"), str):
        raise _CallFailedError(f"{where} has no text under the key 'answer'")
    answer, usage = reply["answer"], _usage(reply.get("usage"), where)
    return Reading(
        answer.strip(), outcome_of(answer, lang), usage, sentences=_sentences(reply.get("sentences") or [], where)
    )


def _sentences(rows: object, where: str) -> tuple[CitedSentence, ...]:
    if isinstance(rows, list) and all(isinstance(row, dict) and isinstance(row.get("text"), str) for row in rows):
        cited = [row.get("citations") or [] for row in rows]
        if all(isinstance(ids, list) and all(isinstance(doc_id, str) for doc_id in ids) for ids in cited):
            pairs = zip(rows, cited, strict=True)
            return tuple(CitedSentence(row["text"], tuple(dict.fromkeys(ids))) for row, ids in pairs)
    raise _CallFailedError(f"{where} has 'sentences' that are no list of objects with 'text' and a list 'citations'")


def _usage(counts: object, where: str) -> Usage | None:
    if counts is None:
        return None
    known = counts if isinstance(counts, dict) else {}
    n_prompt, n_completion = known.get("prompt_tokens"), known.get("completion_tokens")
    if type(n_prompt) is int and type(n_completion) is int and min(n_prompt, n_completion) >= 0:
        return Usage(n_prompt, n_completion)
    raise _CallFailedError(f"{where} has a 'usage' without whole numbers prompt_tokens and completion_tokens")


def _checked(link: str) -> str:
    """Return an address that may be shown; the messages name no part of one that may not."""
    if not is_link(link):
        raise ConfigError("reader 'http': its model is no http:// or https:// address; write http:https://HOST/PATH")
    if "@" in urlsplit(link).netloc:
        raise ConfigError("reader 'http': the address holds a user or password; use headers_from_env instead")
    if "?" in link or "#" in link:
        raise ConfigError("reader 'http': the address holds a query or fragment; secrets go into headers_from_env")
    return link
