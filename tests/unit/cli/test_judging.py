"""What the command line says of languages."""

from __future__ import annotations

from ragaliq.cli.judging import abstention_notes
from ragaliq.config import Component


def test_how_refusals_are_recognised_where_there_are_no_words() -> None:
    assert abstention_notes(["en", "ru"]) == []
    (japanese,) = abstention_notes(["en", "ja"])
    assert "for ja: refusals are recognised in ja by meaning (sentence encoder) and by English words; how" in japanese
    (swedish,) = abstention_notes(["sv"], Component("offline"))
    assert "for sv: refusals are recognised in sv by English words alone; how well was not measured" in swedish
    assert abstention_notes(["sv"], Component("openai", "m")) == []
