"""The records of one language of a benchmark, looked up by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragaliq.benchmark.located import CORPUS, QUERIES, read_nuggets, read_records
from ragaliq.types import Chunk, Item, Nugget


@dataclass(frozen=True, slots=True)
class LanguageRecords:
    """Records by id; `nuggets_of` has the nuggets of a query in their order."""

    lang: str
    items: Mapping[str, Item]
    nuggets: Mapping[str, Nugget]
    nuggets_of: Mapping[str, tuple[Nugget, ...]]
    chunks: Mapping[str, Chunk]


def read_records_of(folder: Path, lang: str) -> LanguageRecords:
    """Read the records of a language.

    Raises:
        InputError: if a file is missing, or a row is malformed; the message names it.
    """
    nuggets = read_nuggets(folder, lang)
    by_query: dict[str, tuple[Nugget, ...]] = {}
    for nugget in nuggets:
        by_query[nugget.query_id] = (*by_query.get(nugget.query_id, ()), nugget)
    return LanguageRecords(
        lang,
        {item.query.query_id: item for item in read_records(folder, lang, QUERIES)},
        {nugget.nugget_id: nugget for nugget in nuggets},
        by_query,
        {chunk.doc_id: chunk for chunk in read_records(folder, lang, CORPUS)},
    )
