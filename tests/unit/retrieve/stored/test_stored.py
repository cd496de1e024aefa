"""An index on disk finds what the index in memory finds, score for score, whatever the size of its blocks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fakes import chunk
from ragaliq.errors import ConfigError, InputError
from ragaliq.retrieve import Embedder, Side
from ragaliq.retrieve.channels import ChannelRetriever
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.hybrid import Bm25Retriever, CharRetriever, DenseRetriever, HybridRetriever
from ragaliq.retrieve.stored import blocks
from ragaliq.retrieve.stored.build import CorpusSource, IndexPlan, build_index
from ragaliq.retrieve.stored.index import StoredIndex
from ragaliq.retrieve.stored.strings import StoredStrings, write_strings
from ragaliq.types import Chunk, Query

TERMS = st.sampled_from(["red", "boats", "boat", "船", "红船", "лодка", "лодки", "नाव", "เรือ", "sail", "Ö", "№7"])
TEXTS = st.lists(st.lists(TERMS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=12)


class HashEmbedder:
    """Eight numbers of a text's hash, so that each text has one vector wherever it is embedded."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def __str__(self) -> str:
        return "hash"

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        if side is Side.PASSAGE:
            self.embedded += texts
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest()[:8], dtype=np.uint8) for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), 8) - 100
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def retrievers(embedder: Embedder) -> list[ChannelRetriever]:
    return [
        Bm25Retriever(k1=1.2, stopwords=["red"]),
        CharRetriever(),
        DenseRetriever(embedder),
        HybridRetriever(embedder),
    ]


def built(folder: Path, chunks: Sequence[Chunk], retriever: ChannelRetriever, embedder: Embedder | None) -> StoredIndex:
    parts = retriever.stored_parts()  # type: ignore[attr-defined]
    plan = IndexPlan({"name": "n", "hash": "h"}, parts.channels, embedder if parts.vectors else None, True, {})
    langs = sorted({one.lang for one in chunks})
    sources = [
        CorpusSource(lang, lambda lang=lang: [one for one in chunks if one.lang == lang], lambda: "d")  # type: ignore[misc]
        for lang in langs
    ]
    build_index(folder, sources, plan)
    return StoredIndex(folder)


@given(st.integers(0, 3), TEXTS, TERMS, st.integers(1, 5), st.sampled_from(["en", "ru", "zh"]))
def test_an_index_on_disk_finds_what_one_in_memory_finds(
    number: int, texts: list[str], asked: str, size: int, lang: str
) -> None:
    chunks = [chunk(f"d{number * 13 % len(texts)}", text, lang, f"red {number}") for number, text in enumerate(texts)]
    query = Query("q", lang, f"{asked} boat")
    embedder = HashEmbedder()
    retriever = retrievers(embedder)[number]
    retriever.index(chunks)
    expected = retriever.retrieve(query, 5)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", size)
        stored = built(Path(folder), chunks, retriever, embedder)
        there = retrievers(embedder)[number]
        there.index(stored.corpora[lang])
        assert there.retrieve(query, 5) == expected
        assert not (Path(folder) / "drafts").exists()


@given(st.sets(st.text(max_size=4), max_size=20), st.text(max_size=4))
def test_stored_strings_are_at_their_places(texts: set[str], other: str) -> None:
    ascending = sorted(texts)
    with TemporaryDirectory() as folder:
        write_strings(Path(folder), "s", ascending)
        stored = StoredStrings(Path(folder), "s")
        assert list(stored) == ascending
        assert [stored.place(text) for text in ascending] == list(range(len(ascending)))
        assert (stored.place(other) is not None) == (other in texts)


CHUNKS = [chunk(f"d{n}", text) for n, text in enumerate(["red boat", "blue boat", "green sail", "white sail", "gate"])]


