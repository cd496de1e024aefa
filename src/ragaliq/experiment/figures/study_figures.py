"""What is computed of a study: intervals, differences to the baseline, headroom, diagnoses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ragaliq.compare.standings import Outcome, PairwiseResult
from ragaliq.execution.progress import watched
from ragaliq.experiment.figures.diagnoses import Beside, Diagnosis, diagnose, first_read
from ragaliq.experiment.figures.measured_run import MeasuredRun, compare_runs
from ragaliq.experiment.figures.study import Role, Row, Study, mean_over_languages, value
from ragaliq.metrics.statistics.intervals import Interval

# Row → measure → the row against the baseline.
Differences = dict[str, dict[str, PairwiseResult]]
# Retrievers that match what is written; they have no prefixes and no model's length.
_LEXICAL = ("bm25", "char")


@dataclass(frozen=True, slots=True)
class Gap:
    """The best system and the best oracle of a language, by the first measure, and how far they are apart."""

    system: str
    oracle: str
    below: float
    ceiling: float
    difference: PairwiseResult


@dataclass(frozen=True, slots=True)
class Figures:
    """What is computed for a report.

    Attributes:
        intervals: language → row → measure → 95 % interval of the mean over queries.
        differences: language → row → measure → the row against the baseline; oracles are not compared.
        gaps: language → headroom, where there is a system and an oracle.
        diagnoses: language → row → what its values show.
        means: row → mean of the first measure over the row's languages.
        weakest: row → the language in which it gains the least on the baseline by the first measure, or loses the most;
            for the baseline, for oracles, and where there is none, that of the least value. Not for a single language.
    """

    intervals: dict[str, dict[str, dict[str, Interval | None]]]
    differences: dict[str, Differences]
    gaps: dict[str, Gap]
    diagnoses: dict[str, dict[str, list[Diagnosis]]]
    means: dict[str, float]
    weakest: dict[str, str]


def figures(study: Study) -> Figures:
    """Return what a study shows; `compare_runs` says how p values are corrected."""
    means = {row.name: mean_over_languages(row, study.measures[0]) for row in study.rows}
    computed = Figures({}, {}, {}, {}, means, {})
    for lang in watched(study.languages, "comparing", len(study.languages), "language"):
        rows = study.in_language(lang)
        computed.intervals[lang] = {row.name: _intervals(row.runs[lang].measured) for row in rows}
        computed.differences[lang] = differences = _differences(study, lang)
        computed.diagnoses[lang] = {row.name: _diagnoses(study, differences, row, lang) for row in rows}
        gap = _gap(study, lang)
        if gap is not None:
            computed.gaps[lang] = gap
    several = [row for row in study.rows if len(row.runs) > 1]
    computed.weakest.update((row.name, _weakest(row, computed.differences, study.measures[0])) for row in several)
    return computed


def _intervals(run: MeasuredRun) -> dict[str, Interval | None]:
    return {str(measure): run.interval(measure) for measure in run.measures}


def _differences(study: Study, lang: str) -> Differences:
    rows = study.in_language(lang)
    baseline = next((row for row in rows if row.role is Role.BASELINE), None)
    systems = [row for row in rows if row.role is Role.SYSTEM]
    if baseline is None or not systems:
        return {}
    differences: Differences = {row.name: {} for row in systems}
    measured = [row.runs[lang].measured for row in (baseline, *systems)]
    for section in compare_runs(measured, study.seed).sections:
        for row, result in zip(systems, section.rows, strict=True):
            differences[row.name][section.metric.name] = result
    return differences


def _gap(study: Study, lang: str) -> Gap | None:
    measure, rows = study.measures[0], study.in_language(lang)
    system = next((row for row in rows if row.role is not Role.ORACLE), None)
    oracle = next((row for row in rows if row.role is Role.ORACLE), None)
    if system is None or oracle is None:
        return None
    measured = [system.runs[lang].measured, oracle.runs[lang].measured]
    compared = compare_runs(measured, study.seed).sections[0].rows[0]
    return Gap(system.name, oracle.name, value(system, lang, measure), value(oracle, lang, measure), compared)


def _weakest(row: Row, differences: dict[str, Differences], measure: str) -> str:
    compared = {lang: differences[lang].get(row.name, {}).get(measure) for lang in row.runs}
    gains = {lang: result.effect.difference or 0.0 for lang, result in compared.items() if result is not None}
    levels = {lang: value(row, lang, measure) for lang in row.runs}
    told = gains if len(gains) == len(levels) else levels
    return min(told, key=lambda lang: (told[lang], lang))


def _diagnoses(study: Study, differences: Differences, row: Row, lang: str) -> list[Diagnosis]:
    """Return what a system's values show, beside those of the other rows."""
    rows = study.in_language(lang)

    def first(others: Iterator[Row]) -> Mapping[str, float | None]:
        other = next(others, None)
        return {} if other is None else other.means(lang)

    measured = row.runs[lang].measured
    tied = measured.evaluation.tied_at_cut.get(study.measures[0], 0)
    values = _asked(study, row, lang)
    beside = Beside(
        bm25=first(other for other in rows if other.role is Role.BASELINE and other is not row),
        first_stage=first(other for other in rows if other.name == row.first_stage),
        rerank_depth=row.reranked or 0,
        oracle=first(other for other in rows if other.role is Role.ORACLE),
        closed_book=first(other for other in rows if other.asks == "closed-book"),
        sub_questions=first(other for other in rows if other.asks == "subquestions"),
        tied=tied / max(1, len(measured.evaluation.query_ids)),
        worse_than_bm25=_is_worse(differences, row, first_read(values)),
        lexical=row.retriever in _LEXICAL,
        depth=study.top_k,
        attainable=measured.attainable(),
    )
    return diagnose(values, beside)


def _asked(study: Study, row: Row, lang: str) -> dict[str, float | None]:
    """Return the means without a recall that no table shows, if the tables show another."""
    means = row.means(lang)
    if not any(name.startswith("R@") for name in study.measures):
        return means
    return {name: mean for name, mean in means.items() if name in study.measures or not name.startswith("R@")}


def _is_worse(differences: Differences, row: Row, measure: str) -> bool:
    """Return whether a system is significantly worse than the baseline, and is not BM25 itself over other units."""
    if row.retriever == "bm25" and row.reranked is None and row.asks == "question":
        return False
    compared = differences.get(row.name, {}).get(measure)
    return compared is not None and compared.outcome is Outcome.WORSE
