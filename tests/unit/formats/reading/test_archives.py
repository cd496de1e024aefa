"""Archives are read where they lie; one that is out to harm is refused."""

from __future__ import annotations

import stat
import struct
import zipfile
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.reading import archives
from ragaliq.formats.reading.archives import open_shelf
from ragaliq.formats.reading.streams import Stored


def packed(path: Path, members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", kind) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return path


def test_files_are_found_in_a_folder_and_in_an_archive_alike(tmp_path: Path) -> None:
    names = ("corpus.jsonl.gz", "queries.jsonl", "qrels/dev.tsv", "qrels/test.tsv", "x/corpus.jsonl")
    members = dict.fromkeys(names, b"")
    for name, data in members.items():
        (tmp_path / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "set" / name).write_bytes(data)
    archive = packed(tmp_path / "set.zip", {f"top/{name}": data for name, data in members.items()})
    for shelf in (open_shelf(tmp_path / "set"), open_shelf(archive / "top"), open_shelf(archive).below("top")):
        found = shelf.find("corpus.jsonl")
        assert found is not None and str(found).endswith("/corpus.jsonl.gz")
        assert shelf.find("dev.tsv") is None
        assert shelf.names("qrels") == ["dev.tsv", "test.tsv"]
        assert shelf.folders_with("corpus.jsonl") == ["x"]
        assert shelf.below("x").find("corpus.jsonl") is not None
    assert open_shelf(archive).find("top/queries.jsonl") == Stored(archive, "top/queries.jsonl")
    assert str(open_shelf(archive / "top")) == f"{archive}/top"


def test_e5_members_that_point_outside_are_refused(tmp_path: Path) -> None:
    for name in ["../evil", "/etc/evil", "a/../../evil", "C:/evil", "a\\..\\evil"]:
        archive = packed(tmp_path / "a.zip", {"corpus.jsonl": b"", name: b""})
        with pytest.raises(InputError, match="points outside the archive; do not use this archive"):
            open_shelf(archive)
        assert [path.name for path in tmp_path.iterdir()] == ["a.zip"], name


def test_a_member_without_a_name_is_refused(tmp_path: Path) -> None:
    archive = packed(tmp_path / "a.zip", {"corpus.jsonl": b"", "x": b""})
    # The length of a name in the directory of the archive is set to 0, and the name to a comment.
    data = bytearray(archive.read_bytes())
    entry = data.rindex(b"PK\1\2")
    data[entry + 28], data[entry + 32] = 0, 1
    archive.write_bytes(data)
    with pytest.raises(InputError, match="member '' has no name; do not use this archive"):
        open_shelf(archive)


def test_links_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("corpus.jsonl")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as out:
        out.writestr(link, "/etc/passwd")
    with pytest.raises(InputError, match=r"'corpus\.jsonl' is a link or a device"):
        open_shelf(tmp_path / "a.zip")


def test_bombs_are_refused_by_ratio_and_by_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = packed(tmp_path / "a.zip", {"corpus.jsonl": b"0" * 2**22})
    with pytest.raises(InputError, match=r"'corpus\.jsonl' grows more than 200 times when decompressed"):
        open_shelf(archive)
    monkeypatch.setattr(archives, "MAX_BYTES", 2**30)
    packed(archive, {f"{n}": b"small" for n in range(3)})
    # The second archive says that each of its members has 2^29 bytes, and that it has about as many compressed.
    data = bytearray(archive.read_bytes())
    place = 0
    while (place := data.find(b"PK\1\2", place + 1)) > 0:
        data[place + 24 : place + 28] = struct.pack("<I", 2**29)
        data[place + 20 : place + 24] = struct.pack("<I", 2**29)
    archive.write_bytes(data)
    with pytest.raises(InputError, match="its members overlap"):
        open_shelf(archive)
    monkeypatch.setattr(archives, "MAX_RATIO", 10**9)
    for start in range(len(data) - 4):
        if data[start : start + 4] == b"PK\1\2":
            data[start + 20 : start + 24] = struct.pack("<I", 7)
    archive.write_bytes(data)
    with pytest.raises(InputError, match="more than 1 GiB when decompressed"):
        open_shelf(archive)


def test_what_else_cannot_be_trusted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="compressed in a way that is not supported"):
        open_shelf(packed(tmp_path / "a.zip", {"corpus.jsonl": b"x"}, zipfile.ZIP_LZMA))
    data = bytearray(packed(tmp_path / "b.zip", {"corpus.jsonl": b"x"}).read_bytes())
    data[data.find(b"PK\1\2") + 8] |= 1
    (tmp_path / "b.zip").write_bytes(data)
    with pytest.raises(InputError, match="is encrypted"):
        open_shelf(tmp_path / "b.zip")
    with pytest.warns(UserWarning), zipfile.ZipFile(tmp_path / "c.zip", "w") as out:
        out.writestr("corpus.jsonl", "1")
        out.writestr("corpus.jsonl", "2")
    with pytest.raises(InputError, match="two members have one name"):
        open_shelf(tmp_path / "c.zip")


def test_what_is_no_archive_is_named(tmp_path: Path) -> None:
    for content in [b"", b"text", b"PK\5\6\0\0\0\0\1\0\1\0\x2e" + b"\0" * 9]:
        (tmp_path / "a.zip").write_bytes(content)
        for path in (tmp_path / "a.zip", tmp_path / "a.zip" / "inner", tmp_path / "missing", tmp_path / "a\0b"):
            with pytest.raises(InputError, match=r"(neither a folder nor|not) a zip archive"):
                open_shelf(path)


def test_a_name_that_no_disk_takes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        open_shelf(tmp_path / ("x" * 300))
