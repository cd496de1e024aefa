"""Text, JSON and JSON Lines: strictly read, atomically written."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.storage.files import (
    dump_row,
    naming,
    read_json,
    read_jsonl,
    read_text,
    write_atomic,
    write_json,
    write_jsonl,
)
from ragaliq.storage.journal import Journal, read_journal


def test_rows_are_readable_text(tmp_path: Path) -> None:
    assert dump_row({"text": "站 é"}) == '{"text": "站 é"}'.encode()
    assert dump_row({"text": "\ud800"}) == b'{"text": "\\ud800"}'
    with pytest.raises(ValueError):
        dump_row({"score": float("nan")})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"a": 1', "2: not valid JSON"),
        ("[1]", "2: a JSON object is expected here, not list"),
        ('{"a": NaN}', "2: not valid JSON (NaN is not JSON)"),
        ('{"a": -Infinity}', "2: not valid JSON (-Infinity is not JSON)"),
        ("[" * 200_000, "2: JSON nested too deeply"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 0}\n' + line + '\n{"a": 2}\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read_jsonl(path))
    assert str(caught.value).startswith(f"{path}:{message}")
    # A bad line that has its end was not torn by a kill.
    with pytest.raises(InputError) as caught:
        list(read_journal(path))
    assert str(caught.value).startswith(f"{path}:{message}")


def test_lines_are_counted_with_blank_ones_and_end_only_at_line_feeds(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes('\ufeff{"a": "x\u2028y\x85"}\r\n\n  \n{"a": 2}'.encode())
    assert list(read_jsonl(path)) == [(1, {"a": "x\u2028y\x85"}), (4, {"a": 2})]


def test_json_errors_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    path.write_text('{\n  "a": 1,\n  b\n}')
    with pytest.raises(InputError, match=r"bench\.json: not valid JSON \(.* at line 3, column 3\)"):
        read_json(path)


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match=r"latin\.txt: not UTF-8 at byte 3"):
        read_text(latin)
    with pytest.raises(InputError, match=r"none\.txt: cannot be read \(.+\); check the path$"):
        read_text(tmp_path / "none.txt")
    with pytest.raises(InputError, match="cannot be read"):
        read_text(tmp_path)


def test_line_ends_are_untouched(tmp_path: Path) -> None:
    path = tmp_path / "text.md"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(path) == "a\r\nb\rc\n"


def test_an_atomic_write_leaves_the_new_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    write_atomic(path, b"old")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(path.parent) == ["file.txt"]


def test_a_file_in_the_way_of_the_folder_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "new.json", tmp_path / "file" / "folder" / "new.json"):
        with pytest.raises(InputError, match=r"new\.json: cannot be written \(.+\); check the path and the disk$"):
            write_json(path, {})


def test_a_refused_value_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_json(path, {"a": "é"})
    before = path.read_bytes()
    with pytest.raises(ValueError):
        write_json(path, {"a": float("inf")})
    with pytest.raises(ValueError):
        write_jsonl(path, [{"a": 1}, {"a": float("nan")}])
    assert path.read_bytes() == before == json.dumps({"a": "é"}, ensure_ascii=False, indent=2).encode() + b"\n"
    assert os.listdir(tmp_path) == ["file.json"]


def test_a_pipe_a_device_and_a_socket_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for path in (tmp_path / "pipe", tmp_path / "socket", Path("/dev/null"), Path("/dev/zero")):
            for use in (read_text, read_json, lambda path: list(read_jsonl(path)), lambda path: write_json(path, {}),
                        lambda path: list(read_journal(path)), lambda path: Journal(path).__enter__()):  # fmt: skip
                with pytest.raises(
                    InputError, match=r"is no regular file but a pipe, a socket or a device; name a file"
                ):
                    use(path)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_pipe_that_the_shell_hands_over_is_read() -> None:
    receiving, sending = os.pipe()
    os.write(sending, b'{"a": 1}\n')
    os.close(sending)
    assert [row for _, row in read_jsonl(Path(f"/dev/fd/{receiving}"))] == [{"a": 1}]
    os.close(receiving)


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"\[Errno 28\] .*: '.*rows\.jsonl'"), naming(tmp_path / "rows.jsonl"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
