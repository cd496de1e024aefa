"""A folder that is made as a whole, and never in the place of somebody's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.storage.new_folder import MARK, new_folder

COMMAND = {"source": "a", "langs": ("de", "ru"), "max_docs": None}


def make(out: Path, text: str, **changes: object) -> None:
    with new_folder(out, {**COMMAND, **changes}) as draft:
        (draft / "sub").mkdir()
        (draft / "sub" / "file.txt").write_text(text)


def left(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_the_same_command_makes_its_folder_anew(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    make(out, "one")
    make(out, "two")
    assert (out / "sub" / "file.txt").read_text() == "two"
    assert left(tmp_path / "deep") == ["out", f"out/{MARK}", "out/sub", "out/sub/file.txt"]


def test_an_empty_folder_may_be_there(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    make(tmp_path / "out", "one")
    assert (tmp_path / "out" / "sub" / "file.txt").read_text() == "one"


def test_another_command_keeps_off(tmp_path: Path) -> None:
    make(tmp_path / "out", "one")
    with pytest.raises(InputError, match="holds files that this command did not make"):
        make(tmp_path / "out", "two", source="b")
    assert (tmp_path / "out" / "sub" / "file.txt").read_text() == "one"


def test_what_somebody_added_is_kept(tmp_path: Path) -> None:
    make(tmp_path / "out", "one")
    (tmp_path / "out" / "sub" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="did not make"):
        make(tmp_path / "out", "two")
    assert (tmp_path / "out" / "sub" / "mine.txt").exists()


@pytest.mark.parametrize("mark", [None, "", "{}", "[]", '{"command": 1, "files": []}'])
def test_a_folder_of_somebody_is_kept(tmp_path: Path, mark: str | None) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("mine")
    if mark is not None:
        (tmp_path / "out" / MARK).write_text(mark)
    with pytest.raises(InputError, match="did not make"):
        make(tmp_path / "out", "one")
    assert (tmp_path / "out" / "thesis.tex").read_text() == "mine"


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    make(tmp_path / "out", "one")
    with pytest.raises(InputError, match="out/sub: a bad id"), new_folder(tmp_path / "out", COMMAND) as draft:
        (draft / "half.txt").write_text("half")
        raise InputError(f"{draft / 'sub'}: a bad id")
    assert left(tmp_path) == ["out", f"out/{MARK}", "out/sub", "out/sub/file.txt"]


def test_a_file_or_no_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path)
    for out, message in ((tmp_path / "file", "a file stands there"), (Path(), "name the new folder itself"),
                         (tmp_path / "file" / "out", "cannot be written"), (tmp_path / "link", "is a link"),
                         (tmp_path / ("x" * 300), "xx: cannot be written")):  # fmt: skip
        with pytest.raises(InputError, match=message):
            make(out, "one")
