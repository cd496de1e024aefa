"""A real Chroma server, started for these tests on a free port of the loopback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chroma_server import ChromaServer
from fakes import chunk
from ragaliq.errors import InputError, Stopped
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.hybrid import DenseRetriever, HybridRetriever
from ragaliq.retrieve.index.chroma import server_client
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.types import Query

pytestmark = pytest.mark.slow
Vectors = NDArray[np.float32]
SRC = Path(__file__).resolve().parents[2] / "src"
N = 2500
IDS = [f"d{i}" for i in reversed(range(N))]
CORPUS = {
    "en": ("When does the boat sail?", "The boats sail at nine.", "The kitchen is closed."),
    "de": ("Wann fährt das Boot?", "Das Boot fährt um neun.", "Die Küche ist zu."),
    "fr": ("Quand part le bateau ?", "Les bateaux partent à neuf heures.", "La cuisine est fermée."),
    "es": ("¿Cuándo sale el barco?", "Los barcos salen a las nueve.", "La cocina cierra."),
    "ru": ("Когда уходит лодка?", "Лодки уходят в девять.", "Кухня закрыта."),
    "zh": ("船几点开？", "船九点开。", "厨房关门了。"),
}
CHUNKS = [chunk(f"d{i}", text, lang) for lang, (_, *texts) in CORPUS.items() for i, text in enumerate(texts, start=1)]

# Killed between two batches, when part of the rows is at the server.
KILLED = """
import os, signal, sys
import numpy as np
from ragaliq.retrieve.index.store import VectorStore

class Rows(np.ndarray):
    def __getitem__(self, key):
        if isinstance(key, slice) and key.start:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(key)

ids = [f"d{i}" for i in reversed(range(2500))]
VectorStore(None, sys.argv[1]).vectors(sys.argv[2], ids, lambda: np.ones((2500, 4), dtype=np.float32).view(Rows))
"""

# Writes rows of its own number, begins together with the others, and says what is stored in the end.
WRITER = """
import sys
import numpy as np
from ragaliq.retrieve.index.store import VectorStore

def make():
    print("ready", flush=True)
    sys.stdin.readline()
    return np.full((2500, 4), int(sys.argv[3]), dtype=np.float32)

ids = [f"d{i}" for i in reversed(range(2500))]
found = VectorStore(None, sys.argv[1]).vectors(sys.argv[2], ids, make)
print(found.shape, *sorted({int(value) for value in found.ravel()}))
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    running = ChromaServer(tmp_path_factory.mktemp("chroma"))
    yield running
    running.kill()


def start(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SRC), "HOME": os.environ.get("HOME", "/")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=env, **pipes)  # type: ignore[call-overload,no-any-return]


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


def test_vectors_come_back_bit_by_bit_in_the_order_of_the_ids(server: ChromaServer, rows: Vectors) -> None:
    first = VectorStore(None, server.address).vectors("bits", IDS, lambda: rows)
    again = VectorStore(None, server.address).vectors("bits", IDS, never)
    for found in (first, again):
        assert found.dtype == np.float32
        assert found.tobytes() == rows.tobytes()


def test_vectors_that_are_long_fit_into_the_requests(server: ChromaServer) -> None:
    # Together they are more than the server takes in one request.
    long = np.random.default_rng(0).normal(size=(520, 16384)).astype(np.float32)
    VectorStore(None, server.address).collection("long", IDS[:520], lambda: long)
    (stored,) = [c for c in server_client(server.address).list_collections() if c.count() == 520]
    for place in (0, 519):
        kept = stored.get([IDS[place]], include=["embeddings"])["embeddings"]
        assert np.asarray(kept, dtype=np.float32).tobytes() == long[place].tobytes()


def test_the_server_wins_over_the_folder(server: ChromaServer, tmp_path: Path) -> None:
    VectorStore(tmp_path / "index", server.address).vectors("wins", ["a"], lambda: np.ones((1, 2), dtype=np.float32))
    assert not (tmp_path / "index").exists()
    assert VectorStore(None, server.address).vectors("wins", ["a"], never).tolist() == [[1, 1]]


