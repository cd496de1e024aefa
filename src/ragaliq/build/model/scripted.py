"""Rules instead of a model: the whole chain runs offline, and yields a well-formed benchmark, not a valid one.

The rules read the same prompts as a model and reply in the same form, so an endpoint can serve them as well.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragaliq.build.model.cloze import GAP, cloze, gap_in
from ragaliq.build.model.recorded import keep_trace, request_key
from ragaliq.build.model.scripted_translation import translate_by_rules
from ragaliq.errors import ConfigError
from ragaliq.llm import LLMSession, Message, Reply, Request
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import is_wide, words

NAME = "scripted"
_TASK = re.compile(r"\ATask: (\w+)$", re.MULTILINE)
_LANG = re.compile(r'the code "([^"]*)"')
_SOURCE_LANG = re.compile(r'from the language with\s+the code "([^"]*)"')
_KIND = re.compile(r"^Kind of question: ([\w-]+)", re.MULTILINE)
_TEXT = re.compile(r"^=====[0-9a-f]{16} ([A-Z]+)(?: (\d+))?\n(.*?)(?=^=====[0-9a-f]{16} |\Z)", re.MULTILINE | re.DOTALL)
_UNKNOWN = {
    "de": "Das weiß ich nicht.",
    "en": "I do not know.",
    "es": "No lo sé.",
    "fr": "Je ne sais pas.",
    "ru": "Я этого не знаю.",
    "zh": "我不知道。",
}
# A text contains a nugget from this share of its words on; from the second on, a part of it.
_HOLDS, _HOLDS_PART = 0.8, 0.5
# A sentence answers a question from this share of the question's words on.
_ANSWERS = 0.3


@dataclass(frozen=True, slots=True)
class _Task:
    """A prompt as the rules read it."""

    name: str
    lang: str
    kind: str
    texts: Mapping[str, Sequence[str]]
    draw: int = field(default=0)
    source_lang: str = ""

    def text(self, label: str) -> str:
        return next(iter(self.texts.get(label, ())), "")


class ScriptedModel:
    """Rules as a model."""

    name = NAME

    def __init__(self, session: LLMSession) -> None:
        self._session = session

    def key(self, request: Request) -> str:
        """Return the key that an endpoint with a model of this name would have."""
        return request_key(NAME, request)

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        """Return the rules' reply."""
        self._session.signal.check()
        reply = Reply(scripted_reply(request.messages, int(request.parameters.get("seed", 0))))
        keep_trace(self._session, NAME, request, reply)
        return reply


def scripted_reply(messages: Sequence[Message], seed: int = 0) -> str:
    """Return what the rules reply to a prompt of the builder: a JSON object as text.

    Args:
        messages: the chat; in a second attempt the first prompt counts.
        seed: as in the request; the same prompt with another seed may get another reply.

    Raises:
        ConfigError: if the messages are not a prompt of the builder.
    """
    prompt = next((message["content"] for message in messages if message["role"] == "user"), "")
    task = _TASK.search(prompt)
    if task is None or task[1] not in _RULES:
        raise ConfigError("--backend scripted: knows only the builder's own prompts; use another backend")
    texts: dict[str, list[str]] = {}
    for label, _, text in _TEXT.findall(prompt):
        texts.setdefault(label, []).append(text.removesuffix("\n"))
    lang, kind = _LANG.search(prompt), _KIND.search(prompt)
    draw = int(hashlib.sha256(f"{seed}\0{prompt}".encode()).hexdigest()[:8], 16)
    source = _SOURCE_LANG.search(prompt)
    read = _Task(task[1], lang[1] if lang else "en", kind[1] if kind else "", texts, draw, source[1] if source else "")
    return json.dumps(_RULES[read.name](read), ensure_ascii=False)


def _generate(task: _Task) -> dict[str, Any]:
    parts = [_cloze(task, text, number) for number, text in enumerate(task.texts["PASSAGE"])]
    if not all(parts):
        return {"rationale": "nothing of this kind", "evidence": [], "question": "", "answer": ""}
    found = [part for part in parts if part]
    evidence = [{"passage": number, "quote": quote} for number, (_, quote) in enumerate(found, start=1)]
    question = " ".join(question for question, _ in found)
    return {"rationale": "a sentence with a gap", "evidence": evidence, "question": question,
            "answer": " ".join(quote for _, quote in found)}  # fmt: skip


def _cloze(task: _Task, passage: str, number: int) -> tuple[str, str] | None:
    """Return a sentence of a passage with a gap as a question, and the sentence."""
    fitting = [(sentence, gap) for sentence in sentences(passage) if (gap := gap_in(task.kind, sentence))]
    if not fitting:
        return None
    sentence, gap = fitting[(task.draw + number) % len(fitting)]
    return cloze(sentence, gap, task.lang), sentence


