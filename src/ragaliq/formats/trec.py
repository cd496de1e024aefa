"""TREC run files: `qid Q0 doc_id rank score tag`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.io import read_text, write_atomic


@dataclass(frozen=True, slots=True)
class ScoredDoc:
    """One line of a run."""

    doc_id: str
    score: float


Run = Mapping[str, Sequence[ScoredDoc]]


def write_run(path: Path, run: Run, tag: str) -> None:
    """Write a run, queries sorted by id; scores are written so that reading them back gives the same floats.

    Raises:
        InputError: if a score is not a finite number.
    """
    for query_id, docs in run.items():
        if not all(math.isfinite(doc.score) for doc in docs):
            raise InputError(f"{path}: query '{query_id}' has a score that is not a finite number; mend the retriever")
    lines = [
        line
        for query_id in sorted(run)
        for line in run_lines(query_id, [(doc.doc_id, doc.score) for doc in run[query_id]], tag)
    ]
    write_atomic(path, "".join(lines).encode("utf-8"))


def run_lines(query_id: str, ranked: Sequence[tuple[str, float]], tag: str) -> list[str]:
    """Return the lines of one query's `(doc id, score)`, best first."""
    return [f"{query_id} Q0 {doc_id} {rank} {score!r} {tag}\n" for rank, (doc_id, score) in enumerate(ranked, start=1)]


def read_run(path: Path) -> dict[str, list[ScoredDoc]]:
    """Read a run; documents stay in the order of the file.

    A doc id may contain spaces, so a line is taken apart from both ends.

    Raises:
        InputError: with file and line, if a line has fewer than six columns, a score is no finite number, or a
            document stands twice under a query.
    """
    run: dict[str, list[ScoredDoc]] = {}
    for query_id, doc in read_run_lines(read_text(path).split("\n"), str(path)):
        run.setdefault(query_id, []).append(doc)
    return run


def read_run_lines(lines: Iterable[str], name: str, first: int = 1) -> Iterator[tuple[str, ScoredDoc]]:
    """Yield `(query id, scored document)` for each line that is not blank; `name` and `first` name lines in errors.

    Raises:
        InputError: as `read_run`.
    """
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(lines, start=first):
        if not line.strip():
            continue
        if len(line.split()) < 6:
            raise InputError(f"{name}:{number}: a run line has six columns (qid Q0 doc_id rank score tag)")
        query_id, _, rest = line.split(maxsplit=2)
        doc_id, _, written, _ = rest.rsplit(maxsplit=3)
        try:
            score = float(written)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise InputError(f"{name}:{number}: score '{written}' is not a finite number")
        if (query_id, doc_id) in seen:
            raise InputError(f"{name}:{number}: document '{doc_id}' stands twice under query '{query_id}'")
        seen.add((query_id, doc_id))
        yield query_id, ScoredDoc(doc_id, score)
