"""The rows of a benchmark's files, and the records that they become."""

from __future__ import annotations

from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.files import Row, check_unicode
from ragaliq.types import Chunk, Importance, Item, Nugget, Query


def chunk_from_row(row: Row, lang: str, where: str) -> Chunk:
    """Return the chunk in a row `{doc_id, source_id, start, end, text, lang, title?}`."""
    _check_lang(row, lang, where)
    start, end, text = field(row, "start", int, where), field(row, "end", int, where), field(row, "text", str, where)
    if not text.strip():
        raise InputError(f"{where}: 'text' is blank; a chunk carries text")
    if end - start != len(text):
        raise InputError(f"{where}: end - start is {end - start}, but 'text' has {len(text)} code points")
    source_id, title = field(row, "source_id", str, where), str(row.get("title") or "")
    return Chunk(_document_id(row, "doc_id", where), lang, text, source_id, start, end, title)


def item_from_row(row: Row, lang: str, where: str) -> Item:
    """Return the item in a row `{query_id, lang, text, reference, answerable, type, gold, …}`.

    Without `reference` there is none, as in most data sets for retrieval. Without `gold` nobody has said which chunks
    answer the query; `[]` says that none does.
    """
    _check_lang(row, lang, where)
    query = Query(identifier(row, "query_id", where), lang, _filled(row, "text", where))
    answerable = field(row, "answerable", bool, where)
    gold = row.get("gold", [])
    if not isinstance(gold, list) or not all(isinstance(g, list) and g and all(map(_is_text, g)) for g in gold):
        raise InputError(f"{where}: 'gold' is a list of non-empty lists of doc ids (AND of ORs)")
    if "gold" in row and answerable != bool(gold):
        raise InputError(f"{where}: an answerable query has gold, an unanswerable one has none")
    aliases = row.get("aliases", [])
    if not isinstance(aliases, list) or not all(map(_is_text, aliases)):
        raise InputError(f"{where}: 'aliases' is a list of texts")
    return Item(
        query,
        "" if row.get("reference") is None else _filled(row, "reference", where),
        answerable,
        field(row, "type", str, where),
        tuple(tuple(group) for group in gold),
        tuple(aliases),
        str(row.get("difficulty") or ""),
        str(row.get("near_miss") or ""),
    )


def nugget_from_row(row: Row, lang: str, where: str) -> Nugget:
    """Return the nugget in a row `{nugget_id, query_id, text, importance, doc_ids}`; no document need support it."""
    importance = field(row, "importance", str, where)
    if importance not in set(Importance):
        raise InputError(f"{where}: 'importance' is 'vital' or 'okay', not '{importance}'")
    doc_ids = field(row, "doc_ids", list, where)
    if not all(map(_is_text, doc_ids)):
        raise InputError(f"{where}: 'doc_ids' is a list of doc ids")
    nugget_id, query_id = identifier(row, "nugget_id", where), identifier(row, "query_id", where)
    return Nugget(nugget_id, query_id, lang, _filled(row, "text", where), Importance(importance), tuple(doc_ids))


def field(row: Row, key: str, kind: type, where: str) -> Any:
    """Return `row[key]`, which must be of type `kind`."""
    value = row.get(key)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InputError(
            f"{where}: '{key}' must be of type {kind.__name__}" + ("" if key in row else "; it is missing")
        )
    if isinstance(value, str):
        check_unicode(value, key, where)
    return value


def identifier(row: Row, key: str, where: str) -> str:
    """Return an id: a non-empty text without white space, as TREC files need it."""
    value: str = field(row, key, str, where)
    if not value or any(char.isspace() for char in value):
        raise InputError(f"{where}: '{key}' must be a text without white space, not '{value}'")
    return value


def _document_id(row: Row, key: str, where: str) -> str:
    """Return a document's id: as `identifier`, but spaces may stand inside, as in the paths of a repository."""
    value: str = field(row, key, str, where)
    if not is_document_id(value):
        raise InputError(f"{where}: '{key}' must be a text without white space, but for spaces inside, not '{value}'")
    return value


def is_document_id(value: str) -> bool:
    """Return whether a TREC line, taken apart from both ends, can hold this id."""
    return value == value.strip() != "" and not any(char.isspace() for char in value.replace(" ", ""))


def _filled(row: Row, key: str, where: str) -> str:
    value: str = field(row, key, str, where)
    if not value.strip():
        raise InputError(f"{where}: '{key}' is blank")
    return value


def _check_lang(row: Row, lang: str, where: str) -> None:
    if row.get("lang", lang) != lang:
        raise InputError(f"{where}: 'lang' is '{row.get('lang')}' in a file for '{lang}'")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)
