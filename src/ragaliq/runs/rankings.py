"""The ranked chunks of each query in one language of a run: a TREC file that grows query by query."""

from __future__ import annotations

import math
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.trec.run import read_run_lines, run_lines
from ragaliq.storage.files import naming, open_file, write_lines
from ragaliq.types import Chunk, Hit

TAG = "ragaliq"


def is_growing(path: Path) -> bool:
    """Return whether a file was not written again since rankings were added to it."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        before = b"\n"
        while block := file.read(2**20):
            if b"\n\n" in before + block:
                return True
            before = block[-1:]
    return False


def join_rankings(paths: Sequence[Path], out: Path) -> None:
    """Write the rankings of several files as one, sorted by query id.

    Raises:
        InputError: if a query is in two of the files.
    """
    by_query: dict[str, Rankings] = {}
    for path in paths:
        rankings = Rankings(path, None)
        for query_id in rankings.query_ids():
            other = by_query.setdefault(query_id, rankings)
            if other is not rankings:
                raise InputError(f"{path}: query '{query_id}' is in {other.path}, too; an item belongs to one run")
    lines = (line for query_id in sorted(by_query) for line in by_query[query_id].lines([query_id]))
    write_lines(out, lines)


class Rankings:
    """Hits by query, read back from the file. A ranking survives a kill of the process when `append` returns.

    While the file grows, a blank line stands before and behind each new ranking: lines behind the last blank line are
    what a kill left of one. Written again, the file has none.
    """

    def __init__(self, path: Path, chunks: Mapping[str, Chunk] | None) -> None:
        """Read the TREC run, if there is one; `chunks` is the corpus by doc id, None where no hit is read or added.

        Raises:
            InputError: if the file is no run, or names a document that the corpus lacks.
        """
        self.path = path
        self._chunks = {} if chunks is None else chunks
        self._checked = chunks is not None
        self._places: dict[str, tuple[int, int]] = {}
        self._begun = False
        self._whole = 0
        self._read()

    def __contains__(self, query_id: object) -> bool:
        """Return whether a query is ranked."""
        return query_id in self._places

    def query_ids(self) -> list[str]:
        """Return the ranked queries, sorted."""
        return sorted(self._places)

    def hits(self, query_id: str) -> list[Hit]:
        """Return a query's chunks, best first."""
        start, size = self._places[query_id]
        with self.path.open("rb") as file:
            file.seek(start)
            docs = [doc for _, doc in read_run_lines(self._text(file.read(size)).split("\n"), str(self.path))]
        return [Hit(self._chunks[doc.doc_id], doc.score, rank) for rank, doc in enumerate(docs, start=1)]

    def append(self, query_id: str, hits: Sequence[Hit]) -> list[Hit]:
        """Add a ranking, and return it as `hits` will.

        Programs read a run by its scores. Where these rise along the order, as when somebody's code sorts hits anew,
        each is replaced by the number of hits from there to the end.

        Raises:
            InputError: if a score is not a finite number.
        """
        foreign = next((hit.chunk.doc_id for hit in hits if hit.chunk.doc_id not in self._chunks), None)
        if foreign is not None:
            raise InputError(
                f"query '{query_id}': retriever or reranker returned '{foreign}', which is no chunk of this corpus; "
                "fix it"
            )
        # The scores of other people's code may be numpy's.
        ranked = [(hit.chunk.doc_id, float(hit.score)) for hit in hits]
        if not all(math.isfinite(score) for _, score in ranked):
            raise InputError(f"query '{query_id}' has a score that is not a finite number; fix retriever or reranker")
        if any(after > before for (_, before), (_, after) in pairwise(ranked)):
            ranked = [(doc_id, float(len(ranked) - place)) for place, (doc_id, _) in enumerate(ranked)]
        data = "".join(run_lines(query_id, ranked, TAG)).encode("utf-8")
        lead = b"" if self._begun else b"\n\n"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        start = self.path.stat().st_size if self.path.exists() else 0
        if not self._begun and self._whole < start:
            # What a kill left of the last ranking.
            os.truncate(self.path, self._whole)
            start = self._whole
        try:
            with naming(self.path), open_file(self.path, "ab") as file:
                file.write(lead + data + b"\n")
        except OSError:
            # On a full disk the next ranking would join what was written of this one.
            with suppress(OSError):
                os.truncate(self.path, start)
            raise
        self._begun = True
        self._places[query_id] = (start + len(lead), len(data))
        return [Hit(hit.chunk, score, n) for n, (hit, (_, score)) in enumerate(zip(hits, ranked, strict=True), start=1)]

    def sync(self) -> None:
        """Wait until all rankings are on disk."""
        if self.path.exists():
            with naming(self.path), open_file(self.path, "ab") as file:
                os.fsync(file.fileno())

    def rewrite(self) -> None:
        """Write the file again, sorted by query id."""
        if self._places:
            write_lines(self.path, self.lines(self.query_ids()))
            self._read()

    def lines(self, query_ids: Sequence[str]) -> Iterable[bytes]:
        """Yield the rankings of some queries as they are in the file."""
        with self.path.open("rb") as file:
            for query_id in query_ids:
                start, size = self._places[query_id]
                file.seek(start)
                if size:
                    yield file.read(size).removesuffix(b"\n")

    def _read(self) -> None:
        """Note where each query's lines stand, and where whole rankings end."""
        self._places, self._begun, self._whole = {}, False, 0
        if not self.path.is_file():
            return
        start = whole = 0
        torn: set[str] = set()
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if whole and not line.endswith(b"\n"):
                    break
                text = self._text(line)
                # A byte order mark is no part of the first ranking, which may be written elsewhere in the file.
                mark = len(line) - len(line.removeprefix(BOM_UTF8)) if number == 1 else 0
                if text.strip():
                    torn.add(self._note(text, number, start + mark, len(line) - mark))
                else:
                    whole, torn = start + len(line), set()
                start += len(line)
        self._whole = whole or start
        if whole:
            self._places = {query_id: place for query_id, place in self._places.items() if query_id not in torn}

    def _note(self, line: str, number: int, start: int, size: int) -> str:
        """Note a line as the first or the next one of its query's ranking, and return the query's id."""
        ((query_id, doc),) = read_run_lines([line], str(self.path), number)
        if self._checked and doc.doc_id not in self._chunks:
            raise InputError(f"{self.path}: '{doc.doc_id}' is no chunk of this corpus; begin anew with --fresh")
        first, before = self._places.get(query_id, (start, 0))
        # Of two rankings of a query the last one counts.
        self._places[query_id] = (first, before + size) if first + before == start else (start, size)
        return query_id

    def _text(self, data: bytes) -> str:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(f"{self.path}: not UTF-8; begin anew with --fresh") from None
