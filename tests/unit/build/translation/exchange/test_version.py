"""Which version of a translation the notes of a unit name."""

from __future__ import annotations

import pytest

from ragaliq.build.translation.exchange.version import noted_version, version_note


@pytest.mark.parametrize(
    ("notes", "version"),
    [("", 0), (version_note("de", 3), 3), ("a\n  version de: 2 \nb", 2), ("version de: 4\nversion de: 2", 2),
     ("version ru: 4\nversion de-AT: 5", 0), ("version de: many", 0), ("the version de: 2", 0), ("version de: 2.", 0)],
)  # fmt: skip
def test_a_note_names_the_version_of_its_language(notes: str, version: int) -> None:
    assert noted_version(notes, "de") == version
