from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.retrieve.index.store import VectorStore

Vectors = NDArray[np.float32]
SRC = Path(__file__).resolve().parents[4] / "src"
N = 2500
IDS = [f"d{i}" for i in reversed(range(N))]

READ = """
import sys
from pathlib import Path
from ragaliq.retrieve.index.store import VectorStore
ids = [f"d{i}" for i in reversed(range(2500))]
sys.stdout.buffer.write(VectorStore(Path(sys.argv[1])).vectors("key", ids, lambda: sys.exit("made again")).tobytes())
"""

# Killed between two batches, when part of the rows is on disk.
KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from ragaliq.retrieve.index.store import VectorStore

class Rows(np.ndarray):
    def __getitem__(self, key):
        if isinstance(key, slice) and key.start:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(key)

ids = [f"d{i}" for i in reversed(range(2500))]
VectorStore(Path(sys.argv[1])).vectors("key", ids, lambda: np.ones((2500, 4), dtype=np.float32).view(Rows))
"""

OTHER = """
import sys
from pathlib import Path
import numpy as np
from ragaliq.retrieve.index.store import VectorStore
VectorStore(Path(sys.argv[1])).vectors("key", ["a", "b"], lambda: np.eye(2, dtype=np.float32))
"""


def python(code: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SRC), "HOME": str(folder)}
    return subprocess.run([sys.executable, "-c", code, str(folder)], env=env, capture_output=True, check=False)


def never() -> Vectors:
    raise AssertionError("what is stored must not be made again")


@pytest.fixture(scope="module")
def rows() -> Vectors:
    """More rows than one batch, with values that any detour over another format or metric would change."""
    vectors = np.random.default_rng(0).normal(size=(N, 5)).astype(np.float32)
    vectors[0] = 0
    vectors[1] = [-0.0, 1e-45, 3.4028235e38, -3.4028235e38, np.nextafter(np.float32(1), np.float32(2))]
    vectors[3] = vectors[2]
    return vectors


@pytest.mark.parametrize("in_folder", [False, True])
def test_vectors_come_back_bit_by_bit_in_the_order_of_the_ids(in_folder: bool, tmp_path: Path, rows: Vectors) -> None:
    folder = tmp_path / "new" / "index" if in_folder else None
    key = str(tmp_path)
    first = VectorStore(folder).vectors(key, IDS, lambda: rows)
    again = VectorStore(folder).vectors(key, IDS, never)
    for found in (first, again):
        assert found.dtype == np.float32
        assert found.shape == rows.shape
        assert found.tobytes() == rows.tobytes()


@pytest.mark.slow
def test_another_process_reads_the_same_bits_from_the_folder(tmp_path: Path, rows: Vectors) -> None:
    VectorStore(tmp_path).vectors("key", IDS, lambda: rows)
    done = python(READ, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == rows.tobytes()


@pytest.mark.parametrize("in_folder", [False, True])
def test_another_key_or_other_ids_are_other_vectors(in_folder: bool, tmp_path: Path) -> None:
    store, key = VectorStore(tmp_path if in_folder else None), str(tmp_path)
    calls = [(key, ["a", "b"]), (key, ["b", "a"]), (key, ["a"]), (key + "a", ["b"]), (key + "2", ["a", "b"])]

    def make(number: int, n: int) -> Callable[[], Vectors]:
        return lambda: np.full((n, 2), number, dtype=np.float32)

    for number, (name, ids) in enumerate(calls):
        store.vectors(name, ids, make(number, len(ids)))
    assert [store.vectors(name, ids, never)[0, 0] for name, ids in calls] == [0, 1, 2, 3, 4]


@pytest.mark.slow
def test_what_a_kill_left_half_written_is_not_taken_for_an_index(tmp_path: Path, rows: Vectors) -> None:
    killed = python(KILLED, tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert [path.name for path in tmp_path.rglob("chroma.sqlite3")] == ["chroma.sqlite3"]
    assert VectorStore(tmp_path).vectors("key", IDS, lambda: rows).tobytes() == rows.tobytes()
    assert VectorStore(tmp_path).vectors("key", IDS, never).tobytes() == rows.tobytes()


@pytest.mark.slow
def test_the_index_of_a_faster_process_is_used(tmp_path: Path) -> None:
    def make() -> Vectors:
        other = python(OTHER, tmp_path)
        assert other.returncode == 0, other.stderr
        return np.zeros((2, 2), dtype=np.float32)

    assert np.array_equal(VectorStore(tmp_path).vectors("key", ["a", "b"], make), np.eye(2))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("in_folder", [False, True])
def test_the_nearest_are_found_by_the_inner_product(in_folder: bool, tmp_path: Path) -> None:
    vectors = np.array([[0.6, 0.8], [0, 0], [1, 0], [-1, 0]], dtype=np.float32)
    store = VectorStore(tmp_path if in_folder else None)
    stored = store.collection(f"{tmp_path}", ["a", "zero", "b", "against"], lambda: vectors)
    found = stored.nearest(np.array([1, 0], dtype=np.float32), 9)
    assert list(found) == ["b", "a", "zero", "against"]
    assert list(found.values()) == pytest.approx([1, 0.6, 0, -1])
    assert list(stored.nearest(np.array([0, 1], dtype=np.float32), 1)) == ["a"]
    assert np.concatenate(list(stored.batches())).tobytes() == vectors.tobytes()


def test_what_was_interrupted_in_memory_is_not_taken_for_an_index(tmp_path: Path) -> None:
    class Rows(np.ndarray):
        def __getitem__(self, key: Any, /) -> Any:
            if isinstance(key, slice) and key.start:
                raise KeyboardInterrupt
            return super().__getitem__(key)

    key = f"interrupted {tmp_path}"
    with pytest.raises(KeyboardInterrupt):
        VectorStore().vectors(key, IDS, lambda: np.ones((N, 4), dtype=np.float32).view(Rows))
    whole = np.zeros((N, 4), dtype=np.float32)
    assert VectorStore().vectors(key, IDS, lambda: whole).tobytes() == whole.tobytes()


def test_a_folder_that_cannot_be_made_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="file/index: the index cannot be written"):
        VectorStore(tmp_path / "file" / "index").vectors("key", ["a"], lambda: np.ones((1, 2), dtype=np.float32))


def test_a_relative_folder_is_that_of_its_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for number in (1.0, 2.0):
        here = tmp_path / str(number)
        here.mkdir()
        monkeypatch.chdir(here)
        store = VectorStore(Path("index"))
        made.append(store.vectors("key", ["a"], lambda n=number: np.asarray([[n]], dtype=np.float32))[0, 0])  # type: ignore[misc]
        shutil.rmtree(here)
    assert made == [1.0, 2.0]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index of another process: Chroma keeps open what it has opened."""
    folder = tmp_path_factory.mktemp("stored")
    keep = "import sys\nfrom pathlib import Path\nimport numpy as np\n" + (
        "from ragaliq.retrieve.index.store import VectorStore\n"
        "VectorStore(Path(sys.argv[1])).vectors('key', ['a'], lambda: np.ones((1, 2), np.float32))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    subprocess.run([sys.executable, "-c", keep, str(folder)], env=environment, check=True)
    return folder


@pytest.mark.parametrize("damage", [lambda path: path.write_text("no database"), Path.unlink])
def test_a_damaged_index_is_an_input_error(stored: Path, tmp_path: Path, damage: Callable[[Path], object]) -> None:
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    (database,) = tmp_path.glob("*/chroma.sqlite3")
    damage(database)
    with pytest.raises(InputError, match=r"a damaged index .*; remove the folder, the same command makes it anew"):
        VectorStore(tmp_path).vectors("key", ["a"], lambda: np.ones((1, 2), np.float32))
