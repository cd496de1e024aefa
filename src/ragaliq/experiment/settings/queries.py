"""What is asked of a retriever: the question, a text made from it, or one that only an oracle knows.

The oracle modes show how far a retriever would come if it knew the answer (FreshStack, arXiv 2504.13128, section 3.3):
ceilings, never systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from ragaliq.config import Component
from ragaliq.errors import ConfigError, InputError, nearest
from ragaliq.formats.reading.collection import Collection
from ragaliq.storage.files import read_jsonl
from ragaliq.types import Query


class Source(StrEnum):
    """Where the text of a query comes from."""

    QUESTION = "question"
    REFERENCE = "reference"
    NUGGETS = "nuggets"
    FILE = "file"
    SUBQUESTIONS = "subquestions"
    CLOSED_BOOK = "closed-book"


ORACLES = (Source.REFERENCE, Source.NUGGETS)
_MADE = (Source.SUBQUESTIONS, Source.CLOSED_BOOK)


@dataclass(frozen=True, slots=True)
class Mode:
    """A source of query texts, with the file that holds them or the model that makes them."""

    source: Source
    path: str = ""
    model: Component | None = None

    @classmethod
    def parse(cls, text: str, where: str = "--queries") -> Mode:
        """Read `question`, `reference`, `nuggets`, `subquestions:openai:MODEL`, `closed-book:openai:MODEL` or a file.

        Raises:
            ConfigError: if it is none of them.
        """
        if text in (Source.QUESTION, *ORACLES):
            return cls(Source(text))
        for source in _MADE:
            if text.startswith(f"{source}:"):
                model = Component.parse(text.removeprefix(f"{source}:"), where)
                if model.kind != "openai" or not model.model:
                    raise ConfigError(f"{where} '{text}': a text is made by openai:MODEL, as in {source}:openai:MODEL")
                return cls(source, model=model)
        if "/" in text or "." in text or Path(text).is_file():
            return cls(Source.FILE, path=text)
        known = [*(source for source in Source if source is not Source.FILE), "FILE.jsonl"]
        raise ConfigError(f"{where}: unknown queries '{text}'; {nearest(text, known)}")

    @property
    def is_oracle(self) -> bool:
        """Whether the text is made from what only an oracle knows."""
        return self.source in ORACLES

    def __str__(self) -> str:
        """Return the mode as it is written."""
        if self.model is not None:
            return f"{self.source}:{self.model}"
        return self.path if self.source is Source.FILE else str(self.source)


def judged(collection: Collection) -> tuple[Query, ...]:
    """Return the queries with judgements, in the order of the source; all where a collection has no judgements.

    They are asked in the language of the corpus; of a cross-lingual collection the text stays as it is.
    """
    known = set(collection.qrels) | {nugget.query_id for nugget in collection.nuggets}
    return tuple(
        query.to_documents_in(collection.lang) for query in collection.queries if not known or query.query_id in known
    )


def oracle_queries(source: Source, collection: Collection, queries: Sequence[Query]) -> tuple[list[Query], int]:
    """Return the queries with the text that an oracle asks, and how many keep their question without one.

    `reference` asks the reference answer; `nuggets` the texts of the query's nuggets, one behind the other.

    Raises:
        InputError: if the collection has that of no query.
    """
    if source is Source.REFERENCE:
        texts: Mapping[str, str] = collection.references
    else:
        lists: dict[str, list[str]] = {}
        for nugget in collection.nuggets:
            lists.setdefault(nugget.query_id, []).append(nugget.text)
        texts = {query_id: _joined(parts) for query_id, parts in lists.items()}
    asked = [texts.get(query.query_id, "").strip() for query in queries]
    if queries and not any(asked):
        raise InputError(f"--queries {source}: '{collection.name}' has none in '{collection.lang}'; ask the question")
    pairs = zip(queries, asked, strict=True)
    return [replace(query, text=text or query.text) for query, text in pairs], asked.count("")


def read_queries(path: Path, queries: Sequence[Query]) -> list[Query]:
    """Return the queries with the texts of a file, rows `{query_id, text}` or `{query_id, texts}`, optionally `lang`.

    Several texts are asked one behind the other, as one query. Rows of other queries or languages are passed over.

    Raises:
        InputError: if a row is malformed or occurs twice, or a query has no row; the message names file and line.
    """
    lang = queries[0].lang if queries else ""
    texts: dict[str, str] = {}
    for number, row in read_jsonl(path):
        where = f"{path}:{number}"
        parts = row.get("texts", [row.get("text")])
        if not isinstance(row.get("query_id"), str):
            raise InputError(f"{where}: 'query_id' must be a text; fix the row")
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts) or not _joined(parts):
            raise InputError(f"{where}: 'text', or a list 'texts', must hold what is asked; fix the row")
        if row.get("lang", lang) != lang:
            continue
        if row["query_id"] in texts:
            raise InputError(f"{where}: query '{row['query_id']}' occurs twice; keep one row")
        texts[row["query_id"]] = _joined(parts)
    missing = [query.query_id for query in queries if query.query_id not in texts]
    if missing:
        raise InputError(f"{path}: no text for {len(missing)} queries, the first is '{missing[0]}'; add their rows")
    return [replace(query, text=texts[query.query_id]) for query in queries]


def _joined(parts: Sequence[str]) -> str:
    return " ".join(part.strip() for part in parts if part.strip())
