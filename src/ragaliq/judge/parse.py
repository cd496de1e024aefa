"""From a judge's reply to a grade: strict, the last marker decides."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import regex

MARKER = "[RESULT]"
# Emphasis and brackets around the grade are form; `4/5` names the scale; one closing full stop ends the sentence. What
# could be the rest of a number, a range or another scale (`4.5`, `4-5`, `4/10`) makes it no grade; the quantifiers are
# possessive, so that nothing is given back to get round that.
_OPEN, _CLOSE = r"""[\s:*_`'"“(\[]*+""", r"""[*_`'"”)\]]*+"""
_GRADE = regex.compile(
    rf"{_OPEN}([0-9]++){_CLOSE}(?:\s*[/⁄]\s*5(?![0-9]){_CLOSE})?+\.?+{_CLOSE}"
    r"(?![\w/-]|\s*[/⁄٫.,:~–—-]\s*[0-9])"
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What stands in a reply: a grade of the rubric or None, and the feedback."""

    grade: int | None
    feedback: str


def parse_verdict(reply: str, grades: Collection[int]) -> Parsed:
    """Return the grade and the feedback of a judge's reply.

    A reply is a JSON object `{"feedback": …, "grade": n}`, or text with the marker `[RESULT]` and the grade behind it.
    The last marker decides, even if what follows it is off the rubric: text above it may quote the rubric or the
    answer, so an earlier marker is never fallen back to. NFKC, digits of all scripts, emphasis and `n/5` are
    understood. The grade is None if there is no marker, no whole number behind it, or none of `grades`.
    """
    structured = _structured(reply)
    if structured is not None:
        grade = structured.get("grade")
        valid = isinstance(grade, int) and not isinstance(grade, bool) and grade in grades
        return Parsed(grade if valid else None, str(structured.get("feedback") or "").strip())
    text = _ascii_digits(unicodedata.normalize("NFKC", reply))
    feedback, marker, rest = text.rpartition(MARKER)
    if not marker:
        return Parsed(None, reply.strip())
    found = _GRADE.match(rest)
    grade = int(found[1]) if found and len(found[1]) < 4 else None
    return Parsed(grade if grade in grades else None, _without_label(feedback))


def _structured(reply: str) -> dict[str, Any] | None:
    text = reply.strip().lstrip("\ufeff")
    fenced = regex.fullmatch(r"```(?:json)?\s*(\{.*\})\s*```", text, regex.DOTALL)
    if fenced:
        text = fenced[1]
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and "grade" in value else None


def _ascii_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


def _without_label(feedback: str) -> str:
    return regex.sub(r"^\W*Feedback\W*:\s*", "", feedback.strip(), flags=regex.IGNORECASE).strip(" *_\n")
