"""A part of a corpus keeps what is judged, and says that it is a part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.reading.truncation import truncate
from ragaliq.types import Chunk, Importance, Nugget
from unit.formats.sets import SMALL, facts, items_for, with_docs


def big(n: int) -> Collection:
    return with_docs(SMALL, {f"d{number}": "text" for number in range(n)} | {"7": "seven", "10020#0": "ten"})


def test_e16_a_part_of_a_corpus_keeps_what_is_judged_and_says_so() -> None:
    """Requirement E7 and E16: values on a part are too high, so it is marked."""
    for max_docs, expected in [
        (6, ["d0", "d1", "d2", "7", "10020#0"]),
        (4, ["d0", "7", "10020#0"]),
        (1, ["7", "10020#0"]),
    ]:
        part = truncate(big(20), max_docs)
        for _ in range(2):
            assert [chunk.doc_id for chunk in part.chunks()] == expected, max_docs
        assert part.truncated, max_docs
        assert part.notes[-1].startswith("warning[truncated-corpus]: small hi: "), max_docs
        assert {key: value for key, value in facts(part).items() if key not in ("chunks", "truncated")} == {
            key: value for key, value in facts(big(20)).items() if key not in ("chunks", "truncated")
        }, max_docs


def test_what_supports_a_nugget_or_stands_in_gold_stays_too() -> None:
    nugget = Nugget("n", "2", "hi", "", Importance.VITAL, ("d9",))
    part = truncate(replace(big(20), nuggets=(nugget,), items=items_for(SMALL.queries, gold={"2": (("d8",),)})), 1)
    assert [chunk.doc_id for chunk in part.chunks()] == ["d8", "d9", "7", "10020#0"]


def test_a_corpus_that_is_small_enough_is_whole() -> None:
    whole = big(4)
    assert truncate(whole, 6) is whole
    with pytest.raises(InputError, match="max_docs must be at least 1, not 0"):
        truncate(SMALL, 0)


def test_a_truncated_corpus_is_read_row_by_row() -> None:
    """Only what is asked for is read."""
    read: list[int] = []

    def chunks() -> Iterator[Chunk]:
        for number in range(10**9):
            read.append(number)
            yield document(str(number), "hi", "")

    part = truncate(Collection("x", "hi", "", chunks, SMALL.items, SMALL.qrels), 1000)
    rows = part.chunks()
    assert [next(rows).doc_id for _ in range(3)] == ["0", "1", "2"]
    assert len(read) <= 1001 + 3
