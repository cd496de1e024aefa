"""Writing a TREC run, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ragaliq.formats.trec.run import ScoredDoc, run_lines


def write_run(path: Path, run: Mapping[str, Sequence[ScoredDoc]], tag: str) -> None:
    """Write a run, queries sorted by id."""
    lines = [run_lines(query_id, [(doc.doc_id, doc.score) for doc in run[query_id]], tag) for query_id in sorted(run)]
    path.write_text("".join(map("".join, lines)), encoding="utf-8", newline="")
