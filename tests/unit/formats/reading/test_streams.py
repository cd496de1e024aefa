"""Lines one at a time, from files, compressed files and members of archives."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.reading import streams
from ragaliq.formats.reading.streams import Stored, read_lines, read_rows, write_gzip_lines

TEXT = "\ufeffप्रथम\r\nзwei\u2028noch zwei\n\n三\x85\x0c\r"
LINES = [(1, "प्रथम"), (2, "зwei\u2028noch zwei"), (3, ""), (4, "三\x85\x0c")]


def test_the_same_lines_wherever_they_lie(tmp_path: Path) -> None:
    plain, packed, archive = tmp_path / "a.tsv", tmp_path / "a.tsv.gz", tmp_path / "a.zip"
    plain.write_bytes(TEXT.encode())
    packed.write_bytes(gzip.compress(TEXT.encode(), mtime=0))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.write(plain, "set/a.tsv")
        out.write(packed, "set/a.tsv.gz")
    for source in (plain, packed, Stored(archive, "set/a.tsv"), Stored(archive, "set/a.tsv.gz")):
        assert list(read_lines(source)) == LINES


def test_rows_are_named_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n \n{"a": 2}\n[]\n')
    rows = read_rows(path)
    assert [next(rows), next(rows)] == [(f"{path}:1", {"a": 1}), (f"{path}:3", {"a": 2})]
    with pytest.raises(InputError, match=r"a\.jsonl:4: a JSON object is expected"):
        next(rows)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    cases = [
        ("a", b"good\nb\xff", "a:2: not UTF-8 at byte 1 of the line"),
        ("a.gz", b"plain text", "a.gz: damaged"),
        ("a.gz", gzip.compress(b"x" * 5000, mtime=0)[:-9], "a.gz: damaged"),
        ("a.gz", gzip.compress(bytes(range(256)) * 9, mtime=0)[:40] + b"?" * 40, "a.gz: damaged"),
    ]
    for name, data, message in cases:
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError) as caught:
            list(read_lines(tmp_path / name))
        assert message in str(caught.value), name


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    for name in ["missing", ".", "a\0b"]:
        with pytest.raises(InputError, match=r"cannot be read|not a file name"):
            list(read_lines(tmp_path / name))


def test_a_line_without_an_end_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_LINE", 2**20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"short\n" + b"x" * 2**22, mtime=0))
    lines = read_lines(path)
    assert next(lines) == (1, "short")
    with pytest.raises(InputError, match=r"bomb\.gz:2: a line of more than 1 MiB"):
        next(lines)


def test_compressed_lines_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_gzip_lines(tmp_path / name, (f"строка {n}".encode() for n in range(3)))
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert [line for _, line in read_lines(tmp_path / "a.gz")] == ["строка 0", "строка 1", "строка 2"]
