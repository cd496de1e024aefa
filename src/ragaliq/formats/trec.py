"""TREC run files: `qid Q0 doc_id rank score tag`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
        f"{query_id} Q0 {doc.doc_id} {rank} {doc.score!r} {tag}\n"
        for query_id in sorted(run)
        for rank, doc in enumerate(run[query_id], start=1)
    ]
    write_atomic(path, "".join(lines).encode("utf-8"))


def read_run(path: Path) -> dict[str, list[ScoredDoc]]:
    """Read a run; documents stay in the order of the file.

    A doc id may contain spaces, so a line is taken apart from both ends.

    Raises:
        InputError: with file and line, if a line has fewer than six columns, a score is no finite number, or a
            document stands twice under a query.
    """
    run: dict[str, list[ScoredDoc]] = {}
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        if len(line.split()) < 6:
            raise InputError(f"{path}:{number}: a run line has six columns (qid Q0 doc_id rank score tag)")
        query_id, _, rest = line.split(maxsplit=2)
        doc_id, _, written, _ = rest.rsplit(maxsplit=3)
        try:
            score = float(written)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise InputError(f"{path}:{number}: score '{written}' is not a finite number")
        if (query_id, doc_id) in seen:
            raise InputError(f"{path}:{number}: document '{doc_id}' stands twice under query '{query_id}'")
        seen.add((query_id, doc_id))
        run.setdefault(query_id, []).append(ScoredDoc(doc_id, score))
    return run
