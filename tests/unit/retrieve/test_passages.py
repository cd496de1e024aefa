from __future__ import annotations

import pytest

from fakes import chunk
from ragaliq.errors import InputError
from ragaliq.retrieve.passages import Passages, by_language


def test_chunks_go_by_language_in_their_order() -> None:
    zh, de2, de1 = chunk("d1", "船", "zh"), chunk("d2", "Boot", "de"), chunk("d1", "Schiff", "de")
    found = by_language([zh, de2, de1])
    assert list(found.items()) == [("de", [de2, de1]), ("zh", [zh])]
    assert by_language([]) == {}


def test_an_id_twice_in_a_language_is_an_input_error() -> None:
    with pytest.raises(InputError, match="doc id 'd1' occurs twice in 'de'"):
        by_language([chunk("d1", "a", "de"), chunk("d1", "b", "en"), chunk("d1", "c", "de")])


def test_a_title_stands_above_its_text() -> None:
    assert chunk("d1", "九点", "zh", title="船").titled == "船\n九点"
    assert chunk("d1", "九点", "zh").titled == "九点"


def test_passages_are_numbered_by_their_ids() -> None:
    found = Passages(
        "de", [chunk("d9", "Boot", "de"), chunk("d10", "Schiff", "de", title="Zwei"), chunk("Ω", "", "de")]
    )
    assert found.doc_ids == ["d10", "d9", "Ω"]
    assert found.texts == ["Zwei\nSchiff", "Boot", ""]
    assert list(found.words.numbers) == ["zwei", "schiff", "boot"]
    assert Passages("de", found.chunks, title=False).texts == ["Schiff", "Boot", ""]
