from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.build.update.version import Update, read_update, write_update
from ragaliq.errors import InputError


def test_the_version_counts_updates_of_the_one_in_the_settings() -> None:
    assert Update().version_for("1") == "1"
    assert Update(serial=3, named="1", number=2).version_for("1") == "1.2"
    assert Update(serial=3, named="2026-11", number=0).version_for("2026-11") == "2026-11"
    assert Update(serial=3, named="1", number=2).version_for("2") == "2"


def test_its_hash_is_what_the_stages_take_from_it(tmp_path: Path) -> None:
    update = Update(1, "1", 1, "1", {"generate": {"queries": 5}}, ("q1",), ("q2",), done=False)
    write_update(tmp_path, update)
    assert read_update(tmp_path) == update
    assert Update().hash == "" == read_update(tmp_path / "none").hash
    assert update.hash == Update(1, "1", 1, "1", {"generate": {"queries": 5}}, ("q1",), ("q2",)).hash
    assert update.hash != Update(1, "1", 1, "1", {"generate": {"queries": 5}}, ("q1",), ()).hash


def test_another_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "update.json").write_text('{"serial": "one"}')
    with pytest.raises(InputError, match=r"update\.json: not the state of an update"):
        read_update(tmp_path)
