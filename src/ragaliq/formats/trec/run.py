"""TREC run files: `qid Q0 doc_id rank score tag`."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.streams import read_lines

_RANK = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class ScoredDoc:
    """One line of a run."""

    doc_id: str
    score: float


@dataclass(frozen=True, slots=True)
class RankedRun:
    """A run with its column of ranks; queries and documents stand in the order of the file.

    Attributes:
        scores: query id → document → score.
        ranks: query id → the rank written beside each document, in the same order; NaN for what is no whole number,
            and in a run of MS MARCO, whose ranks are the scores.
    """

    scores: dict[str, dict[str, float]]
    ranks: dict[str, array[float]]


def run_lines(query_id: str, ranked: Sequence[tuple[str, float]], tag: str) -> list[str]:
    """Return the lines of one query's `(doc id, score)`, best first."""
    return [f"{query_id} Q0 {doc_id} {rank} {score!r} {tag}\n" for rank, (doc_id, score) in enumerate(ranked, start=1)]


def read_run(path: Path) -> dict[str, list[ScoredDoc]]:
    """Read a run as `read_ranked_run` does, without its ranks."""
    scores = read_ranked_run(path).scores
    return {query_id: [ScoredDoc(doc_id, score) for doc_id, score in docs.items()] for query_id, docs in scores.items()}


def read_ranked_run(path: Path) -> RankedRun:
    """Read a run with its ranks, in one pass. `.gz` is decompressed.

    A doc id may contain spaces, so a line is taken apart from both ends. A file whose first line has three columns,
    `qid doc_id rank`, is a run of MS MARCO: its scores are the ranks, negative.

    Raises:
        InputError: with file and line, if a line has fewer than six columns, a score is no finite number, a rank of
            MS MARCO is no whole number, or a document occurs twice under a query.
    """
    first = next((line for _, line in read_lines(path) if line.strip()), "")
    is_trec = first.count("\t") != 2 and len(first.split()) != 3
    split = _scored if is_trec else _ranked
    run = RankedRun({}, {})
    query = None
    docs: dict[str, float] = {}
    ranks = array("d")
    for number, line in read_lines(path):
        cells = line.split()
        # There may be millions of lines, and nearly all are plain; the others are taken apart with care.
        if is_trec and len(cells) == 6 and math.isfinite(score := _number(cells[4])):
            query_id, _, doc_id, rank, _, _ = cells
        elif cells:
            query_id, doc_id, rank, score = split(line, f"{path}:{number}")
        else:
            continue
        if query_id != query:
            query = query_id
            docs, ranks = run.scores.setdefault(query_id, {}), run.ranks.setdefault(query_id, array("d"))
        if doc_id in docs:
            raise _twice(query_id, doc_id, f"{path}:{number}")
        docs[doc_id] = score
        ranks.append(float(rank) if rank.isdecimal() else math.nan)
    return run


def read_run_lines(lines: Iterable[str], name: str, first: int = 1) -> Iterator[tuple[str, ScoredDoc]]:
    """Yield `(query id, scored document)` for each line that is not blank; `name` and `first` name lines in errors."""
    seen: dict[str, set[str]] = {}
    for number, line in enumerate(lines, start=first):
        if not line or line.isspace():
            continue
        query_id, doc_id, _, score = _scored(line, f"{name}:{number}")
        docs = seen.setdefault(query_id, set())
        if doc_id in docs:
            raise _twice(query_id, doc_id, f"{name}:{number}")
        docs.add(doc_id)
        yield query_id, ScoredDoc(doc_id, score)


def _twice(query_id: str, doc_id: str, where: str) -> InputError:
    return InputError(f"{where}: document '{doc_id}' occurs twice under query '{query_id}'; remove one")


def _scored(line: str, where: str) -> tuple[str, str, str, float]:
    """Return query id, doc id, rank as written, score."""
    cells = line.split()
    if len(cells) < 6:
        raise InputError(f"{where}: a run line has six columns (qid Q0 doc_id rank score tag)")
    if len(cells) > 6 and not _is_ranking(cells[-3:-1]) and _is_ranking(cells[3:5]):
        # As in trec_eval, what stands behind the tag is ignored.
        return cells[0], cells[2], cells[3], float(cells[4])
    doc_id, rank, written = cells[2], cells[3], cells[4]
    if len(cells) > 6:
        doc_id, rank, written, _ = line.split(maxsplit=2)[2].rsplit(maxsplit=3)
    score = _number(written)
    if not math.isfinite(score):
        raise InputError(f"{where}: score '{written}' is not a finite number; fix it")
    return cells[0], doc_id, rank, score


def _ranked(line: str, where: str) -> tuple[str, str, str, float]:
    """Return query id, doc id, no rank, and the negative rank as score."""
    cells = [cell.strip() for cell in (line.split("\t") if line.count("\t") == 2 else line.split())]
    if len(cells) != 3 or not all(cells) or not _RANK.fullmatch(cells[2]):
        raise InputError(
            f"{where}: a run line of MS MARCO has three columns (qid doc_id rank), and the rank is a whole number"
        )
    return cells[0], cells[1], "", -float(cells[2])


def _is_ranking(cells: Sequence[str]) -> bool:
    """Return whether two columns are a rank and a score."""
    return _RANK.fullmatch(cells[0]) is not None and math.isfinite(_number(cells[1]))


def _number(written: str) -> float:
    try:
        # Python reads 1_0 as 10.
        return math.nan if "_" in written else float(written)
    except ValueError:
        return math.nan