@pytest.mark.parametrize("search", ["exact", "approximate"])
@pytest.mark.parametrize("kind", [HybridRetriever, DenseRetriever])
def test_the_ranking_is_that_of_the_embedded_store(
    server: ChromaServer, kind: type[HybridRetriever], search: str
) -> None:
    there, here = kind(CharNgramEmbedder(256), None, server.address, search), kind(CharNgramEmbedder(256))
    for retriever in (there, here):
        retriever.index(CHUNKS)
    for lang, (question, *_) in CORPUS.items():
        query = Query("q1", lang, question)
        found, expected = there.retrieve(query, 10), here.retrieve(query, 10)
        assert [(hit.chunk, hit.rank) for hit in found] == [(hit.chunk, hit.rank) for hit in expected]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=3e-6)
        assert found[0].chunk == chunk("d1", CORPUS[lang][1], lang)


def test_what_a_kill_left_half_written_is_not_taken_for_an_index_and_is_cleared_away(
    server: ChromaServer, rows: Vectors
) -> None:
    before = set(server.names())
    killed = start(KILLED, server.address, "killed")
    _, error = killed.communicate(timeout=100)
    assert killed.returncode == -signal.SIGKILL, error
    (draft,) = set(server.names()) - before
    left = server_client(server.address).get_collection(draft, embedding_function=None)
    assert 0 < left.count() < N, "the writer must be killed half-way"
    assert VectorStore(None, server.address).vectors("killed", IDS, lambda: rows).tobytes() == rows.tobytes()
    assert VectorStore(None, server.address).vectors("killed", IDS, never).tobytes() == rows.tobytes()
    (whole,) = set(server.names()) - before
    assert draft.startswith(f"{whole}-")


def test_of_processes_that_write_at_once_all_read_the_same_whole_collection(server: ChromaServer) -> None:
    before = set(server.names())
    writers = [start(WRITER, server.address, "at once", number) for number in "123"]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"\n")
        writer.stdin.flush()
    said = [writer.communicate(timeout=100) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0, 0], said
    assert len({out for out, _ in said}) == 1
    assert said[0][0] in {b"(2500, 4) %d\n" % number for number in (1, 2, 3)}
    assert len(set(server.names()) - before) == 1


def test_an_interrupted_writer_leaves_nothing(server: ChromaServer) -> None:
    class Rows(np.ndarray):
        def __getitem__(self, key: Any, /) -> Any:
            if isinstance(key, slice) and key.start:
                raise KeyboardInterrupt
            return super().__getitem__(key)

    before = server.names()
    with pytest.raises(KeyboardInterrupt):
        VectorStore(None, server.address).vectors("stopped", IDS, lambda: np.ones((N, 4), dtype=np.float32).view(Rows))
    assert server.names() == before


def test_an_error_of_the_embedder_is_not_told_as_the_servers(server: ChromaServer) -> None:
    class Broken:
        def __str__(self) -> str:
            return "broken"

        def embed(self, texts: object, side: Side) -> Vectors:
            raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        DenseRetriever(Broken(), None, server.address).index(CHUNKS[:2])


def test_a_server_that_is_gone_is_one_line_that_says_how_to_start_it(tmp_path: Path) -> None:
    server = ChromaServer(tmp_path)
    retriever = DenseRetriever(CharNgramEmbedder(16), None, server.address, "approximate")
    retriever.index(CHUNKS[:2])
    server.kill()
    start_one = f"start one with `chroma run --host 127.0.0.1 --port {server.port} --path FOLDER`"
    with pytest.raises(InputError) as caught:
        DenseRetriever(CharNgramEmbedder(16), None, server.address).index(CHUNKS[:2])
    assert f"{server.address}: no Chroma server answers (" in str(caught.value)
    assert start_one in str(caught.value)
    assert "\n" not in str(caught.value)
    for call in (
        lambda: retriever.retrieve(Query("q1", "en", "boat"), 5),
        lambda: retriever.index(CHUNKS[2:4]),
    ):
        # What has answered before comes back, perhaps.
        with pytest.raises(Stopped) as stopped:
            call()
        assert f"{server.address}: the Chroma server went away (" in str(stopped.value)
        assert "start it again, the same command goes on" in str(stopped.value)
        assert "\n" not in str(stopped.value)


def test_what_the_server_refuses_is_one_line(server: ChromaServer) -> None:
    uneven = np.ones((2, 3), dtype=np.float32)
    store = VectorStore(None, server.address).collection("refused", ["a", "b"], lambda: uneven)
    with pytest.raises(InputError, match=f"{server.address}: the Chroma server fails"):
        store.nearest(np.ones(4, dtype=np.float32), 1)
