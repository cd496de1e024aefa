"""Derive the files of a benchmark that follow from what is written by hand.

    python data/derive.py data/velmora

Of a benchmark with a template (`template/`, docs/data.md) edition 0 is written anew, and what changed is printed. Else,
written by hand: `sources/LANG/*.md`, `queries/LANG.jsonl`, `nuggets/LANG.jsonl`, and `bench.json` but for its hashes.
Derived: `corpus/LANG.jsonl` (each paragraph of a source is a chunk), `qrels/LANG.tsv` (a chunk is relevant if it is
gold for the query or supports one of its nuggets), and the hashes in `bench.json`.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from ragaliq.benchmark.chunking import paragraphs
from ragaliq.benchmark.layout import FOLDERS, declared_languages
from ragaliq.benchmark.rows import item_from_row, nugget_from_row
from ragaliq.build.edition.refresh import renew
from ragaliq.build.edition.template import FOLDER
from ragaliq.errors import InputError, RagaliqError
from ragaliq.storage.files import read_json, read_jsonl, read_text, write_atomic, write_json, write_jsonl
from ragaliq.types import Chunk


def derive(folder: Path) -> None:
    """Write the derived files of one benchmark.

    Raises:
        InputError: if a file is missing or a row malformed, with file and line; or if a language has no source.
    """
    head = read_json(folder / "bench.json")
    used = set()
    for lang in declared_languages(head, folder / "bench.json"):
        chunks = _chunks(folder, lang)
        used |= {chunk.source_id for chunk in chunks}
        row_keys = ("doc_id", "source_id", "start", "end", "text", "lang", "title")
        write_jsonl(
            folder / "corpus" / f"{lang}.jsonl", [{key: getattr(chunk, key) for key in row_keys} for chunk in chunks]
        )
        lines = [f"{query_id} 0 {doc_id} 1\n" for query_id, doc_id in sorted(_relevant(folder, lang))]
        write_atomic(folder / "qrels" / f"{lang}.tsv", "".join(lines).encode())
        used |= {f"{kind}/{lang}.jsonl" for kind in FOLDERS} | {f"qrels/{lang}.tsv"}
    head["hashes"] = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in sorted(used)
        if (folder / name).is_file()
    }
    write_json(folder / "bench.json", head)


def _chunks(folder: Path, lang: str) -> list[Chunk]:
    paths = sorted((folder / "sources" / lang).glob("*.md"))
    if not paths:
        raise InputError(f"{folder / 'sources' / lang}: no .md file; put the texts of '{lang}' there")
    return [chunk for path in paths for chunk in paragraphs(read_text(path), path.relative_to(folder).as_posix(), lang)]


def _relevant(folder: Path, lang: str) -> set[tuple[str, str]]:
    relevant: set[tuple[str, str]] = set()
    path = folder / "queries" / f"{lang}.jsonl"
    for number, row in read_jsonl(path):
        item = item_from_row(row, lang, f"{path}:{number}")
        relevant.update((item.query.query_id, doc_id) for group in item.gold for doc_id in group)
    path = folder / "nuggets" / f"{lang}.jsonl"
    for number, row in read_jsonl(path) if path.exists() else ():
        nugget = nugget_from_row(row, lang, f"{path}:{number}")
        relevant.update((nugget.query_id, doc_id) for doc_id in nugget.doc_ids)
    return relevant


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("derive.py: name the benchmark's folder, as in: python data/derive.py data/velmora")
    try:
        if (Path(sys.argv[1]) / FOLDER).is_dir():
            print(*renew(Path(sys.argv[1])), sep="\n")
        else:
            derive(Path(sys.argv[1]))
    except RagaliqError as error:
        print(f"derive.py: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
