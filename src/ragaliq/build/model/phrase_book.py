"""The phrase book of the rules: the sample's parallel texts, line by line and sentence by sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import regex

from ragaliq.build.translation.segment import segment_text
from ragaliq.build.translation.spans import line_spans, sentence_spans
from ragaliq.config import sample_path
from ragaliq.storage.files import read_jsonl
from ragaliq.text.quantities.extract import comparable, quantities
from ragaliq.text.quantities.mismatch import unmatched_mentions
from ragaliq.text.terms import base_language, reading_length

# Where a sentence may end, and often does not.
_STOP = regex.compile(r"(?<=[.!?…][\"'”’»)\]]{0,4})\s+|(?<=[。！？；;][”’」』）]{0,4})\s*")
_COMMA = regex.compile(r"[,;，；]\s*")
_CLAUSE_END = regex.compile(rf"(?<=[,;])\s+|(?<=[，；、])|{_STOP.pattern}")
_MOST_CLAUSES = 6


@lru_cache(maxsize=32)
def phrase_book(source_lang: str, lang: str) -> Mapping[str, str]:
    """Return the sample's phrases of one language with those of another; none of a language that it lacks."""
    book: dict[str, str] = {}
    langs = base_language(source_lang), base_language(lang)
    for source, target in _parallel_texts(*langs):
        lines = [[text[start:end] for start, end in line_spans(text)] for text in (source, target)]
        if len(lines[0]) == len(lines[1]):
            for one, two in zip(*lines, strict=True):
                book.setdefault(segment_text(one), segment_text(two))
                for phrase, said in _aligned(one, two, langs):
                    book.setdefault(segment_text(phrase), segment_text(said))
    return book


def clause_pairs(source: str, target: str, langs: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the clauses of a sentence with those of its translation that state the same; none if they do not."""
    one, two = ([part.strip() for part in _COMMA.split(text) if len(part.strip()) > 1] for text in (source, target))
    if not 1 < len(one) <= _MOST_CLAUSES:
        return []
    if len(one) == len(two) and all(same_facts(*pair, langs) for pair in zip(one, two, strict=True)):
        return list(zip(one, two, strict=True))
    matched = _matched(one, _pieces(target, _CLAUSE_END), langs)
    return [(clause, said.strip(" ,;，；、")) for clause, said in zip(one, matched, strict=False)]


def split_known(text: str, book: Mapping[str, str]) -> Sequence[str]:
    """Return the phrases that a text is made of, with blanks between; empty if there is no way."""
    if text in book:
        return [text]
    for place in (match.start() for match in regex.finditer(r"\s", text)):
        if text[:place] in book and (rest := split_known(text[place:].strip(), book)):
            return [text[:place], *rest]
    return []


def same_facts(one: str, two: str, langs: tuple[str, str]) -> bool:
    """Return whether two texts state the same numbers, times, dates and addresses, as far as they can be read."""
    if not all(map(comparable, langs)):
        return True
    return not any(unmatched_mentions(quantities(one, langs[0]), quantities(two, langs[1])))


def _parallel_texts(source_lang: str, lang: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of the sample with their counterparts: documents first, since answers quote them."""
    folder = Path(sample_path("data/velmora"))
    for path in sorted((folder / "sources" / source_lang).glob("*.md")):
        other = folder / "sources" / lang / path.name
        if other.is_file():
            yield path.read_text(encoding="utf-8"), other.read_text(encoding="utf-8")
    for name, key, fields in (("queries", "query_id", ("reference", "text")), ("nuggets", "nugget_id", ("text",))):
        files = [folder / name / f"{code}.jsonl" for code in (source_lang, lang)]
        if all(file.is_file() for file in files):
            sides = [{row[key]: row for _, row in read_jsonl(file)} for file in files]
            for field in fields:
                yield from ((sides[0][one][field], sides[1][one][field]) for one in sorted(sides[0].keys() & sides[1]))


def _aligned(source: str, target: str, langs: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the segments of a line with their translations; nothing where they do not pair."""
    one, two = ([text[start:end] for start, end in sentence_spans(text)] for text in (source, target))
    if len(one) == len(two):
        return list(zip(one, two, strict=True))
    return list(zip(one, _matched(one, _pieces(target, _STOP), langs), strict=False))


def _pieces(text: str, end: regex.Pattern[str]) -> list[str]:
    starts = [0, *(match.end() for match in end.finditer(text)), len(text)]
    return [text[start:stop] for start, stop in pairwise(starts) if text[start:stop].strip()]


def _matched(parts: Sequence[str], pieces: Sequence[str], langs: tuple[str, str]) -> list[str]:
    """Return for each part of a text the pieces of its translation that state what it states, in order.

    The lengths decide between several ways. Nothing if there is none.
    """
    ratio = sum(map(reading_length, pieces)) / max(1, sum(map(reading_length, parts)))
    # Parts and pieces used → least cost, and the pieces of each part.
    best: dict[tuple[int, int], tuple[float, list[str]]] = {(0, 0): (0.0, [])}
    for place, part in enumerate(parts):
        for end in range(1, len(pieces) + 1):
            ways = []
            for start in range(end):
                said = "".join(pieces[start:end])
                if (place, start) in best and same_facts(part, said, langs):
                    cost, before = best[place, start]
                    ways.append((cost + _cost(part, said, ratio), [*before, said]))
            if ways:
                best[place + 1, end] = min(ways)
    return best.get((len(parts), len(pieces)), (0.0, []))[1]


def _cost(part: str, said: str, ratio: float) -> float:
    return abs(math.log(max(1, reading_length(said)) / (ratio * max(1, reading_length(part)))))
