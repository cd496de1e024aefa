"""Documents, texts of queries and judgements in JSON rows, under the column names in use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import document
from ragaliq.formats.reading.fields import row_id, row_text
from ragaliq.storage.files import Row
from ragaliq.types import Chunk

_DOC_KEYS = ("_id", "id", "docid")
_QUERY_KEYS = ("_id", "id", "query-id", "query_id")

# Rows, each with the words that name its place in errors.
Rows = Iterable[tuple[str, Row]]


def read_documents(rows: Rows, lang: str) -> Iterator[Chunk]:
    """Yield the documents of rows `{_id or id or docid, title?, text}`; a title or text of null is an empty one."""
    for where, row in rows:
        yield document(row_key(row, _DOC_KEYS, where), lang, _text(row, where), row_text(row, "title", where))


def read_texts(rows: Rows) -> dict[str, str]:
    """Return query id → text of rows `{_id or id or query-id or query_id, text}`."""
    texts: dict[str, str] = {}
    for where, row in rows:
        query_id = row_key(row, _QUERY_KEYS, where)
        if query_id in texts:
            raise InputError(f"{where}: query '{query_id}' occurs twice; remove one")
        texts[query_id] = _text(row, where)
    return texts


def row_key(row: Row, keys: tuple[str, ...], where: str) -> str:
    """Return the id under the first of some keys that a row has."""
    return row_id(row, next((key for key in keys if key in row), keys[0]), where)


def _text(row: Row, where: str) -> str:
    if "text" not in row:
        raise InputError(f"{where}: no 'text'; a document or query has _id and text")
    return row_text(row, "text", where)
