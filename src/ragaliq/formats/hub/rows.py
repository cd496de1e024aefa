"""Rows of hub repositories: queries, judgements and documents under the column names in use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragaliq.errors import InputError
from ragaliq.formats.freshstack import document_of
from ragaliq.formats.hub.repository import Repository
from ragaliq.formats.reading.fields import row_id, row_text
from ragaliq.storage.files import Row
from ragaliq.types import Chunk

_QUERY_KEYS = ("_id", "id", "query-id", "query_id")
_JUDGED_QUERY_KEYS = ("query-id", "query_id")
_JUDGED_DOC_KEYS = ("corpus-id", "document-id", "corpus_id")

Rows = Iterable[tuple[str, Row]]


def read_texts(rows: Rows) -> dict[str, str]:
    """Return query id → text.

    Raises:
        InputError: if a row is malformed or a query stands twice.
    """
    texts: dict[str, str] = {}
    for where, row in rows:
        query_id = row_id(row, _key(row, _QUERY_KEYS), where)
        if query_id in texts:
            raise InputError(f"{where}: query '{query_id}' stands twice; remove one")
        texts[query_id] = row_text(row, "text", where)
    return texts


def read_judgements(rows: Rows) -> dict[str, dict[str, int]]:
    """Return query id → doc id → relevance; a relevance of 1.0 is 1.

    Raises:
        InputError: if a row is malformed, a relevance is no whole number, or a document is judged twice for a query.
    """
    qrels: dict[str, dict[str, int]] = {}
    for where, row in rows:
        query_id = row_id(row, _key(row, _JUDGED_QUERY_KEYS), where)
        doc_id = row_id(row, _key(row, _JUDGED_DOC_KEYS), where)
        score = row.get("score")
        if isinstance(score, bool) or not isinstance(score, int | float) or not float(score).is_integer():
            raise InputError(f"{where}: 'score' must be a whole number, not {score!r}; mend it")
        docs = qrels.setdefault(query_id, {})
        if doc_id in docs:
            raise InputError(f"{where}: document '{doc_id}' is judged twice for query '{query_id}'; remove one")
        docs[doc_id] = int(score)
    return qrels


def documents(repository: Repository, config: str, lang: str) -> Iterator[Chunk]:
    """Stream a corpus."""
    splits = repository.splits(config)
    split = next((split for split in ("corpus", "collection", "train") if split in splits), splits[0])
    for where, row in repository.rows(config, split):
        yield document_of(row, lang, where)


def _key(row: Row, keys: tuple[str, ...]) -> str:
    return next((key for key in keys if key in row), keys[0])
