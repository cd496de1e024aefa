"""Several retrieval systems on the same queries: the records that a report starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ragaliq.experiment.figures.measured_run import MeasuredRun


class Role(StrEnum):
    """What a row is there for. An oracle asks what no user can ask; it is a ceiling and no system."""

    SYSTEM = "system"
    BASELINE = "baseline"
    ORACLE = "oracle"


@dataclass(frozen=True, slots=True)
class LanguageRun:
    """A system's run in one language: its values, its file, and what each query took.

    Tokens and US dollars of endpoints are None where none was called or a price is not known.
    """

    measured: MeasuredRun
    seconds_per_query: float | None
    file: str
    tokens_per_query: float | None = None
    usd_per_query: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A system with its runs by language.

    Attributes:
        name: what the tables call it.
        parts: what it is made of, in words.
        role: what the row is there for.
        runs: by language.
        asks: what is asked, such as `question`.
        retriever: kind of the retriever.
        reranked: how many of the first hits are reranked; None without a reranker.
        first_stage: name of the same row without the reranker, if there is one.
        is_bm25: BM25 over the documents as they are, whatever it asks.
    """

    name: str
    parts: str
    role: Role
    runs: Mapping[str, LanguageRun]
    asks: str = "question"
    retriever: str = ""
    reranked: int | None = None
    first_stage: str = ""
    is_bm25: bool = False

    def means(self, lang: str) -> dict[str, float | None]:
        """Return the mean of each measure in a language, shown or not."""
        evaluation = self.runs[lang].measured.evaluation
        return {measure: evaluation.mean(measure) for measure in evaluation.values}


@dataclass(frozen=True, slots=True)
class DataInfo:
    """The data in one language: documents that are indexed, queries that are asked, queries with judgements.

    `nuggets_per_query` is the mean over the queries that have a nugget; None without any.
    """

    n_docs: int
    n_asked: int
    n_judged: int
    truncated: bool = False
    notes: tuple[str, ...] = ()
    nuggets_per_query: float | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """Systems on one data set.

    Attributes:
        name: title.
        data: the data set's name.
        split: part of the queries.
        top_k: how many documents a ranking has.
        measures: what is shown; the first decides the order.
        rows: the systems.
        languages: what each language holds.
        seed: seed of the tests.
    """

    name: str
    data: str
    split: str
    top_k: int
    measures: tuple[str, ...]
    rows: tuple[Row, ...]
    languages: Mapping[str, DataInfo]
    seed: int = 0

    @property
    def truncated(self) -> bool:
        """Whether a corpus is only a part of the data set's; values are too high then."""
        return any(info.truncated for info in self.languages.values())

    def in_language(self, lang: str) -> list[Row]:
        """Return the rows of a language: systems by the first measure, best first, then oracles in the same way."""
        rows = [row for row in self.rows if lang in row.runs]
        return sorted(rows, key=lambda row: (row.role is Role.ORACLE, -value(row, lang, self.measures[0]), row.name))


def value(row: Row, lang: str, measure: str) -> float:
    """Return a row's mean of a measure in a language; without queries 0, so that rows can be sorted."""
    return row.runs[lang].measured.evaluation.mean(measure) or 0.0


def mean_over_languages(row: Row, measure: str) -> float:
    """Return the mean over the languages that a row has, each counted once; 0 without any."""
    return sum(value(row, lang, measure) for lang in row.runs) / max(1, len(row.runs))
