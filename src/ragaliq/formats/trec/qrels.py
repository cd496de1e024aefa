"""Judgements: TREC qrels, BEIR's table of them, and subtopic qrels whose second column is a nugget."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.fields import check_doc_id, check_query_id
from ragaliq.formats.reading.streams import Stored, read_lines
from ragaliq.storage.files import write_lines
from ragaliq.types import NuggetQrels, Qrels

_BEIR_HEADER = "query-id\tcorpus-id\tscore"
_HEADERS = frozenset({"query-id", "query_id", "queryid", "qid"})
# BEIR's scores are float64 in some copies; a judgement is a whole number all the same.
_WHOLE = re.compile(r"([+-]?[0-9]{1,18})(?:\.0*)?")


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judgement and its place; `iteration` is `0` or `Q0` unless it names a nugget."""

    query_id: str
    iteration: str
    doc_id: str
    relevance: int
    where: str


def read_qrels(source: Path | Stored) -> dict[str, dict[str, int]]:
    """Return query id → doc id → relevance, in the order of the file, which is told from its first line.

    Either TREC's four columns (`qid 0 doc_id rel`, apart by any white space, lines that begin with `#` are comments) or
    BEIR's three (apart by tabs, under a header, without csv quoting: an id may begin with a quote). A doc id may hold
    spaces, a query id may not. Relevance is a whole number, `1.0` included, negative ones too.

    Raises:
        InputError: with file and line, if columns are missing, a judgement is no whole number, or a document is judged
            twice for a query, as in subtopic qrels (`read_nugget_qrels`).
    """
    return collect_judgements(_judgements(source))


def collect_judgements(rows: Iterable[Judgement]) -> dict[str, dict[str, int]]:
    """Return query id → doc id → relevance, in the order of the rows."""
    qrels: dict[str, dict[str, int]] = {}
    for row in rows:
        docs = qrels.setdefault(row.query_id, {})
        if row.doc_id in docs:
            hint = "remove one" if row.iteration in ("0", "Q0") else "subtopic qrels are for measures of nuggets alone"
            raise InputError(f"{row.where}: document '{row.doc_id}' is judged twice for query '{row.query_id}'; {hint}")
        docs[row.doc_id] = row.relevance
    return qrels


def read_nugget_qrels(source: Path | Stored) -> dict[str, dict[str, dict[str, int]]]:
    """Return query id → nugget id → doc id → relevance of TREC subtopic qrels, `qid nugget_id doc_id rel`.

    Rows of 0 keep the nuggets that no document supports.
    """
    qrels: dict[str, dict[str, dict[str, int]]] = {}
    for row in _judgements(source):
        docs = qrels.setdefault(row.query_id, {}).setdefault(row.iteration, {})
        if row.doc_id in docs:
            raise InputError(
                f"{row.where}: document '{row.doc_id}' is judged twice for nugget '{row.iteration}' of query "
                f"'{row.query_id}'; remove one"
            )
        docs[row.doc_id] = row.relevance
    return qrels


def has_nuggets(source: Path | Stored) -> bool:
    """Return whether the second column of TREC qrels takes any value beside `0` and `Q0`: then it names nuggets."""
    return any(row.iteration not in ("0", "Q0") for row in _judgements(source))


def sum_nuggets(nuggets: NuggetQrels) -> dict[str, dict[str, int]]:
    """Return the judgements of whole queries: the sum over the nuggets, each counted from 0 up.

    FreshStack's convention (its evaluation code): a document that supports two nuggets has relevance 2. Documents
    judged 0 for every nugget stay, with 0.
    """
    qrels: dict[str, dict[str, int]] = {}
    for query_id, by_nugget in nuggets.items():
        docs = qrels.setdefault(query_id, {})
        for judged in by_nugget.values():
            for doc_id, relevance in judged.items():
                docs[doc_id] = docs.get(doc_id, 0) + max(relevance, 0)
    return qrels


def write_qrels(path: Path, qrels: Qrels) -> None:
    """Write TREC qrels, sorted by query id and doc id; reading them gives the same judgements."""
    write_nugget_qrels(path, {query_id: {"0": docs} for query_id, docs in qrels.items() if docs})


def write_nugget_qrels(path: Path, nuggets: NuggetQrels) -> None:
    """Write TREC subtopic qrels, sorted by query, nugget and doc id.

    Raises:
        InputError: if an id cannot stand in the format, or a nugget has no row.
    """
    write_lines(path, _nugget_lines(str(path), nuggets))


def write_beir_qrels(path: Path, qrels: Qrels) -> None:
    """Write BEIR's table, sorted by query id and doc id.

    Raises:
        InputError: if an id holds a tab or a line end.
    """
    rows = [(q, doc_id, relevance) for q, docs in sorted(qrels.items()) for doc_id, relevance in sorted(docs.items())]
    for query_id, doc_id, _ in rows:
        if re.search(r"[\t\r\n]", query_id + doc_id):
            raise InputError(f"{path}: an id with a tab or a line end ('{query_id}', '{doc_id}'); rename it")
    lines = (f"{query_id}\t{doc_id}\t{relevance}".encode() for query_id, doc_id, relevance in rows)
    write_lines(path, [_BEIR_HEADER.encode(), *lines])


def _judgements(source: Path | Stored) -> Iterator[Judgement]:
    table: bool | None = None
    name = str(source)
    for number, line in read_lines(source):
        if table is None and line.strip() and not line.startswith("#"):
            cells = line.split("\t")
            table = len(cells) == 3 and cells[0].strip().lower() in _HEADERS
            if table:
                continue
        if not line.strip() or (line.startswith("#") and not table):
            continue
        where = f"{name}:{number}"
        yield _table_row(line, where) if table else _trec_row(line, where)


def _trec_row(line: str, where: str) -> Judgement:
    if len(line.split(maxsplit=3)) < 4:
        raise InputError(
            f"{where}: four columns are expected (qid 0 doc_id rel), or BEIR's three under the header "
            f"'{_BEIR_HEADER.expandtabs(1)}'"
        )
    query_id, iteration, rest = line.split(maxsplit=2)
    doc_id, written = rest.rsplit(maxsplit=1)
    return Judgement(query_id, iteration, doc_id, _relevance(written, where), where)


def _table_row(line: str, where: str) -> Judgement:
    cells = line.split("\t")
    if len(cells) != 3 or not cells[0] or not cells[1]:
        raise InputError(f"{where}: three columns apart by tabs are expected ({_BEIR_HEADER.expandtabs(1)})")
    return Judgement(cells[0], "0", cells[1], _relevance(cells[2].strip(), where), where)


def _relevance(written: str, where: str) -> int:
    match = _WHOLE.fullmatch(written)
    if not match:
        raise InputError(f"{where}: judgement '{written}' is not a whole number; fix it")
    return int(match[1])


def _nugget_lines(name: str, nuggets: NuggetQrels) -> Iterator[bytes]:
    for query_id, by_nugget in sorted(nuggets.items()):
        check_query_id(query_id, name)
        for nugget_id, docs in sorted(by_nugget.items()):
            check_query_id(nugget_id, name, "nugget")
            if not docs:
                raise InputError(
                    f"{name}: nugget '{nugget_id}' of query '{query_id}' has no row; give it one of relevance 0"
                )
            for doc_id, relevance in sorted(docs.items()):
                check_doc_id(doc_id, name)
                yield f"{query_id} {nugget_id} {doc_id} {relevance}".encode()