def test_a_stopped_build_goes_on_behind_the_last_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Fails(HashEmbedder):
        def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
            if "green sail" in texts:
                raise KeyboardInterrupt
            return super().embed(texts, side)

    monkeypatch.setattr(blocks, "BLOCK", 2)
    first, second = Fails(), HashEmbedder()
    with pytest.raises(KeyboardInterrupt):
        built(tmp_path / "i", CHUNKS, DenseRetriever(first), first)
    with pytest.raises(InputError, match="no index here"):
        StoredIndex(tmp_path / "i")
    built(tmp_path / "i", CHUNKS, DenseRetriever(second), second)
    assert (first.embedded, second.embedded) == (["red boat", "blue boat"], ["green sail", "white sail", "gate"])
    third = HashEmbedder()
    built(tmp_path / "i", CHUNKS, DenseRetriever(third), third)
    assert third.embedded == []


def test_a_block_is_kept_with_the_blocks_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 1)

    def made(kind: str, *texts: str) -> list[str]:
        done: list[str] = []

        def make(block: Sequence[str]) -> blocks.Arrays:
            done.extend(block)
            return {"texts": np.array(block)}

        arrays = [str(one["texts"][0]) for one in blocks.IndexBlocks(tmp_path, kind).each(texts, make, lambda _: None)]
        assert arrays == list(texts)
        return done

    assert made("words", "boat", "sail") == ["boat", "sail"]
    assert made("words", "boat", "sail", "gate") == ["gate"]
    # The terms of "sail" have other numbers after other terms.
    assert made("words", "ship", "sail") == ["ship", "sail"]
    assert made("chars", "boat") == ["boat"]


def refusal(folder: Path, retriever: ChannelRetriever) -> str:
    with pytest.raises(InputError) as error:
        retriever.index(StoredIndex(folder).corpora["en"])
    return str(error.value).replace(f"{folder}/", "")


def test_another_retriever_than_the_index_has_is_refused(tmp_path: Path) -> None:
    folder, embedder = tmp_path / "i", HashEmbedder()
    built(folder, CHUNKS, Bm25Retriever(), None)
    assert refusal(folder, DenseRetriever(embedder)) == (
        "index.json: languages.en.vectors: is not in this index; index again with the same retriever as the run"
    )
    assert refusal(folder, Bm25Retriever(k1=2)) == (
        "index.json: languages.en.words.k1: 0.9 in this index, 2 wanted; index again with the same retriever and "
        "embedder as the run"
    )
    assert "index.json: title: True in this index, False wanted" in refusal(folder, Bm25Retriever(title=False))
    with pytest.raises(InputError, match="channels: is another one in this index"):
        built(folder, CHUNKS, Bm25Retriever(b=0.1), None)


def test_a_damaged_or_foreign_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    stored = built(folder, CHUNKS, Bm25Retriever(), None)
    with pytest.raises(InputError, match=r"data\.hash: the index is of other data"):
        stored.check("other", ["en"])
    with pytest.raises(InputError, match="languages: has no 'de'"):
        stored.check("h", ["de"])
    file = folder / "en" / "words" / "docs.bin"
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(InputError, match=r"files\.en/words/docs\.bin: has 36 bytes in this index, and not here"):
        StoredIndex(folder)
    (folder / "index.json").write_text(json.dumps({"format": "other"}), encoding="utf-8")
    with pytest.raises(InputError, match="index again"):
        StoredIndex(folder)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is neither empty nor an index"):
        built(tmp_path / "notes", CHUNKS, Bm25Retriever(), None)


def test_what_cannot_be_indexed_is_named(tmp_path: Path) -> None:
    fitted = CharNgramEmbedder(8)
    with pytest.raises(ConfigError, match="learns from the whole corpus"):
        built(tmp_path / "fitted", CHUNKS, DenseRetriever(fitted), fitted)
    with pytest.raises(InputError, match="doc id 'd1' occurs twice"):
        built(tmp_path / "twice", [*CHUNKS, chunk("d1", "again")], Bm25Retriever(), None)
    with pytest.raises(InputError, match="no document holds text"):
        built(tmp_path / "blank", [chunk("d1", " ")], Bm25Retriever(), None)
