"""A part of the sample that is checked in no time: eleven questions and what belongs to them, in six languages."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

from ragaliq.storage.files import Row, read_json, read_jsonl, write_json

# Among them one of several chunks, one with a date, one with numbers in words, one with a number alone as its answer,
# one with an exam; q047 and q054 are unanswerable. The chunks are their gold and near misses.
QUERIES = ("q001", "q002", "q003", "q004", "q007", "q011", "q032", "q034", "q041", "q047", "q054")
CHUNKS = (
    "administration-01", "administration-06", "arrival-01", "arrival-02", "arrival-03", "arrival-04",
    "communications-04", "lodging-01", "lodging-05", "transport-02", "transport-05",
)  # fmt: skip
EXAM = "q041"


def write_part(sample: Path, folder: Path) -> Path:
    """Write the part as a benchmark of its own, with its hashes and with the card beside it."""
    head = read_json(sample / "bench.json")
    for lang in head["languages"]:
        _keep(sample, folder, f"corpus/{lang}.jsonl", lambda row: row["doc_id"] in CHUNKS)
        _keep(sample, folder, f"queries/{lang}.jsonl", lambda row: row["query_id"] in QUERIES)
        _keep(sample, folder, f"nuggets/{lang}.jsonl", lambda row: row["query_id"] in QUERIES)
        _keep(sample, folder, f"exam/{lang}.jsonl", lambda row: row["query_id"] == EXAM)
        judged = (sample / "qrels" / f"{lang}.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
        _write(folder / "qrels" / f"{lang}.tsv", "".join(line for line in judged if line.split()[0] in QUERIES))
        for name in sorted({doc_id.partition("-")[0] for doc_id in CHUNKS}):
            path = f"sources/{lang}/{name}.md"
            _write(folder / path, (sample / path).read_text(encoding="utf-8"))
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    write_json(folder / "bench.json", {**head, "hashes": hashes})
    shutil.copy(sample.parent / "CARD.md", folder.parent)
    return folder


def _keep(sample: Path, folder: Path, name: str, kept: Callable[[Row], bool]) -> None:
    rows = [row for _, row in read_jsonl(sample / name) if kept(row)]
    _write(folder / name, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
