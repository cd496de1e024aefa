"""What makes two segments one, and their ids."""

from __future__ import annotations

from ragaliq.build.translation.segment import segment_id, segment_text


def test_composed_and_decomposed_letters_are_one_segment_in_every_script() -> None:
    for composed, decomposed in (("é", "e\u0301"), ("й", "и\u0306"), ("가", "\u1100\u1161")):
        assert segment_text(f"\u3000{decomposed}.\n") == f"{composed}."
    assert segment_text("开门  时间\n8:00") == "开门  时间\n8:00", "white space within stays"


def test_an_id_follows_from_source_and_its_language_alone() -> None:
    assert segment_id("en", "Opening times") == segment_id("en", "Opening times")
    ids = [segment_id("en", "Opening times"), segment_id("en", "opening times"), segment_id("de", "Opening times")]
    assert len(set(ids)) == 3
    assert all(len(one) == 17 and one[0] == "s" and one.isalnum() for one in ids), "an NMTOKEN, as XLIFF wants"