def _critique(task: _Task) -> dict[str, Any]:
    question, answer = task.text("QUESTION"), task.text("ANSWER")
    passages = " ".join(task.texts.get("PASSAGE", ()))
    rest = _missing(answer, question)
    scores = {
        "usefulness": 5 if len(answer) > 30 or is_wide(answer) else 3,
        "standalone": 5 if question[:1].isupper() or not question[:1].islower() else 2,
        "groundedness": 5 if _share(answer, passages) >= _HOLDS else 2,
        "single_answer": 5 if min(map(passages.count, rest), default=0) < 3 else 3,
        "no_leakage": 5 if rest else 1,
    }
    # Votes differ a little, as a model's do.
    return {name: {"reason": "by rule", "score": max(1, score - (task.draw % 7 == place))}
            for place, (name, score) in enumerate(scores.items())}  # fmt: skip


def _rewrite(task: _Task) -> dict[str, Any]:
    question = task.text("QUESTION")
    return {"question": question[:1].upper() + question[1:]}


def _answer(task: _Task) -> dict[str, Any]:
    best = max(
        ((_share(task.text("QUESTION"), sentence), -number, sentence)
         for number, passage in enumerate(task.texts.get("PASSAGE", ()), start=1) for sentence in sentences(passage)),
        default=(0.0, -1, ""),
    )  # fmt: skip
    if best[0] < _ANSWERS:
        return {"evidence": [], "answer": ""}
    return {"evidence": [{"passage": -best[1], "quote": best[2]}], "answer": best[2]}


def _nuggets(task: _Task) -> dict[str, Any]:
    # A line of program text may have no words.
    parts = [part for part in sentences(task.text("ANSWER")) if words(part)] or [task.text("ANSWER")]
    if len(parts) == 1:
        clauses = [clause.strip() for clause in re.split(r"[,;，；]\s*", parts[0]) if len(clause.strip()) > 1]
        parts = clauses if 1 < len(clauses) <= 6 and all(len(words(clause)) > 2 for clause in clauses) else parts
    return {"nuggets": [{"text": part, "quote": part, "importance": "okay" if place > 1 else "vital"}
                        for place, part in enumerate(parts[:6])]}  # fmt: skip


def _subquestions(task: _Task) -> dict[str, Any]:
    question = task.text("QUESTION")
    parts = [part.strip() for part in re.split(r"(?<=[?？])\s*|[,，;；]\s*", question) if len(part.strip()) > 3]
    return {"questions": parts[:5] or [question]}


def _closed_book(task: _Task) -> dict[str, Any]:
    if task.draw % 5:
        return {"answer": _UNKNOWN.get(task.lang, _UNKNOWN["en"]), "sure": False}
    return {"answer": task.text("QUESTION").replace(GAP, "7"), "sure": True}


def _assign(task: _Task) -> dict[str, Any]:
    given = task.text("ANSWER")
    return {"nuggets": [{"nugget": number, "reason": "by rule", "label": _label(nugget, given)}
                        for number, nugget in enumerate(task.texts.get("NUGGET", ()), start=1)]}  # fmt: skip


def _support(task: _Task) -> dict[str, Any]:
    entries = []
    for number, nugget in enumerate(task.texts.get("NUGGET", ()), start=1):
        cells = []
        for place, document in enumerate(task.texts.get("DOCUMENT", ()), start=1):
            label = _label(nugget, document)
            best = max(sentences(document), key=lambda sentence: _share(nugget, sentence), default="")
            cells.append({"document": place, "label": label, "quote": "" if label == "not_support" else best})
        entries.append({"nugget": number, "reason": "by rule", "documents": cells})
    return {"nuggets": entries}


def _relevance(task: _Task) -> dict[str, Any]:
    question = task.text("QUESTION")
    grades = [min(3, int(4 * _share(question, document))) for document in task.texts.get("DOCUMENT", ())]
    return {"documents": [{"document": place, "reason": "by rule", "relevance": grade}
                          for place, grade in enumerate(grades, start=1)]}  # fmt: skip


def _translate(task: _Task) -> dict[str, Any]:
    segments = task.texts.get("SEGMENT", ())
    return {"segments": [{"segment": number, "translation": said} for number, said in
                         enumerate(translate_by_rules(segments, task.source_lang, task.lang), start=1)]}  # fmt: skip


def _label(nugget: str, text: str) -> str:
    share = _share(nugget, text)
    return "support" if share >= _HOLDS else "partial_support" if share >= _HOLDS_PART else "not_support"


def _share(part: str, text: str) -> float:
    """Return the share of the units of a text that another one contains, in 0..1; 0 for a text without any."""
    wanted = _units(part)
    return len(wanted & _units(text)) / len(wanted) if wanted else 0.0


def _units(text: str) -> frozenset[str]:
    """Return a text's words; in scripts without spaces, its pairs of characters."""
    found: set[str] = set()
    for word in words(text):
        found.update([word[i : i + 2] for i in range(len(word) - 1)] if is_wide(word) and len(word) > 2 else [word])
    return frozenset(found)


def _missing(answer: str, question: str) -> list[str]:
    """Return the words of an answer that its question lacks."""
    known = _units(question)
    return sorted(_units(answer) - known)


_RULES: dict[str, Callable[[_Task], dict[str, Any]]] = {
    "generate": _generate,
    "critique": _critique,
    "rewrite": _rewrite,
    "answer": _answer,
    "nuggets": _nuggets,
    "subquestions": _subquestions,
    "closed_book": _closed_book,
    "assign": _assign,
    "support": _support,
    "relevance": _relevance,
    "translate": _translate,
}
