"""From a judge's reply to a grade: strict, the last marker decides."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from ragaliq.judge.unmasked import INVISIBLE, unmask
from ragaliq.llm.replies.reasoning import is_in_thought
from ragaliq.types import Refusal

MARKER = "[RESULT]"
# Where the reply is text, a word before the marker says whether the answer refuses; a judge may write it behind it.
_REFUSES = r"\[REFUSES\][\s:*_`'\"]*+(none|partial|full)\b"
_BEFORE, _BEHIND = (regex.compile(pattern, regex.IGNORECASE) for pattern in (rf"{_REFUSES}[\s.,;*_`'\"]*+$", _REFUSES))
# Not inside a text: there the quotes have backslashes.
_GRADE_KEY = regex.compile(r'"grade"\s*:\s*(?=[0-9])')
# Emphasis and brackets around the grade are form; `4/5` names the scale; one closing full stop ends the sentence. What
# could be the rest of a number, a list, a range or another scale (`4.5`, `4 5`, `4-5`, `4 or 5`, `4/10`, `4 out of 10`)
# makes it no grade; the quantifiers are possessive, so that nothing is given back to get round that.
_OPEN, _CLOSE = r"""[\s:*_`'"“(\[]*+""", r"""[*_`'"”)\]]*+"""
_OR = r"to|or|and|bis|oder|und|à|ou|et|a|o|u|y|до|или|и|至|到|或|和"
_OUT_OF = r"out\s+of|of|von|sur|de|из|共|满分"
_GRADE = regex.compile(
    rf"{_OPEN}([0-9]++)(?![^\S\n]+[0-9])(?:分(?!\w))?+{_CLOSE}(?:\s*[/⁄]\s*5(?![0-9]){_CLOSE})?+\.?+{_CLOSE}"
    r"(?![\w/+%°-]|\s*[/⁄٫.,:;|~–—>→-]+\s*[0-9])"
    rf"(?!\s*(?:{_OR})\s*[0-9]|\s*\(?(?:{_OUT_OF})\s*(?!5(?![0-9.,]))[0-9])",
    regex.IGNORECASE,
)
# Behind the last marker: the marker misspelt or translated, or a verdict in JSON. The marker above it may then have
# been quoted or weighed, and what the judge meant is not for us to guess.
_OTHER_VERDICT = regex.compile(
    r"[\[【〔⟦]\s*(?i:RESULT|ERGEBNIS|RÉSULTAT|RESULTADO|РЕЗУЛЬТАТ|结果|結果)\s*[\]】〕⟧]"
    r"|\[\s*(?i:GRADE|SCORE|VERDICT|NOTE|NOTA|ОЦЕНКА|分数|评分)\s*\][\s:*_`]*[0-9]+[\s.*_`]*$"
    r"|(?<!\\)\bRESULT\b\W{0,4}[0-9]"
    r'|"(?:grade|score|rating|verdict)"\s*:',
    regex.MULTILINE,
)
_LEADING = regex.compile(rf"^(?:\s|{INVISIBLE.pattern})++", regex.V1)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reply says.

    Attributes:
        grade: a grade of the rubric, or None.
        feedback: without the grade and what belongs to it.
        refuses: whether the answer refuses; None if the reply does not say so in a form that can be read.
        place: where in the reply the grade is; −1 without one.
    """

    grade: int | None
    feedback: str
    refuses: Refusal | None = None
    # Not compared: two replies that say the same are equal wherever the grade is.
    place: int = field(default=-1, compare=False)


def parse_verdict(reply: str, grades: Collection[int], graded: Sequence[str] = ()) -> Parsed:
    """Return the grade and the feedback of a judge's reply.

    A reply is a JSON object `{"feedback": …, "refuses": …, "grade": n}`, or text with the marker `[RESULT]` and the
    grade after it. Whatever it says about refusing, the grade counts.
    The last marker decides, even if what follows it is off the rubric: the text above it may quote the rubric or the
    answer. NFKC, digits of all scripts, emphasis and `n/5` are understood; invisible characters do not count. The grade
    is None without a marker, without one of `grades` as a whole number after it, if a verdict in another form follows,
    if the marker may be in a model's thoughts, or if JSON names two different grades; and if the reply gives two grades
    of which one of the `graded` texts holds the last: the judge may have repeated that text behind its own verdict.
    """
    structured = read_object(reply)
    if structured is not None:
        return _structured(structured, reply, grades)
    seen = unmask(reply)
    at = seen.text.rfind(MARKER)
    if at < 0:
        return Parsed(None, reply.strip())
    rest = seen.text[at + len(MARKER) :]
    number = None if _OTHER_VERDICT.search(rest) or is_in_thought(seen.text, at) else _GRADE.match(rest)
    grade = int(number[1]) if number and len(number[1]) < 4 else None
    if number is None or grade is None or grade not in grades or _may_be_repeated(grade, seen.text[:at], graded):
        return Parsed(None, _without_label(reply[: seen.places[at]]))
    before = _BEFORE.search(seen.text[:at])
    said = before or _BEHIND.search(rest)
    feedback = _without_label(reply[: seen.places[before.start() if before else at]])
    place = seen.places[at + len(MARKER) + number.start(1)]
    return Parsed(grade, feedback, Refusal(said[1].lower()) if said else None, place)


def read_object(reply: str) -> Any:
    """Return the JSON object or list that a reply consists of, bare or in a code fence; None if it is neither.

    A key that an object holds twice with different values has the value None.
    """
    text = _LEADING.sub("", reply, count=1).rstrip()
    fenced = regex.fullmatch(r"```(?:json)?\s*([\[{].*[\]}])\s*```", text, regex.DOTALL | regex.IGNORECASE)
    if fenced:
        text = fenced[1]
    if not text.startswith(("{", "[")):
        return None
    try:
        # Line ends inside a text are no JSON, but models write them, and nothing can be misread for it.
        value = json.loads(text, object_pairs_hook=_unambiguous, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with these keys, all of them and no others."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _may_be_repeated(grade: int, before: str, graded: Sequence[str]) -> bool:
    if all(other == grade for other in _marked(before)):
        return False
    return any(grade in _marked(unmask(text).text) for text in graded)


def _marked(text: str) -> set[int]:
    """Return the numbers behind the markers of an unmasked text."""
    numbers = (_GRADE.match(rest) for rest in text.split(MARKER)[1:])
    return {int(number[1]) for number in numbers if number and len(number[1]) < 4}


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        # 4, 4.0 and true are equal, but only one of them is a grade.
        values[key] = value if key not in values or repr(values[key]) == repr(value) else None
    return values


def _structured(value: Any, reply: str, grades: Collection[int]) -> Parsed:
    # A key in escapes is no key that we asked for; the defence against quoted verdicts breaks the plain one.
    if not isinstance(value, dict) or "grade" not in value or '"grade"' not in reply:
        return Parsed(None, reply.strip())
    grade = value["grade"]
    feedback = str(value.get("feedback") or "").strip()
    if not isinstance(grade, int) or isinstance(grade, bool) or grade not in grades:
        return Parsed(None, feedback)
    refuses = value.get("refuses")
    said = refuses.strip().lower() if isinstance(refuses, str) else ""
    places = [key.end() for key in _GRADE_KEY.finditer(reply)]
    return Parsed(grade, feedback, Refusal(said) if said in list(Refusal) else None, places[-1] if places else -1)


def _without_label(feedback: str) -> str:
    return regex.sub(r"^\W*Feedback\W*:\s*", "", feedback.strip(), flags=regex.IGNORECASE).strip(" *_\n")
