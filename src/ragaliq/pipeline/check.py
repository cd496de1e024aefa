"""The checking stage: the separate questions about every answer of a run; each finding is in the run folder at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragaliq.aggregate.unscored import Unscored, unscored_reasons
from ragaliq.config import Component
from ragaliq.errors import ConfigError, InputError, RagaliqError, nearest
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.judge.checks.offline import OfflineChecker
from ragaliq.judge.checks.openai import OpenAIChecker
from ragaliq.judge.checks.rates import CheckHeader, CheckRates, check_header, check_rates
from ragaliq.judge.checks.support import Check, Checker, check_from_row, check_to_row
from ragaliq.llm import LLMSession
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import FAILED, AnswerHeader, RunAnswer
from ragaliq.runs.traces import traced
from ragaliq.storage.record_store import Key, RecordStore, RowCodec
from ragaliq.storage.redaction import error_line
from ragaliq.types import AnswerOutcome, VerdictOutcome

KINDS = ("offline", "openai")


CHECKS = RowCodec(
    check_from_row,
    check_to_row,
    lambda check: check.key,
    check_header,
    lambda check: check.outcome is not VerdictOutcome.SCORED,
)


def make_checker(judge: Component, session: LLMSession, prompt: str = "", seed: int = 0) -> Checker:
    """Return who answers the separate questions: `offline`, or a model behind an endpoint.

    Raises:
        ConfigError: if the kind is another, or the offline one is given a model or a prompt.
    """
    if judge.kind == "openai":
        return OpenAIChecker(judge.model, prompt, seed=seed, session=session)
    if judge.kind != "offline":
        raise ConfigError(f"check '{judge}': unknown kind '{judge.kind}'; {nearest(judge.kind, KINDS)}")
    if judge.model or prompt:
        raise ConfigError("check 'offline': takes neither a model nor a prompt; name openai:MODEL or leave them out")
    return OfflineChecker()


def check_run(folder: RunFolder, checker: Checker, session: LLMSession, anew: bool = False) -> list[CheckRates]:
    """Ask the separate questions about every answer of a run, and return the rates per language.

    Findings are written to `checks.jsonl` as they come; the same call after a kill goes on, and asks again where there
    are none. Nothing else in the run changes. With `anew` the findings of another judge give way one by one.

    Raises:
        InputError: if the folder is no run, or holds the findings of another judge.
        Stopped: if the work ended early; the same call goes on.
    """
    folder.config()
    with folder.locked():
        answers, checks = folder.answers(), RecordStore(folder.checks_file, CHECKS)
        identity = (checker.name, checker.prompt_hash)
        others = {checks.header(key).checker for key in checks} - {identity}
        if others and not anew:
            (name, _), *_ = sorted(others)
            raise InputError(
                f"{checks.path}: holds findings of '{name}' with another prompt or model; --replace puts those of "
                f"'{checker.name}' in their place"
            )
        pending = [k for k in answers if k not in checks or _stale(answers.header(k), checks.header(k), identity)]
        thread = SerialThread()

        async def do(keys: Sequence[Key]) -> list[Check]:
            return [await _check(answers[key], checker, thread) for key in keys]

        with checks, traced(folder.traces_file, session):
            stage = run_stage("checking", pending, do, checks, session)
            carry_out(stage, session, thread, lambda: f"{len(checks)} of {len(answers)} checked")
        checks.rewrite()
        return rates_of(answers, checks, folder.config()["expected"])


def rates_of(
    answers: RecordStore[RunAnswer], checks: RecordStore[Check], expected: Mapping[str, Mapping[str, int]]
) -> list[CheckRates]:
    """Return the rates of a run per language, sorted.

    `expected` counts the answers that there should be, as `config.json` does: one that is missing, and one without a
    check, count as unchecked.
    """
    by_lang: dict[str, list[CheckHeader]] = {lang: [] for lang, counts in expected.items() if sum(counts.values())}
    for key in answers:
        by_lang.setdefault(key[0], []).append(_compared(answers.header(key), checks, key))
    for lang, headers in by_lang.items():
        headers += [CheckHeader()] * (sum(expected.get(lang, {}).values()) - len(headers))
    return [check_rates(lang, headers) for lang, headers in sorted(by_lang.items())]


def why_unchecked(folder: RunFolder) -> tuple[Unscored, ...]:
    """Return the reasons for which answers have no findings."""
    checks = RecordStore(folder.checks_file, CHECKS)
    unchecked = (key for key in checks if checks.header(key).outcome is not VerdictOutcome.SCORED)
    return unscored_reasons((checks.header(key).outcome, checks[key].error) for key in unchecked)


def _stale(answer: AnswerHeader, check: CheckHeader, identity: tuple[str, str]) -> bool:
    """Tell whether the questions are to be asked again."""
    if check.checker != identity:
        return True
    if check.outcome is VerdictOutcome.NO_ANSWER:
        # The reader may have been asked again since, and have answered this time.
        return answer.outcome not in FAILED
    return check.outcome is not VerdictOutcome.SCORED


async def _check(answered: RunAnswer, checker: Checker, thread: SerialThread) -> Check:
    if answered.answer.outcome in FAILED:
        return _nothing(checker, answered, VerdictOutcome.NO_ANSWER, answered.answer.error)
    try:
        check: Check = await thread.call(checker.check, answered.item, answered.answer)
        if not isinstance(check, Check) or check.key != answered.item.key:
            raise TypeError(f"a checker returns a Check on {answered.item.key}, not {check!r}")
        return check
    except RagaliqError:
        raise
    except (Exception, SystemExit) as error:  # A checker may be anybody's code; whatever it raises is no finding.
        return _nothing(checker, answered, VerdictOutcome.API_ERROR, error_line(error))


def _nothing(checker: Checker, answered: RunAnswer, outcome: VerdictOutcome, why: str) -> Check:
    query, by = answered.item.query, (checker.name, checker.prompt_hash)
    return Check(query.query_id, query.lang, None, None, (), outcome, *by, attempts=0, error=why)


def _compared(answer: AnswerHeader, checks: RecordStore[Check], key: Key) -> CheckHeader:
    if key not in checks:
        return CheckHeader()
    header: CheckHeader = checks.header(key)
    abstained = answer.outcome is AnswerOutcome.ABSTAINED
    return replace(header, detected_abstains=abstained, detected_in_language=answer.language.answer)
