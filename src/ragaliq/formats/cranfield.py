"""The Cranfield 1400 collection in SMART's layout: `cran.all.1400`, `cran.qry`, `cranqrel`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.reading.streams import read_lines
from ragaliq.types import Chunk, Item, Query

_FILES = ("cran.all.1400", "cran.qry", "cranqrel")
_CODES = "cranfield: relevance is the code in cranqrel, as in ir_datasets, although its readme calls code 1 the best"
_FIELD = re.compile(r"\.([TABW])\s*")


def is_cranfield(folder: Path) -> bool:
    """Tell whether `folder` holds the collection's three files."""
    return all((folder / name).is_file() for name in _FILES)


def read_cranfield(folder: Path, lang: str = "en", reverse_grades: bool = False) -> Collection:
    """Return the collection: 1,400 abstracts with titles, 225 queries, graded judgements.

    A query's id is its place in the file, 1 to 225, as the judgements count; the numbers that the queries carry are
    others. Grades are the codes of the file, as ir_datasets hands them on: 1 to 4, the one -1 of each query counting as
    0. The file's own note says that code 1 is the best and 4 the least; with `reverse_grades` relevance is 5 - code,
    and -1 stays.

    Raises:
        InputError: if a file is malformed, with file and line.
    """
    items = tuple(
        Item(Query(str(place), lang, fields.get("W", "")), "")
        for place, (_, fields) in enumerate(_records(folder / "cran.qry"), start=1)
    )
    return Collection(
        name="cranfield",
        lang=lang,
        split="",
        chunks=partial(_documents, folder / "cran.all.1400", lang),
        items=items,
        qrels=_judgements(folder / "cranqrel", reverse_grades),
        notes=() if reverse_grades else (_CODES,),
    )


def _documents(path: Path, lang: str) -> Iterator[Chunk]:
    for doc_id, fields in _records(path):
        yield document(doc_id, lang, fields.get("W", ""), fields.get("T", ""))


def _records(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield `(number, field → text)` for each `.I` block; the lines of a field are joined by spaces."""
    number, name = "", ""
    fields: dict[str, list[str]] = {}
    for at, line in read_lines(path):
        if line.startswith(".I "):
            if number:
                yield number, {key: " ".join(lines) for key, lines in fields.items()}
            number, name, fields = line[3:].strip(), "", {}
        elif not number:
            raise InputError(f"{path}:{at}: the file begins with '.I NUMBER'; mend it")
        elif field := _FIELD.fullmatch(line):
            name = field[1]
            fields.setdefault(name, [])
        elif name and line.strip():
            fields[name].append(line.strip())
    if number:
        yield number, {key: " ".join(lines) for key, lines in fields.items()}


def _judgements(path: Path, reverse_grades: bool) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for at, line in read_lines(path):
        if not line.strip():
            continue
        try:
            query_id, doc_id, code = line.split()
            grade = int(code)
        except ValueError:
            raise InputError(f"{path}:{at}: three columns are expected (query doc_id code); mend it") from None
        docs = qrels.setdefault(query_id, {})
        if doc_id in docs:
            raise InputError(f"{path}:{at}: document '{doc_id}' is judged twice for query '{query_id}'; remove one")
        docs[doc_id] = 5 - grade if reverse_grades and grade > 0 else grade
    return qrels
