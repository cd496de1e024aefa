"""The files that trec_eval ships for its own tests, line by line."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from ragaliq.metrics.retrieval.ranking import evaluate_run

FOLDER = Path("ir", "trec_eval")
# trec_eval's name before the cutoff → ours.
NAMES = {
    "map": "AP", "map_cut": "AP", "Rprec": "Rprec", "recip_rank": "RR", "P": "P", "recall": "R", "success": "Success",
    "ndcg": "nDCG", "ndcg_cut": "nDCG",
}  # fmt: skip


def read_run(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        # results.trunc has text after the sixth column.
        query_id, _, doc_id, _, score, *_ = line.split()
        assert doc_id not in run[query_id]
        run[query_id][doc_id] = float(score)
    return run


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            query_id, _, doc_id, rel = line.split()
            qrels[query_id][doc_id] = int(rel)
    return qrels


def our_name(theirs: str, level: int) -> str:
    """Return the name of the same measure, "" if we have none."""
    stem, _, cutoff = theirs.rpartition("_")
    name, cutoff = (NAMES.get(stem, ""), cutoff) if cutoff.isdigit() else (NAMES.get(theirs, ""), "")
    params = f"(rel={level})" if level > 1 and name != "nDCG" else ""
    return name and name + params + (f"@{cutoff}" if cutoff else "")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("expected", "qrels", "run", "level", "n_lines"),
    [
        ("out.test.aqc", "qrels.test", "results.trunc", 1, 4 * 43),
        ("out.test.aq", "qrels.test", "results.test", 1, 4 * 43),
        ("out.test.aql", "qrels.rel_level", "results.test", 2, 4 * 43),
        ("out.test.a", "qrels.test", "results.test", 1, 43),
        ("out.test.aq", "qrels.test.with-comments", "results.test", 1, 4 * 43),
        ("out.comment.test", "qrels.comment.test", "results.comment.test", 1, 12),
    ],
)
def test_every_shared_line_is_the_same_to_the_printed_digits(
    shared_data: Path, expected: str, qrels: str, run: str, level: int, n_lines: int
) -> None:
    folder = shared_data / FOLDER
    lines = [line.split() for line in (folder / expected).read_text().splitlines()]
    shared = [(our_name(name, level), query_id, printed) for name, query_id, printed, *_ in lines]
    shared = [line for line in shared if line[0]]
    found = evaluate_run(read_run(folder / run), read_qrels(folder / qrels), sorted({name for name, _, _ in shared}))
    ours = {
        (name, query_id): f"{value:.4f}"
        for name, values in found.values.items()
        for query_id, value in [*zip(found.query_ids, values, strict=True), ("all", found.mean(name))]
    }
    assert [(name, query_id, ours[name, query_id]) for name, query_id, _ in shared] == shared
    assert len(shared) == n_lines
