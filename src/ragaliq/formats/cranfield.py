"""The Cranfield 1400 collection in SMART's layout: `cran.all.1400`, `cran.qry`, `cranqrel`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.reading.streams import read_lines
from ragaliq.formats.trec.qrels import Judgement, collect_judgements
from ragaliq.types import Chunk, Item, Query

_FILES = ("cran.all.1400", "cran.qry", "cranqrel")
_CODES = "cranfield: relevance is the code in cranqrel, as in ir_datasets, although its readme calls code 1 the best"
_FIELD = re.compile(r"\.([TABW])\s*")


def is_cranfield(folder: Path) -> bool:
    """Return whether `folder` holds the collection's three files."""
    return all((folder / name).is_file() for name in _FILES)


def read_cranfield(folder: Path, lang: str = "en") -> Collection:
    """Return the collection: 1,400 abstracts with titles, 225 queries, graded judgements.

    A query's id is its place in the file, 1 to 225, as the judgements count; the numbers that the queries carry are
    others. Relevance is the code in the file, as in ir_datasets: 1 to 4, and -1 once for each query. The collection's
    readme calls code 1 the best and 4 the least.
    """
    items = tuple(
        Item(Query(str(place), lang, fields.get("W", "")), "")
        for place, (_, fields) in enumerate(_records(folder / "cran.qry"), start=1)
    )
    qrels = collect_judgements(_judgements(folder / "cranqrel"))
    return Collection(
        "cranfield", lang, "", partial(_documents, folder / "cran.all.1400", lang), items, qrels, notes=(_CODES,)
    )


def _documents(path: Path, lang: str) -> Iterator[Chunk]:
    for doc_id, fields in _records(path):
        yield document(doc_id, lang, fields.get("W", ""), fields.get("T", ""))


def _records(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield `(number, field → text)` for each `.I` block; the lines of a field are joined by spaces."""
    number, name = "", ""
    fields: dict[str, list[str]] = {}
    # The last block ends where another would begin.
    for at, line in chain(read_lines(path), [(0, ".I ")]):
        if line.startswith(".I "):
            if number:
                yield number, {key: " ".join(lines) for key, lines in fields.items()}
            number, name, fields = line[3:].strip(), "", {}
        elif not number:
            raise InputError(f"{path}:{at}: the file begins with '.I NUMBER'; fix it")
        elif field := _FIELD.fullmatch(line):
            name = field[1]
            fields.setdefault(name, [])
        elif name and line.strip():
            fields[name].append(line.strip())


def _judgements(path: Path) -> Iterator[Judgement]:
    for at, line in read_lines(path):
        if not line.strip():
            continue
        try:
            query_id, doc_id, code = line.split()
            relevance = int(code)
        except ValueError:
            raise InputError(f"{path}:{at}: three columns are expected (query doc_id code); fix it") from None
        yield Judgement(query_id, "0", doc_id, relevance, f"{path}:{at}")
