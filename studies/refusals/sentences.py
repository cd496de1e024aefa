"""The sentences that the detector of refusals is fitted on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

from ragaliq.benchmark.exam import load_exam
from ragaliq.benchmark.load import load_benchmark
from ragaliq.text.refusal_words import has_negation
from ragaliq.text.sentences import sentences

WRITERS = ("first", "second", "third", "fourth")
LANGUAGES = ("en", "de", "fr", "es", "ru", "zh")
_HERE = Path(__file__).resolve().parent
_SAMPLE = _HERE.parents[1] / "data" / "velmora"
_SHARED = Path(os.environ.get("RAGALIQ_SHARED_DATA", _HERE.parents[2] / "shared" / "data"))
# Fillings of a template, the first ones of a stride that has no factor in common with their number.
_FILLED, _STRIDE = 4, 11
# Sentences of the sample's documents, as many with a negation as without, which refuse nothing; each counts a quarter.
_FROM_CORPUS, _CORPUS_WEIGHT = 240, 0.25
# Pieces of those sentences, for answers of a few words; in Chinese twice as many characters.
_PIECES, _PIECE_WORDS, _PIECE_WEIGHT = 200, (1, 2, 3, 4, 5, 6), 0.5
_SLOT = regex.compile(r"\{(\w+)\}")
_FIRST = regex.compile(r"\p{L}")


@dataclass(frozen=True, slots=True)
class Example:
    """A clause with its label, register and template; the fillings of a template share the weight 1."""

    text: str
    label: str
    register: str
    lang: str
    template: int
    weight: float


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to some question, labelled full, partial or none."""

    text: str
    label: str
    lang: str


def examples(lang: str) -> list[Example]:
    """Return the clauses of a language, templates filled, and sentences and pieces of the sample's documents."""
    rows = [row for row in _rows(lang) if row.get("register") not in (None, "whole")]
    slots = {row["slot"]: row["values"] for row in _rows(lang) if "slot" in row}
    listed = []
    for number, row in enumerate(rows):
        texts = list(dict.fromkeys(_filled(row["text"], slots, number)))
        listed += [Example(t, row["label"], row["register"], lang, number, 1 / len(texts)) for t in texts]
    known = list(dict.fromkeys(_corpus(lang)))
    negated = [text for text in known if has_negation(text, lang)]
    plain = [text for text in known if not has_negation(text, lang)]
    chosen = [text for part in (negated, plain) for text in part[:: max(1, len(part) // _FROM_CORPUS)][:_FROM_CORPUS]]
    listed += [Example(t, "states", "corpus", lang, len(rows) + i, _CORPUS_WEIGHT) for i, t in enumerate(chosen)]
    return listed + [Example(t, "states", "piece", lang, len(rows), _PIECE_WEIGHT) for t in _pieces(plain)]


def whole_answers(lang: str) -> list[tuple[str, str]]:
    """Return answers of several clauses with `none`, `partial` or `full`; nothing is fitted on them."""
    return [(row["text"], row["label"]) for row in _rows(lang) if row.get("register") == "whole"]


def answers(writer: str, lang: str) -> list[Answer]:
    """Return the answers of a writer in a language, which the detector is fitted on."""
    return _answers(_HERE / "answers" / writer, lang)


def held_out(lang: str) -> list[Answer]:
    """Return the answers written after the detector was final; nothing is fitted on them."""
    return _answers(_HERE / "held_out", lang)


def other_texts() -> dict[str, list[tuple[str, str]]]:
    """Return other texts with their languages: the sample's exam and documents, and XQuAD's answers if at hand."""
    exam = load_exam(_SAMPLE, load_benchmark(_SAMPLE))
    asked = {
        "abstentions of the sample's exam": [answer for answer in exam if answer.kind == "abstention"],
        "other answers of the sample's exam": [answer for answer in exam if answer.kind != "abstention"],
    }
    texts = {name: [(answer.text, answer.item.query.lang) for answer in rows] for name, rows in asked.items()}
    texts["sentences of the sample's documents"] = [(text, lang) for lang in LANGUAGES for text in _corpus(lang)]
    texts["answers of XQuAD"] = [
        (text, path.suffixes[0][1:])
        for path in sorted((_SHARED / "xquad").glob("xquad.*.json"))
        for text in sorted({answer["text"] for answer in _xquad(path)})
    ]
    return {name: rows for name, rows in texts.items() if rows}


def _xquad(path: Path) -> Iterator[dict[str, Any]]:
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                yield from question["answers"]


def _answers(folder: Path, lang: str) -> list[Answer]:
    lines = (folder / f"{lang}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Answer(row["answer"], row["label"], lang) for row in map(json.loads, lines)]


def _filled(text: str, slots: dict[str, list[str]], number: int) -> Iterator[str]:
    for turn in range(_FILLED):

        def value(match: regex.Match[str], turn: int = turn) -> str:
            values = slots[match[1]]
            return str(values[(number * 5 + turn * _STRIDE) % len(values)])

        filled = _SLOT.sub(value, text)
        yield _FIRST.sub(lambda match: match[0].upper(), filled, count=1)


def _pieces(texts: Sequence[str]) -> Iterator[str]:
    """Return a few words from the middle of each text."""
    for number, text in enumerate(texts[:: max(1, len(texts) // _PIECES)][:_PIECES]):
        size, words = _PIECE_WORDS[number % len(_PIECE_WORDS)], text.split()
        if len(words) > 1:
            yield " ".join(words[len(words) // 2 :][:size])
        else:
            yield text[len(text) // 2 :][: 2 * size]


def _corpus(lang: str) -> Iterator[str]:
    for line in (_SAMPLE / "corpus" / f"{lang}.jsonl").read_text(encoding="utf-8").splitlines():
        yield from sentences(json.loads(line)["text"])


def _rows(lang: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_HERE / f"{lang}.jsonl").read_text(encoding="utf-8").splitlines()]
