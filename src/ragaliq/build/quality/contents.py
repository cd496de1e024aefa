"""What is in the benchmark: queries by kind and origin, nuggets, judged cells, the questions' words in their gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, TypeVar

from ragaliq.build.quality.built import Built
from ragaliq.build.stages import judge
from ragaliq.text.terms import terms
from ragaliq.types import Importance

Key = TypeVar("Key", int, str)


@dataclass(frozen=True, slots=True)
class Contents:
    """The queries of one language in the benchmark.

    Attributes:
        lang: the language.
        queries: all of them.
        answerable: those that the corpus answers.
        types: question type → answerable queries.
        origins: where the text comes from (`generated`, `people`, `log`) → queries.
        several_documents: answerable queries whose gold needs more than one document.
        nuggets: nuggets of the answerable queries.
        nugget_counts: number of nuggets → answerable queries with that many.
        vital: share of them that are vital.
        supported: share of them that a document supports.
        words_in_gold: mean over the answerable queries of the share of their different words that occur in the
            documents they were written from, else in a gold document of each group: near 1, a search by words is
            enough.
    """

    lang: str
    queries: int
    answerable: int
    types: dict[str, int]
    origins: dict[str, int]
    several_documents: int
    nuggets: int
    nugget_counts: dict[int, int]
    vital: float | None
    supported: float | None
    words_in_gold: float | None


def contents(built: Built) -> list[Contents]:
    """Return what the benchmark contains, language by language."""
    results = []
    for lang, corpus in built.corpora.items():
        kept = [row for row in built.queries if row.lang == lang and row.kept]
        rows = built.answerable(lang)
        texts = {chunk.doc_id: chunk.text for chunk in corpus}
        nuggets = [one for row in rows for one in row.value["nuggets"]]
        results.append(
            Contents(
                lang,
                len(kept),
                len(rows),
                _counted(row.value["type"] for row in rows),
                _counted(row.value["origin"] for row in kept),
                sum(not _one_is_enough(row.value["gold"]) for row in rows),
                len(nuggets),
                _counted(len(row.value["nuggets"]) for row in rows),
                _share(one["importance"] == Importance.VITAL for one in nuggets),
                _share(bool(one["doc_ids"]) for one in nuggets),
                _mean(_overlap(row.value, texts, lang) for row in rows),
            )
        )
    return results


def cells(built: Built) -> dict[str, int]:
    """Return how many cells, nugget by document, have each label; `missing` is none."""
    rows = built.context.workspace.rows(judge.NAME)
    return _counted(cell["label"] for row in rows for cell in row.value["cells"])


def _one_is_enough(gold: Sequence[Sequence[str]]) -> bool:
    return bool(set.intersection(*map(set, gold))) if gold else True


def _overlap(value: Mapping[str, Any], texts: Mapping[str, str], lang: str) -> float:
    asked = set(terms(value["text"], lang))
    # Of documents that say the same, the one that the question was written from, else the first.
    read = value["written_from"] or [group[0] for group in value["gold"]]
    told = {term for doc_id in read for term in terms(texts.get(doc_id, ""), lang)}
    return len(asked & told) / len(asked) if asked else 0.0


def _counted(values: Iterable[Key]) -> dict[Key, int]:
    return dict(sorted(Counter(values).items()))


def _share(flags: Iterable[bool]) -> float | None:
    return _mean(map(float, flags))


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return fmean(listed) if listed else None
