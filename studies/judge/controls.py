"""Answers whose grade is known without a grader: the reference, a changed number, the answer to another question."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from graded import Graded, questions

from ragaliq.text.addresses import addresses
from ragaliq.text.numbers import numbers
from ragaliq.text.polarity import answer_word
from ragaliq.text.refusals import not_found
from ragaliq.text.terms import fold, reading_length

_DIGITS = re.compile(r"\d+")
# The opening that turns an answer into its opposite.
_FLIPPED = {
    "en": ("Yes", "No"), "de": ("Ja", "Nein"), "fr": ("Oui", "Non"), "es": ("Sí", "No"), "ru": ("Да", "Нет"),
    "zh": ("是的", "不"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its reference; `group` keeps the languages of one question together."""

    group: str
    lang: str
    text: str
    reference: str


def source_questions(folder: Path) -> list[Question]:
    """The questions of the RAGaliq sources."""
    return [Question(*row) for row in questions(folder / "ragaliq" / "data")]


def velmora_questions(folder: Path) -> list[Question]:
    """The answerable questions of our own sample."""
    found = []
    for path in sorted((folder / "queries").glob("*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if row["answerable"]:
                found.append(Question(row["query_id"], row["lang"], row["text"], row["reference"]))
    return found


def xquad_questions(folder: Path) -> list[Question]:
    """The questions of XQuAD, with their first answer."""
    found = []
    for path in sorted((folder / "xquad").glob("xquad.*.json")):
        lang = path.name.split(".")[1]
        for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
            for paragraph in article["paragraphs"]:
                for row in paragraph["qas"]:
                    found.append(Question(row["id"], lang, row["question"], row["answers"][0]["text"]))
    return found


def number_changed(question: Question) -> str | None:
    """Return the reference with its first number in digits changed, None if it holds none."""
    found = _DIGITS.search(question.reference)
    if not found:
        return None
    changed = str(int(found[0]) + (3 if int(found[0]) % 10 < 7 else -4)).zfill(len(found[0]))
    return question.reference[: found.start()] + changed + question.reference[found.end() :]


def flipped(question: Question) -> str | None:
    """Return the reference with its yes or no turned round, None if it opens with neither."""
    said = answer_word(fold(question.reference), question.lang)
    pair = _FLIPPED.get(question.lang)
    head, comma, rest = re.match(r"([^,，.。]*)([,，.。]?)(.*)", question.reference, re.DOTALL).groups()  # type: ignore[union-attr]
    if not said or pair is None or len(head) > 8:
        return None
    return pair[1 if said > 0 else 0] + comma + rest


def kind(question: Question) -> str:
    """Name the kind of a reference: `address`, `number`, `name`, or `sentence`."""
    folded = fold(question.reference)
    short = reading_length(question.reference) <= 40
    if addresses(folded):
        return "address"
    if short:
        return "number" if numbers(question.reference, question.lang) else "name"
    return "sentence"


def neighbours(asked: Sequence[Question]) -> dict[Question, str]:
    """Return, for each question that has one, the next different reference of its language and kind.

    A neighbour that holds the reference or is held by it, or has its numbers, is passed over.
    """
    found: dict[Question, str] = {}
    for same in _grouped(asked, lambda question: f"{question.lang} {kind(question)}"):
        for place, question in enumerate(same):
            others = (same[(place + step) % len(same)] for step in range(1, len(same)))
            other = next((other for other in others if _differs(question, other)), None)
            if other is not None:
                found[question] = other.reference
    return found


def synthetic(asked: Sequence[Question], weight: float) -> list[Graded]:
    """Return training rows with the grades that the controls call for."""
    other = neighbours(asked)
    rows = []
    for question in asked:
        made = [
            (question.reference, 5),
            (other.get(question), 1),
            (number_changed(question), 2),
            (flipped(question), 1),
            (question.text, 1),
            (not_found(question.lang), 0),
        ]
        for answer, grade in made:
            if answer is not None:
                texts = (question.text, question.reference, answer)
                row = Graded(question.group, question.lang, *texts, grade, "", "", real=False, weight=weight)
                rows.append(row)
    return rows


def _differs(question: Question, other: Question) -> bool:
    one, two = fold(question.reference).strip(" ."), fold(other.reference).strip(" .")
    shared = set(numbers(question.reference, question.lang)) & set(numbers(other.reference, other.lang))
    return question.group != other.group and one not in two and two not in one and not shared


def _grouped(asked: Iterable[Question], key: Callable[[Question], str]) -> list[list[Question]]:
    groups: dict[str, list[Question]] = {}
    for question in asked:
        groups.setdefault(key(question), []).append(question)
    return list(groups.values())
