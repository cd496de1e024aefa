"""Building an index on disk: chunks, postings and vectors of each language, in blocks that a stop does not lose."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.execution.progress import StageProgress, watched
from ragaliq.retrieve import Embedder
from ragaliq.retrieve.bm25 import Analysis
from ragaliq.retrieve.stored.chunks import StoredChunks, write_chunks
from ragaliq.retrieve.stored.index import FORMAT
from ragaliq.retrieve.stored.passages import INDEX_FILE, StoredTexts, channel_settings
from ragaliq.retrieve.stored.postings import Bm25Settings, write_postings
from ragaliq.retrieve.stored.vectors import check_ahead, write_vectors
from ragaliq.storage.files import read_json, write_json
from ragaliq.storage.lock import locked
from ragaliq.types import Chunk


@dataclass(frozen=True, slots=True)
class CorpusSource:
    """The documents of one language: where they are read from, and the hash of what was read."""

    lang: str
    chunks: Callable[[], Iterable[Chunk]]
    hash: Callable[[], str]


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """What an index holds.

    Attributes:
        data: name and hash of the data.
        channels: the lexical channels, each with BM25's k1 and b.
        embedder: of the vectors; None for none.
        title: titles are indexed with the texts.
        versions: of the packages that decide it.
    """

    data: Mapping[str, str]
    channels: tuple[tuple[Analysis, float, float], ...]
    embedder: Embedder | None
    title: bool
    versions: Mapping[str, str | None]


def build_index(out: Path, sources: Iterable[CorpusSource], plan: IndexPlan) -> None:
    """Write an index; the same call after a kill goes on behind the last whole block. A whole index is left alone.

    `index.json` is written last: a folder without it is no index.

    Raises:
        InputError: if the folder holds anything else or an index of something else, or a corpus cannot be read.
        ConfigError: if the embedder cannot embed block by block.
    """
    if plan.embedder is not None:
        check_ahead(plan.embedder)
    busy = "another process is building this index; wait for it"
    with locked(out, str(out), busy=busy, remedy="give another folder with --out", folder=True):
        drafts = out / "drafts"
        begun = _begin(out, plan)
        if begun is not None:
            return
        languages = {
            source.lang: _language(out / source.lang, drafts / source.lang, source, plan) for source in sources
        }
        files = {
            path.relative_to(out).as_posix(): path.stat().st_size
            for lang in languages
            for path in sorted((out / lang).rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        }
        write_json(out / INDEX_FILE, {**_identity(plan), "languages": languages, "files": files})
        (out / "building.json").unlink(missing_ok=True)
        shutil.rmtree(drafts, ignore_errors=True)


def _identity(plan: IndexPlan) -> dict[str, Any]:
    channels = {"chars" if one.chars else "words": channel_settings(one, k1, b) for one, k1, b in plan.channels}
    vectors = None if plan.embedder is None else str(plan.embedder)
    return {
        "format": FORMAT, "data": dict(plan.data), "title": plan.title, "channels": channels, "vectors": vectors,
        "versions": dict(plan.versions),
    }  # fmt: skip


def _begin(out: Path, plan: IndexPlan) -> bool | None:
    """Note what is built here; return True if it is all there already.

    Raises:
        InputError: if something else is here.
    """
    building, whole = out / "building.json", out / INDEX_FILE
    identity = _identity(plan)
    for file in (whole, building):
        if file.is_file():
            earlier = read_json(file)
            different = [key for key, value in identity.items() if earlier.get(key) != value]
            if different:
                raise InputError(
                    f"{file}: {different[0]}: is another one in this index; give another folder with --out"
                )
            return True if file == whole else None
    if any(out.iterdir()):
        raise InputError(f"{out}: is neither empty nor an index; give another folder with --out")
    write_json(building, identity)
    return None


def _language(folder: Path, drafts: Path, source: CorpusSource, plan: IndexPlan) -> dict[str, Any]:
    """Write the files of one language, and return what `index.json` says of them."""
    done = drafts / "chunks.json"
    if not done.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        chunks = watched(source.chunks(), f"reading {source.lang}", unit="doc")
        n = write_chunks(folder, chunks, f"corpus '{source.lang}'")
        drafts.mkdir(parents=True, exist_ok=True)
        write_json(done, {"n": n, "documents": source.hash()})
    made: dict[str, Any] = dict(read_json(done))
    texts = StoredTexts(StoredChunks(folder), plan.title)
    for analysis, k1, b in plan.channels:
        name = "chars" if analysis.chars else "words"
        settings = channel_settings(analysis, k1, b)
        with StageProgress(f"counting {name} of {source.lang}", len(texts), "text") as progress:
            bm25 = Bm25Settings(analysis.analyzer(source.lang), f"{source.lang} {settings}", k1, b)
            write_postings(folder / name, texts, bm25, drafts / name, progress.step)
        made[name] = settings
    if plan.embedder is not None:
        with StageProgress(f"embedding {source.lang}", len(texts), "text") as progress:
            figures = write_vectors(folder / "vectors", texts, plan.embedder, drafts / "vectors", progress.step)
        made["vectors"] = {"embedder": str(plan.embedder), **figures}
    return made
