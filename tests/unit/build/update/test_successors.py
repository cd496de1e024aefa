from __future__ import annotations

from ragaliq.build.stage_row import StageRow
from ragaliq.build.update.successors import successors


def rows(**documents: str) -> list[StageRow]:
    """A chunk for each letter of a document."""
    return [
        StageRow(letter, "zh", {"source_id": name, "start": 10 * number})
        for name, letters in documents.items() for number, letter in enumerate(letters)
    ]  # fmt: skip


def test_a_new_chunk_succeeds_the_one_in_whose_place_it_is() -> None:
    assert successors(rows(d="abc"), rows(d="axc")) == {"b": "x"}
    assert successors(rows(d="abc", e="f"), rows(d="xbcy", e="g")) == {"a": "x", "f": "g"}
    # Two for one, one for two, none for one.
    assert successors(rows(d="abc"), rows(d="axyc")) == {"b": "x"}
    assert successors(rows(d="abcd"), rows(d="axd")) == {"b": "x", "c": "x"}
    assert successors(rows(d="abc"), rows(d="ac")) == {}
    assert successors(rows(d="ab"), rows(e="xy")) == {}


def test_chunks_that_stay_in_another_order_are_still_places() -> None:
    assert successors(rows(d="abcd"), rows(d="cxab")) == {"d": "x"}
