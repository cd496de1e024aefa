"""An index on disk, opened: its manifest, and the corpus of each language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError, listed
from ragaliq.retrieve.stored.chunks import ChunksById, StoredChunks
from ragaliq.retrieve.stored.passages import INDEX_FILE, StoredPassages
from ragaliq.storage.files import read_json
from ragaliq.storage.own_json import misfit
from ragaliq.types import Chunk

FORMAT = "ragaliq-index-1"
_SHAPE = {
    "format": frozenset({FORMAT}),
    "data": {"name": str, "hash": str},
    "title": bool,
    "languages": {str: {"n": int, "documents": str, str: object}},
    "files": {str: int},
    str: object,
}


class StoredCorpus(Sequence[Chunk]):
    """The chunks of one language of an index, with the passages that a retriever opens."""

    def __init__(self, chunks: StoredChunks, lang: str, parts: Mapping[str, Any], title: bool) -> None:
        self._chunks = chunks
        self._parts = parts
        self._title = title
        self.lang = lang
        self.by_id: Mapping[str, Chunk] = ChunksById(chunks)

    def passages(self, title: bool) -> StoredPassages:
        """Return the passages.

        Raises:
            InputError: if the index has titles and the retriever wants none, or the other way round.
        """
        folder = self._chunks.folder
        if title != self._title:
            raise InputError(
                f"{folder.parent / INDEX_FILE}: title: {self._title} in this index, {title} wanted; index again"
            )
        return StoredPassages(self.lang, folder, self._parts, title)

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._chunks)

    def __getitem__(self, place: int) -> Chunk:  # type: ignore[override]
        """Return the chunk at a place, in the order of the doc ids."""
        return self._chunks[place]

    def __iter__(self) -> Iterator[Chunk]:
        """Yield the chunks in their order."""
        return iter(self._chunks)


class StoredIndex:
    """The folder that `ragaliq index` wrote.

    Attributes:
        data_hash: of the data that were indexed.
        corpora: by language.
        documents: hash of each language's documents, in their order.
    """

    def __init__(self, folder: Path) -> None:
        """Read the manifest, and see that its files are there.

        Raises:
            InputError: if the folder is no index, or a file of it is missing or has another size.
        """
        file = folder / INDEX_FILE
        if not file.is_file():
            raise InputError(f"{folder}: no index here ({INDEX_FILE} is missing); `ragaliq index` writes one")
        manifest = read_json(file)
        wrong = misfit(manifest, _SHAPE)
        if wrong:
            raise InputError(f"{file}: {wrong}; index again")
        for name, size in manifest["files"].items():
            path = folder / name
            if not path.is_file() or path.stat().st_size != size:
                raise InputError(f"{file}: files.{name}: has {size} bytes in this index, and not here; index again")
        self.file = file
        self.data_hash = str(manifest["data"]["hash"])
        languages = manifest["languages"]
        self.documents = {lang: str(parts["documents"]) for lang, parts in languages.items()}
        self.corpora = {
            lang: StoredCorpus(StoredChunks(folder / lang), lang, parts, manifest["title"])
            for lang, parts in languages.items()
        }

    def check(self, data_hash: str, langs: Sequence[str]) -> None:
        """Refuse to be used for other data, or a language that is not indexed.

        Raises:
            InputError: that names file and field.
        """
        if data_hash != self.data_hash:
            raise InputError(f"{self.file}: data.hash: the index is of other data than --data; index those")
        for lang in langs:
            if lang not in self.corpora:
                raise InputError(
                    f"{self.file}: languages: has no '{lang}', {listed(list(self.corpora))}; index it, too"
                )
