from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from ragaliq.build.documents.reading import CODE, PROSE, content_digest, read_files
from ragaliq.errors import InputError
from unit.build.folders import write_folder


def test_every_file_is_read_or_has_its_reason(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "docs",
        {
            "a.md": "Text.", "b/文档.txt": "文", "LICENSE": "Free.", "Dockerfile": "FROM x", "conf.json": "{}",
            "notes": "Text.", "odd.xyz": "Text.",
            "pic.PNG": b"x", "clip.mp4": b"x", "song.mp3": b"x", "t.csv": "a,b", "m.bin": b"x", "z.zip": b"x",
            "f.woff": b"x", "p.exe": b"x", "page.html": "<p>", "paper.pdf": b"x", "nb.ipynb": "{}",
            "latin.txt": "Größe".encode("latin-1"), "nul.txt": "a\0b", "blank.txt": " \n", "empty.md": "",
            ".env": "KEY=1", ".git/config": "x", ".git/objects/ab": b"x",
        },
    )  # fmt: skip
    os.symlink("nowhere", folder / "broken.md")
    os.symlink("b", folder / "link")
    os.mkfifo(folder / "pipe.md")
    documents = list(read_files(folder))
    assert [one.path for one in documents] == sorted(one.path for one in documents)
    assert {one.path: one.skipped for one in documents if one.skipped} == {
        "pic.PNG": "image", "clip.mp4": "video", "song.mp3": "audio", "t.csv": "data", "m.bin": "data",
        "z.zip": "archive", "f.woff": "font", "p.exe": "program", "page.html": "document without a reader",
        "paper.pdf": "document without a reader", "nb.ipynb": "document without a reader",
        "latin.txt": "no UTF-8 text", "nul.txt": "binary", "blank.txt": "empty", "empty.md": "empty",
        ".env": "hidden", ".git/": "hidden", "broken.md": "unreadable", "link/": "link to a folder",
        "pipe.md": "no regular file",
    }  # fmt: skip
    details = {one.path: one.detail for one in documents}
    assert (details["latin.txt"], details["broken.md"]) == ("at byte 2", os.strerror(errno.ENOENT))
    assert {one.path: one.kind for one in documents if not one.skipped} == {
        "a.md": PROSE, "b/文档.txt": PROSE, "LICENSE": PROSE, "notes": PROSE, "odd.xyz": PROSE,
        "Dockerfile": CODE, "conf.json": CODE,
    }  # fmt: skip


def test_byte_order_marks_are_no_text_and_line_ends_stay(tmp_path: Path) -> None:
    texts = {
        "a.md": b"\xef\xbb\xbfa\r\nb\r",
        "b.md": b"\xef\xbb\xbf\xef\xbb\xbfb",
        "c.md": "c ё".encode("utf-16"),
        "d.md": b"\xfe\xff" + "d 文".encode("utf-16-be"),
    }
    documents = list(read_files(write_folder(tmp_path, texts)))
    assert [one.text for one in documents] == ["a\r\nb\r", "b", "c ё", "d 文"]


def test_a_single_file_is_a_source(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.md": "A", "b.md": "B"})
    (one,) = read_files(tmp_path / "a.md")
    assert (one.path, one.text) == ("a.md", "A")
    with pytest.raises(InputError, match="no such file or folder"):
        list(read_files(tmp_path / "c.md"))


def test_a_folder_can_be_left_out(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.md": "A", "bench/build/documents/a.md": "A"})
    documents = list(read_files(tmp_path, [tmp_path / "bench"]))
    assert [(one.path, one.skipped) for one in documents] == [("a.md", ""), ("bench/", "left out")]


def test_the_digest_is_what_sha256sum_says(tmp_path: Path) -> None:
    write_folder(tmp_path, {"b/文.md": "B", "a.md": b"\xef\xbb\xbfA"})

    def digest() -> str:
        return content_digest(list(read_files(tmp_path)), single=False)

    hashes = [hashlib.sha256(data).hexdigest() for data in (b"\xef\xbb\xbfA", b"B")]
    before = digest()
    assert before == hashlib.sha256(f"{hashes[0]}  a.md\n{hashes[1]}  b/文.md\n".encode()).hexdigest()
    assert content_digest(list(read_files(tmp_path / "a.md")), single=True) == hashes[0]
    write_folder(tmp_path, {"c.png": b"x", ".d.md": "D"})
    assert digest() == before
    write_folder(tmp_path, {"e.md": "E"})
    assert digest() != before
    (tmp_path / "e.md").unlink()
    (tmp_path / "a.md").rename(tmp_path / "f.md")
    assert digest() != before
