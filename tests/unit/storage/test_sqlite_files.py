"""Values in a file that may go missing: what is damaged, full or not writable costs only time."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ragaliq.storage.sqlite_files import ByteCache

SRC = Path(__file__).resolve().parents[3] / "src"
KEYS = [bytes([number]) * 32 for number in range(40)]


def values(path: Path) -> list[bytes | None]:
    cache = ByteCache(path)
    try:
        return [cache.get(key) for key in KEYS]
    finally:
        cache.close()


def fill(path: Path) -> None:
    cache = ByteCache(path)
    for key in KEYS:
        cache.put(key, key * 64)
    cache.close()


def test_values_outlive_the_process_and_reading_makes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "values.sqlite"
    assert not any(values(path))
    assert not path.parent.exists()
    fill(path)
    assert values(path) == [key * 64 for key in KEYS]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwrite(path: Path) -> None:
    path.write_bytes(b"no database " * 999)


def damage_pages(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (path.stat().st_size - 8192))


@pytest.mark.parametrize("damage", [cut, overwrite, damage_pages])
def test_a_damaged_file_is_begun_anew(damage: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "values.sqlite"
    fill(path)
    damage(path)
    assert all(value in (None, key * 64) for key, value in zip(KEYS, values(path), strict=True))
    fill(path)
    assert values(path) == [key * 64 for key in KEYS]


def test_a_value_that_was_changed_is_none(tmp_path: Path) -> None:
    path = tmp_path / "values.sqlite"
    fill(path)
    rows = sqlite3.connect(path)
    rows.execute("UPDATE entries SET value = ? WHERE key = ?", (KEYS[1] * 65, KEYS[0]))
    rows.execute("UPDATE entries SET value = 7 WHERE key = ?", (KEYS[1],))
    rows.execute("UPDATE entries SET value = (SELECT value FROM entries WHERE key = ?) WHERE key = ?", KEYS[3:1:-1])
    rows.commit()
    rows.close()
    assert values(path) == [None, None, None, *(key * 64 for key in KEYS[3:])]


def test_a_file_of_other_tables_and_a_folder_in_its_place_are_let_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    rows = sqlite3.connect(other)
    rows.execute("CREATE TABLE entries (name TEXT)")
    rows.close()
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    for path in (other, tmp_path / "folder", tmp_path / "file" / "values.sqlite"):
        fill(path)
        assert not any(values(path)), path
    assert (tmp_path / "file").read_text() == "text"


def test_a_full_file_takes_no_more_and_is_begun_anew_when_it_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "values.sqlite"
    cache = ByteCache(path, most_bytes=60_000)
    for key in KEYS:
        cache.put(key, key * 64)
    cache.close()
    kept = [value for value in values(path) if value]
    assert 10 < len(kept) < len(KEYS)
    fill(path)
    assert all(values(path))
    smaller = ByteCache(path, most_bytes=60_000)
    assert [smaller.get(key) for key in KEYS] == [None] * len(KEYS)
    smaller.put(KEYS[0], b"first")
    smaller.close()
    assert values(path)[0] == b"first"


def test_a_file_that_goes_missing_under_way_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "values.sqlite"
    cache = ByteCache(path)
    cache.put(KEYS[0], b"first")
    for file in tmp_path.iterdir():
        file.unlink()
    cache.put(KEYS[1], b"second")
    assert cache.get(KEYS[1]) in (None, b"second")
    cache.close()
    fill(path)
    assert all(values(path))


@pytest.mark.slow
def test_processes_write_the_same_file_and_one_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from ragaliq.storage.sqlite_files import ByteCache\n"
        "cache = ByteCache(Path('values.sqlite'))\n"
        "for n in range(int(sys.argv[1]), 4000):\n"
        "    key = n.to_bytes(32, 'big'); assert cache.get(key) in (None, key * 64); cache.put(key, key * 64)\n"
        "    print(n, flush=True)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    command = [sys.executable, "-c", code]
    first, second, killed = (
        subprocess.Popen([*command, start], cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
        for start in ("0", "1000", "2000")
    )
    assert killed.stdout is not None
    for _ in range(100):
        killed.stdout.readline()
    killed.kill()
    killed.wait()
    assert [process.communicate(timeout=120) and process.returncode for process in (first, second)] == [0, 0]
    cache = ByteCache(tmp_path / "values.sqlite")
    keys = [number.to_bytes(32, "big") for number in range(4000)]
    assert [cache.get(key) for key in keys] == [key * 64 for key in keys]
    cache.close()
