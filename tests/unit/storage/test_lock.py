"""The lock: one holder at a time, of a file or a folder, free again afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.storage.lock import locked


def test_one_holds_it_and_then_the_next(tmp_path: Path) -> None:
    for folder in (False, True):
        path = tmp_path / "new" / f"place{folder}"
        for _ in range(2):
            with locked(path, "here", busy="is taken", remedy="go elsewhere", folder=folder):
                assert path.is_dir() if folder else path.is_file()
                with (
                    pytest.raises(InputError, match=r"^here: is taken$"),
                    locked(path, "here", busy="is taken", remedy="go elsewhere", folder=folder),
                ):
                    pass


def test_an_error_inside_lets_the_next_in(tmp_path: Path) -> None:
    with pytest.raises(LookupError), locked(tmp_path / "f", "f", busy="b", remedy="r"):
        raise LookupError
    with locked(tmp_path / "f", "f", busy="b", remedy="r"):
        pass


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for folder in (False, True):
        with (
            pytest.raises(InputError, match=r"^out: cannot be written \(.+\); go elsewhere$"),
            locked(tmp_path / "file" / "x", "out", busy="b", remedy="go elsewhere", folder=folder),
        ):
            pass
