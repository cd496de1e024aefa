"""The layout of the RAGaliq sources: `orientation_{lang}.md` and `questions_{lang}.json`.

The question files come in a different order in each language. Rows are joined on the pivot language's question and
answer: the pivot's rows are `{question, answer, …}`, the others' also carry `source_q` and `source_a`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.storage.files import Row, check_unicode, read_json
from ragaliq.types import Item, Query

_NAME = re.compile(r"questions_([A-Za-z][\w-]*)\.json")


@dataclass(frozen=True, slots=True)
class _Source:
    """What identifies an item in every language: question and answer in the pivot language."""

    question: str
    answer: str

    @property
    def query_id(self) -> str:
        return "u" + hashlib.sha256(f"{self.question}\0{self.answer}".encode()).hexdigest()[:10]


def is_upstream(folder: Path) -> bool:
    """Return whether `folder` holds question files of this layout."""
    return bool(upstream_files(folder))


def upstream_files(folder: Path) -> dict[str, Path]:
    """Return the question file of each language."""
    paths = sorted(folder.glob("questions_*.json"))
    return {match[1]: path for path in paths if (match := _NAME.fullmatch(path.name))}


def load_upstream_items(folder: Path, langs: Iterable[str]) -> tuple[dict[str, tuple[Item, ...]], list[str]]:
    """Return the items of each language, in the same order in each, and a note for each row left out.

    A question that occurs twice in the pivot language is one query: its second copy is left out in every language,
    even where the two were translated differently.

    Raises:
        InputError: if a file is malformed or an item is missing in a language.
    """
    files = upstream_files(folder)
    rows = {lang: _rows(files[lang]) for lang in files}
    order = _pivot_order(rows)
    kept: dict[str, _Source] = {}
    notes = []
    for source in order:
        if source.question in kept:
            notes.append(f"{folder}: asked once in every language, for the question occurs twice: '{source.question}'")
        else:
            kept[source.question] = source
    items: dict[str, tuple[Item, ...]] = {}
    known = set(order)
    for lang in langs:
        for source in rows[lang]:
            if source not in known:
                notes.append(f"{files[lang]}: left out, no other language has the question '{source.question}'")
        missing = [source for source in kept.values() if source not in rows[lang]]
        if missing:
            raise InputError(
                f"{files[lang]}: no row for the question '{missing[0].question}'; add its translation, with 'source_q' "
                "and 'source_a', or give each language a folder of its own"
            )
        items[lang] = tuple(
            Item(Query(source.query_id, lang, rows[lang][source].question), rows[lang][source].answer)
            for source in sorted(kept.values(), key=lambda source: source.query_id)
        )
    return items, notes


def _pivot_order(rows: dict[str, dict[_Source, _Source]]) -> list[_Source]:
    """Return the sources in the order of the pivot file; without one, sorted by text."""
    for lang in sorted(rows):
        if all(source == own for source, own in rows[lang].items()):
            return list(rows[lang])
    every = {source for lang in rows for source in rows[lang]}
    return sorted(every, key=lambda source: (source.question, source.answer))


def _rows(path: Path) -> dict[_Source, _Source]:
    """Return each row's text in its own language, keyed by its source."""
    data = read_json(path)
    if not isinstance(data, list) or not data:
        raise InputError(f"{path}: a JSON list of questions is expected, at least one")
    texts: dict[_Source, _Source] = {}
    for number, row in enumerate(data, start=1):
        where = f"{path}: row {number}"
        if not isinstance(row, dict):
            raise InputError(f"{where}: a JSON object is expected")
        own = _Source(_text(row, "question", where), _text(row, "answer", where))
        source = own
        if "source_q" in row:
            source = _Source(_text(row, "source_q", where), _text(row, "source_a", where))
        if source in texts:
            raise InputError(f"{where}: the same question and answer occur twice; remove one row")
        texts[source] = own
    return texts


def _text(row: Row, key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: '{key}' must be a text that is not blank")
    check_unicode(value, key, where)
    return value.strip()
