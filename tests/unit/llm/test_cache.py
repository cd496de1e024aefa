"""Replies on disk: what the key depends on, what a kill leaves, who may read them."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.llm import ResponseCache

SRC = Path(__file__).resolve().parents[3] / "src"
CHAT = [{"role": "system", "content": "Antworte."}, {"role": "user", "content": "Wo? 在哪里？ Где?"}]
PARAMETERS = {"temperature": 0.0, "max_tokens": 9, "stop": ["\n", "。"]}
REQUEST = {"model": "m", "chat": CHAT, "parameters": PARAMETERS, "schema": None}


def reordered(value: Any, shuffle: random.Random) -> Any:
    """The same JSON value with the keys of its objects in another order."""
    if isinstance(value, dict):
        keys = list(value)
        shuffle.shuffle(keys)
        return {key: reordered(value[key], shuffle) for key in keys}
    return [reordered(entry, shuffle) for entry in value] if isinstance(value, list) else value


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    LEAVES, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(), v, max_size=4), max_leaves=9
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.text(), VALUES, max_size=4), st.integers())
def test_the_order_of_keys_does_not_count(request: dict[str, Any], seed: int) -> None:
    assert ResponseCache.key(reordered(request, random.Random(seed))) == ResponseCache.key(request)


def test_everything_else_counts() -> None:
    cases: list[dict[str, Any]] = [
        {"model": "M"},
        {"chat": CHAT[::-1]},
        {"chat": [*CHAT, {"role": "user", "content": ""}]},
        {"chat": [CHAT[0], {"role": "user", "content": "Wo? 在哪里？ Где? "}]},
        {"parameters": {**PARAMETERS, "temperature": 0.1}},
        {"parameters": {**PARAMETERS, "stop": ["。", "\n"]}},
        {"parameters": {**PARAMETERS, "seed": 0}},
        {"schema": {"type": "object"}},
    ]
    for change in cases:
        assert ResponseCache.key({**REQUEST, **change}) != ResponseCache.key(REQUEST), change


def test_half_a_surrogate_pair_has_a_key_of_its_own() -> None:
    assert len({ResponseCache.key({"text": text}) for text in ("\ud800", "\udc00", "\ufffd", "?")}) == 4


def test_a_reply_is_kept_beyond_the_process(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "replies.sqlite"
    reply = {"text": "屋顶 — \ud83d", "usage": [3, 4], "logprobs": [[["站", 0.25]]]}
    cache = ResponseCache(path)
    assert cache.get("k") is None
    cache.put("k", {"text": "old"})
    cache.put("k", reply)
    assert cache.get("k") == reply
    cache.close()
    with closing(ResponseCache(path)) as other:
        assert other.get("k") == reply
    assert cache.get("k") == reply, "a closed cache opens again"
    assert cache.get("other") is None
    cache.close()


def test_asking_makes_no_file(tmp_path: Path) -> None:
    assert ResponseCache(tmp_path / "deep" / "replies.sqlite").get("k") is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_the_files_are_their_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        cache = ResponseCache(tmp_path / "replies.sqlite")
        cache.put("k", {"text": "confidential"})
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    cache.close()
    assert "replies.sqlite" in modes and set(modes.values()) == {0o600}, modes


def write_garbage(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to be looked at" * 40)


def write_table(path: Path, columns: str, reply: str = "{}") -> None:
    rows = sqlite3.connect(path)
    rows.execute(f"CREATE TABLE replies ({columns})")
    rows.execute("INSERT INTO replies (key, reply) VALUES ('k', ?)", (reply,))
    rows.commit()
    rows.close()


WELL = "key TEXT PRIMARY KEY, reply TEXT"


def get(path: Path) -> None:
    with closing(ResponseCache(path)) as cache:
        cache.get("k")


def put(path: Path) -> None:
    with closing(ResponseCache(path)) as cache:
        cache.put("k", {})


def test_a_file_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    cases: list[tuple[Callable[[Path], None], Callable[[Path], object]]] = [
        (get, write_garbage),
        (get, Path.mkdir),
        (put, write_garbage),
        (put, Path.mkdir),
        (put, lambda path: write_table(path, f"{WELL}, model TEXT")),
        # The folder cannot be made.
        (put, lambda path: path.parent.write_text("")),
    ]
    for number, (use, write) in enumerate(cases):
        path = tmp_path / str(number) / "replies.sqlite"
        if number < len(cases) - 1:
            path.parent.mkdir()
        write(path)
        with pytest.raises(InputError) as caught:
            use(path)
        assert str(caught.value).startswith(f"{path}: the cache of replies cannot be used ("), number
        assert "\n" not in str(caught.value) and "--no-cache" in str(caught.value), number


@pytest.mark.parametrize("reply", ["", "{", "7", "[1]", '[["a", 1]]', "null", "[" * 100_000])
def test_a_row_that_is_no_reply_is_asked_for_again(tmp_path: Path, reply: str) -> None:
    write_table(tmp_path / "replies.sqlite", WELL, reply)
    cache = ResponseCache(tmp_path / "replies.sqlite")
    assert cache.get("k") is None
    cache.put("k", {"text": "whole"})
    assert cache.get("k") == {"text": "whole"}
    cache.close()


def test_a_pipe_in_its_place_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "replies.sqlite")
    with pytest.raises(InputError, match=r"replies\.sqlite: is no regular file"):
        get(tmp_path / "replies.sqlite")


WRITER = """
import sys
from pathlib import Path
from ragaliq.llm import ResponseCache
cache, name, count = ResponseCache(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    for key in (f"{name}-{number}", f"both-{number}"):
        cache.put(key, {"text": f"Ответ {key}"})
        print(key, flush=True)
        assert cache.get(key) == {"text": f"Ответ {key}"}
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("\n")
    process.stdin.flush()


def test_a_process_waits_while_another_sets_the_file_up(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE another (x)")
    other.execute("BEGIN IMMEDIATE")
    alarm = threading.Timer(0.3, other.execute, ["COMMIT"])
    alarm.start()
    with closing(ResponseCache(path)) as cache:
        cache.put("k", {"text": "站"})
        assert cache.get("k") == {"text": "站"}
    alarm.join()
    other.close()


@pytest.mark.slow
def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    writers = [writer(path, f"w{n}", 60) for n in range(3)]
    for process in writers:
        go(process)
    for process in writers:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    keys = [f"{name}-{n}" for n in range(60) for name in ("both", "w0", "w1", "w2")]
    with closing(ResponseCache(path)) as cache:
        assert [key for key in keys if cache.get(key) != {"text": f"Ответ {key}"}] == []


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's")
def test_what_was_put_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    process = writer(path, "w", 100_000)
    go(process)
    assert process.stdout is not None
    told = [process.stdout.readline().strip() for _ in range(50)]
    os.kill(process.pid, signal.SIGKILL)
    # What was printed before the kill and not read yet was put, too; the last line may be torn.
    rest = process.communicate(timeout=60)[0]
    told += rest[: rest.rfind("\n") + 1].split()
    with closing(ResponseCache(path)) as cache:
        assert [key for key in told if cache.get(key) != {"text": f"Ответ {key}"}] == []
        cache.put("new", {"text": json.dumps(told[:1])})
        assert cache.get("new") is not None
