"""What is told of several retrieval systems on the same queries: values, intervals, differences, headroom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tqdm import tqdm

from ragaliq.compare.comparison import Compared, compare_runs
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.report.markdown.measures import MeasuredRun


class Role(StrEnum):
    """What a row is there for. An oracle asks what no user can ask; it is a ceiling and no system."""

    SYSTEM = "system"
    BASELINE = "baseline"
    ORACLE = "oracle"


@dataclass(frozen=True, slots=True)
class LanguageRun:
    """A system's run in one language: its values, its file, and what each query took.

    Tokens and US dollars are those of endpoints, None where none was called or a price is not known.
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
        reranked: how many of the first hits are reranked; None without a reranker.
        first_stage: name of the row that is the same without the reranker, if there is one.
        is_bm25: whether this is BM25 over the documents as they are, whatever it asks.
    """

    name: str
    parts: str
    role: Role
    runs: Mapping[str, LanguageRun]
    asks: str = "question"
    reranked: int | None = None
    first_stage: str = ""
    is_bm25: bool = False


@dataclass(frozen=True, slots=True)
class DataInfo:
    """The data in one language: documents that are indexed, queries that are asked, queries with judgements."""

    n_docs: int
    n_asked: int
    n_judged: int
    truncated: bool = False
    notes: tuple[str, ...] = ()


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
        """Whether a corpus is only a part of the data set's, so that values are too high."""
        return any(info.truncated for info in self.languages.values())

    def in_language(self, lang: str) -> list[Row]:
        """Return the rows of a language: systems by the first measure, best first, then oracles in the same way."""
        rows = [row for row in self.rows if lang in row.runs]
        return sorted(rows, key=lambda row: (row.role is Role.ORACLE, -value(row, lang, self.measures[0]), row.name))


@dataclass(frozen=True, slots=True)
class Gap:
    """The best system and the best oracle of a language, by the first measure, and how far they are apart."""

    system: str
    oracle: str
    below: float
    ceiling: float
    difference: Compared


@dataclass(frozen=True, slots=True)
class Figures:
    """What has to be computed for a report.

    Attributes:
        intervals: language → row → measure → 95 % interval of the mean over queries.
        differences: language → row → measure → the row against the baseline; oracles are not compared.
        gaps: language → headroom.
    """

    intervals: dict[str, dict[str, dict[str, Interval | None]]]
    differences: dict[str, dict[str, dict[str, Compared]]]
    gaps: dict[str, Gap]


def figures(study: Study) -> Figures:
    """Return the intervals, differences and gaps of a study; `compare_runs` says how p values are corrected."""
    found = Figures({}, {}, {})
    for lang in tqdm(study.languages, desc="comparing", unit="language", leave=False, disable=None):
        found.intervals[lang] = _intervals(study, lang)
        found.differences[lang] = _differences(study, lang)
        gap = _gap(study, lang)
        if gap is not None:
            found.gaps[lang] = gap
    return found


def value(row: Row, lang: str, measure: str) -> float:
    """Return a row's mean of a measure in a language; without queries 0, so that rows can be sorted."""
    return row.runs[lang].measured.evaluation.mean(measure) or 0.0


def mean_over_languages(row: Row, measure: str) -> float:
    """Return the mean over the languages that a row has, each counted once; 0 without any."""
    return sum(value(row, lang, measure) for lang in row.runs) / max(1, len(row.runs))


def _intervals(study: Study, lang: str) -> dict[str, dict[str, Interval | None]]:
    return {
        row.name: {str(measure): measured.interval(measure) for measure in measured.measures}
        for row in study.in_language(lang)
        for measured in (row.runs[lang].measured,)
    }


def _differences(study: Study, lang: str) -> dict[str, dict[str, Compared]]:
    here = study.in_language(lang)
    baseline = next((row for row in here if row.role is Role.BASELINE), None)
    systems = [row for row in here if row.role is Role.SYSTEM]
    if baseline is None or not systems:
        return {}
    found: dict[str, dict[str, Compared]] = {row.name: {} for row in systems}
    others = [row.runs[lang].measured for row in systems]
    for measure, compared in compare_runs(baseline.runs[lang].measured, others, study.seed).rows:
        for row, difference in zip(systems, compared, strict=True):
            found[row.name][str(measure)] = difference
    return found


def _gap(study: Study, lang: str) -> Gap | None:
    measure, here = study.measures[0], study.in_language(lang)
    system = _best([row for row in here if row.role is not Role.ORACLE])
    oracle = _best([row for row in here if row.role is Role.ORACLE])
    if system is None or oracle is None:
        return None
    compared = compare_runs(system.runs[lang].measured, [oracle.runs[lang].measured], study.seed).rows[0][1][0]
    return Gap(system.name, oracle.name, value(system, lang, measure), value(oracle, lang, measure), compared)


def _best(rows: Sequence[Row]) -> Row | None:
    """Return the first of rows that stand in order."""
    return rows[0] if rows else None
