"""Derive the files of a sample benchmark that follow from its sources, queries and nuggets.

    python data/derive.py data/velmora

Written by hand: `sources/LANG/*.md`, `queries/LANG.jsonl`, `nuggets/LANG.jsonl`, and `bench.json` but for its hashes.
Derived: `corpus/LANG.jsonl` (each paragraph of a source is a chunk), `qrels/LANG.tsv` (a chunk is relevant if it is
gold for the query or supports one of its nuggets), and the hashes in `bench.json`.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from ragaliq.corpus.chunking import paragraphs
from ragaliq.io import read_json, read_jsonl, read_text, write_atomic, write_json, write_jsonl


def derive(folder: Path) -> None:
    """Write the derived files of one benchmark."""
    head = read_json(folder / "bench.json")
    for lang in head["languages"]:
        rows = []
        for path in sorted((folder / "sources" / lang).glob("*.md")):
            for chunk in paragraphs(read_text(path), path.relative_to(folder).as_posix(), lang):
                row = {"doc_id": chunk.doc_id, "source_id": chunk.source_id, "start": chunk.start, "end": chunk.end}
                rows.append({**row, "text": chunk.text, "lang": lang, "title": chunk.title})
        write_jsonl(folder / "corpus" / f"{lang}.jsonl", rows)
        relevant: set[tuple[str, str]] = set()
        for _, query in read_jsonl(folder / "queries" / f"{lang}.jsonl"):
            relevant.update((query["query_id"], doc_id) for group in query["gold"] for doc_id in group)
        for _, nugget in read_jsonl(folder / "nuggets" / f"{lang}.jsonl"):
            relevant.update((nugget["query_id"], doc_id) for doc_id in nugget["doc_ids"])
        lines = [f"{query_id} 0 {doc_id} 1\n" for query_id, doc_id in sorted(relevant)]
        write_atomic(folder / "qrels" / f"{lang}.tsv", "".join(lines).encode())
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "bench.json"]
    head["hashes"] = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }
    write_json(folder / "bench.json", head)


if __name__ == "__main__":
    derive(Path(sys.argv[1]))
