"""The chunks that a run retrieved, with their whole texts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragaliq.benchmark.kb_language import knowledge_base, retrieval_units
from ragaliq.config import SAME
from ragaliq.errors import InputError
from ragaliq.runs.benchmark import run_benchmark
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rankings import Rankings
from ragaliq.types import Chunk

# LGTM@10: the reviewer sees the first ten.
DEPTH = 10


class RunRankings:
    """The rankings of one run. Texts come from the benchmark: the context of an answer may be cut to fit a reader."""

    def __init__(self, run: RunFolder, data: Path | None = None) -> None:
        """Note where the texts are; nothing is read yet.

        Args:
            run: the run.
            data: the benchmark; None takes the path in the run's configuration.
        """
        self._run = run
        self._data = data
        self._rankings: dict[str, Rankings] = {}

    def passages(self, lang: str, query_id: str) -> tuple[str, ...]:
        """Return the texts of the first ten chunks, best first; none if nothing was retrieved.

        Raises:
            InputError: if the run has no rankings of the language, or the benchmark is not there, is another one, or
                lacks a chunk.
        """
        if lang not in self._rankings:
            path = self._run.retrieval_file(lang)
            if not path.is_file():
                raise InputError(f"{path}: is missing, so there is nothing to look at; leave that run or language out")
            self._rankings[lang] = Rankings(path, self._chunks(lang))
        rankings = self._rankings[lang]
        return tuple(hit.chunk.text for hit in rankings.hits(query_id)[:DEPTH]) if query_id in rankings else ()

    def _chunks(self, lang: str) -> Mapping[str, Chunk]:
        benchmark = run_benchmark(self._run, [lang], self._data)
        kb_lang = str(self._run.config()["system"].get("kb_lang", SAME))
        return {chunk.doc_id: chunk for chunk in retrieval_units(knowledge_base(benchmark, kb_lang, lang), kb_lang)}
