"""How each task is shown and answered in a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ragaliq.judge.rubric import load_rubric
from ragaliq.review.sheets import Sheet
from ragaliq.review.values import NuggetMarks, ReviewTask, TranslationMark, Value
from ragaliq.types import SupportReview, TranslationReview

# A heading and its text.
Shown = tuple[str, str]
_MARK = re.compile(r"([hr])(\d{1,3})|\+(\d{1,2})")
_TRANSLATED = {"chunk": "passage", "query": "question", "reference": "reference answer", "nugget": "fact"}


@dataclass(frozen=True, slots=True)
class TerminalForm:
    """The form of a task.

    Attributes:
        prompt: what may be typed, in short.
        help: what it means.
        texts: what is shown of a sheet.
        read: the judgement that an input line gives, as a JSON value; None if it gives none.
        has_context: whether there are passages to be shown on demand.
    """

    prompt: str
    help: str
    texts: Callable[[Sheet], Iterator[Shown]]
    read: Callable[[str, Sheet], Any]
    has_context: bool = False


def form_of(task: ReviewTask) -> TerminalForm:
    """Return the form of a task."""
    match task:
        case ReviewTask.GRADE:
            return TerminalForm("0-5", load_rubric().text, _graded, _choice([0, 1, 2, 3, 4, 5], first=0), True)
        case ReviewTask.LGTM:
            help_text = "y: looks good, the question can be answered from this\nn: not good"
            return TerminalForm("y/n", help_text, _retrieved, lambda line, _: {"y": True, "n": False}.get(line))
        case ReviewTask.NUGGETS:
            help_text = (
                "ok: nothing to mark · h2: the answer does not say fact 2 · r3: fact 3 is minor, or repeats another\n"
                "+1: one fact of the answer is missing · several marks in one line: h2 r3 +1"
            )
            return TerminalForm("ok, marks", help_text, _nuggets, _read_marks)
        case ReviewTask.SUPPORT:
            help_text = "1: relevant, the document says the fact · 2: partial, a part of it · 3: not"
            return TerminalForm("1-3", help_text, _pair, _choice([str(one) for one in SupportReview], first=1))
        case ReviewTask.TRANSLATION:
            help_text = (
                "1: good · 2: minor, the meaning is right · 3: wrong, as it stands\n"
                "e2 TEXT: segment 2 should be TEXT; saved with the judgement that follows · e2: take that back"
            )
            return TerminalForm("1-3, e1 TEXT", help_text, _translated, _read_translation)


def written_value(value: Value, sheet: Sheet) -> str:
    """Return a judgement as it is said again."""
    if isinstance(value, NuggetMarks):
        number = {part.name: place for place, part in enumerate(sheet.parts, start=1)}
        marks = [f"h{number[name]}" for name in sorted(value.hallucinated, key=number.__getitem__)]
        marks += [f"r{number[name]}" for name in sorted(value.redundant, key=number.__getitem__)]
        return " ".join([*marks, *([f"+{value.missing}"] if value.missing else [])]) or "ok"
    if isinstance(value, TranslationMark):
        return str(value.label) + (f", {len(value.edits)} edited" if value.edits else "")
    if isinstance(value, bool):
        return "looks good" if value else "not good"
    return str(value)


def _choice(values: list[Any], first: int) -> Callable[[str, Sheet], Any]:
    numbered = {str(first + place): value for place, value in enumerate(values)}
    return lambda line, _: numbered.get(unicodedata.normalize("NFKC", line))


def _read_marks(line: str, sheet: Sheet) -> dict[str, Any] | None:
    """Return the marks in a line such as `h2 r3 +1`; `ok` marks nothing."""
    marks: dict[str, set[str]] = {"h": set(), "r": set()}
    missing = 0
    for word in [] if line == "ok" else line.split() or [""]:
        match = _MARK.fullmatch(unicodedata.normalize("NFKC", word))
        if not match:
            return None
        if match[3] and missing:
            return None
        if match[3]:
            missing = int(match[3])
        elif 1 <= int(match[2]) <= len(sheet.parts):
            marks[match[1]].add(sheet.parts[int(match[2]) - 1].name)
        else:
            return None
    return {"hallucinated": sorted(marks["h"]), "redundant": sorted(marks["r"]), "missing": missing}


def _read_translation(line: str, _: Sheet) -> dict[str, Any] | None:
    label = _choice([str(one) for one in TranslationReview], first=1)(line, _)
    return label and {"label": label, "edits": []}


def _graded(sheet: Sheet) -> Iterator[Shown]:
    yield "Question", sheet.question
    yield "Reference", sheet.reference
    yield "Answer", sheet.answer


def _retrieved(sheet: Sheet) -> Iterator[Shown]:
    yield "Question", sheet.question
    yield from ((str(number), text) for number, text in enumerate(sheet.passages or ("(nothing)",), start=1))


def _nuggets(sheet: Sheet) -> Iterator[Shown]:
    yield "Question", sheet.question
    yield "Answer", sheet.reference
    yield from ((f"Fact {number}", part.text) for number, part in enumerate(sheet.parts, start=1))


def _pair(sheet: Sheet) -> Iterator[Shown]:
    yield "Question", sheet.question
    yield "Fact", sheet.answer
    yield "Document", sheet.passages[0]


def _translated(sheet: Sheet) -> Iterator[Shown]:
    if sheet.question:
        yield "Question", sheet.question
    yield f"Source, {_TRANSLATED[sheet.record]} ({sheet.source_lang})", sheet.reference
    yield f"Translation ({sheet.lang})", sheet.answer
    if len(sheet.parts) > 1:
        yield from (
            (f"Segment {number}", f"{part.name} → {part.text}") for number, part in enumerate(sheet.parts, start=1)
        )
