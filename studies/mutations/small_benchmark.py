"""A benchmark of a few lines, and how the files of an input are written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SOURCE = "# Harbour\n\nThe harbour opens at 9:00.\n\n## Boats\n\n- A boat costs 7 euros.\n- Dogs stay ashore.\n"
_CHUNKS = ((11, 37), (50, 72), (75, 92))
_QUERIES = (("q1", "When does the harbour open?", "At 9:00.", 0), ("q2", "What does a boat cost?", "7 euros.", 1))


def small_benchmark(folder: Path) -> Path:
    """Write a benchmark of three passages and three queries in our own layout, and return its folder."""
    chunks = [
        {"doc_id": f"harbour-{n}", "lang": "en", "text": SOURCE[start:end], "source_id": "sources/en/harbour.md",
         "start": start, "end": end} for n, (start, end) in enumerate(_CHUNKS)
    ]  # fmt: skip
    queries: list[dict[str, Any]] = [
        {"query_id": name, "lang": "en", "text": text, "reference": reference, "answerable": True, "type": "fact",
         "gold": [[f"harbour-{place}"]]} for name, text, reference, place in _QUERIES
    ]  # fmt: skip
    queries.append({**queries[0], "query_id": "q3", "text": "Who?", "answerable": False, "gold": []})
    del queries[-1]["reference"]
    nuggets = [{"nugget_id": f"{query['query_id']}-1", "query_id": query["query_id"], "text": query["reference"],
                "importance": "vital", "doc_ids": query["gold"][0]} for query in queries[:2]]  # fmt: skip
    exam = [{"exam_id": "q1-a", "query_id": "q1", "lang": "en", "kind": "paraphrase", "answer": "Nine.",
             "grades": [4, 5]}]  # fmt: skip
    write_files(folder, {
        "bench.json": json.dumps({"name": "mine", "version": "1", "licence": "CC0", "languages": ["en"]}, indent=1),
        "corpus/en.jsonl": json_lines(chunks), "queries/en.jsonl": json_lines(queries),
        "nuggets/en.jsonl": json_lines(nuggets),
        "qrels/en.tsv": "q1 0 harbour-0 1\nq2 0 harbour-1 1\n", "exam/en.jsonl": json_lines(exam),
        "sources/en/harbour.md": SOURCE,
    })  # fmt: skip
    return folder


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write texts by their paths below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def json_lines(rows: Iterable[dict[str, Any]]) -> str:
    """Return rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
