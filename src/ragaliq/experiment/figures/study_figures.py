"""What is computed of a study: intervals, differences to the baseline, headroom, diagnoses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tqdm import tqdm

from ragaliq.compare.standings import Outcome, PairwiseResult
from ragaliq.experiment.figures.diagnoses import Beside, Diagnosis, diagnose, first_read
from ragaliq.experiment.figures.measured_run import compare_runs
from ragaliq.experiment.figures.study import Role, Row, Study, value
from ragaliq.metrics.statistics.intervals import Interval

# Row → measure → the row against the baseline.
Differences = dict[str, dict[str, PairwiseResult]]
# Retrievers that match what is written; they have no prefixes and no model's length.
_LEXICAL = ("bm25", "char")
_KIND = re.compile(r"\w+")
_RECALL = re.compile(r"R@\d+")


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
    """What has to be computed for a report.

    Attributes:
        intervals: language → row → measure → 95 % interval of the mean over queries.
        differences: language → row → measure → the row against the baseline; oracles are not compared.
        gaps: language → headroom.
        diagnoses: language → row → what its values show.
    """

    intervals: dict[str, dict[str, dict[str, Interval | None]]]
    differences: dict[str, Differences]
    gaps: dict[str, Gap]
    diagnoses: dict[str, dict[str, list[Diagnosis]]]


def figures(study: Study) -> Figures:
    """Return what a study shows; `compare_runs` says how p values are corrected."""
    found = Figures({}, {}, {}, {})
    for lang in tqdm(study.languages, desc="comparing", unit="language", leave=False, disable=None):
        found.intervals[lang] = _intervals(study, lang)
        found.differences[lang] = differences = _differences(study, lang)
        found.diagnoses[lang] = {row.name: _diagnoses(study, differences, row, lang) for row in study.in_language(lang)}
        gap = _gap(study, lang)
        if gap is not None:
            found.gaps[lang] = gap
    return found


def _intervals(study: Study, lang: str) -> dict[str, dict[str, Interval | None]]:
    return {
        row.name: {str(measure): measured.interval(measure) for measure in measured.measures}
        for row in study.in_language(lang)
        for measured in (row.runs[lang].measured,)
    }


def _differences(study: Study, lang: str) -> Differences:
    here = study.in_language(lang)
    baseline = next((row for row in here if row.role is Role.BASELINE), None)
    systems = [row for row in here if row.role is Role.SYSTEM]
    if baseline is None or not systems:
        return {}
    found: Differences = {row.name: {} for row in systems}
    measured = [row.runs[lang].measured for row in (baseline, *systems)]
    for section in compare_runs(measured, study.seed).sections:
        for row, result in zip(systems, section.rows, strict=True):
            found[row.name][section.metric.name] = result
    return found


def _gap(study: Study, lang: str) -> Gap | None:
    measure, here = study.measures[0], study.in_language(lang)
    system = next((row for row in here if row.role is not Role.ORACLE), None)
    oracle = next((row for row in here if row.role is Role.ORACLE), None)
    if system is None or oracle is None:
        return None
    measured = [system.runs[lang].measured, oracle.runs[lang].measured]
    compared = compare_runs(measured, study.seed).sections[0].rows[0]
    return Gap(system.name, oracle.name, value(system, lang, measure), value(oracle, lang, measure), compared)


def _diagnoses(study: Study, differences: Differences, row: Row, lang: str) -> list[Diagnosis]:
    """Return what a system's values show, beside those of the other rows."""
    here = study.in_language(lang)

    def first(rows: list[Row]) -> Mapping[str, float | None]:
        return rows[0].means(lang) if rows else {}

    measured = row.runs[lang].measured
    tied = measured.evaluation.tied_at_cut.get(study.measures[0], 0)
    kind = _KIND.match(row.parts)
    values = _asked(study, row, lang)
    beside = Beside(
        bm25=first([other for other in here if other.role is Role.BASELINE and other is not row]),
        first_stage=first([other for other in here if other.name == row.first_stage]),
        rerank_depth=row.reranked or 0,
        oracle=first([other for other in here if other.role is Role.ORACLE]),
        closed_book=first([other for other in here if other.asks == "closed-book"]),
        sub_questions=first([other for other in here if other.asks == "subquestions"]),
        tied=tied / len(measured.evaluation.query_ids) if measured.evaluation.query_ids else 0.0,
        worse_than_bm25=_is_worse(differences, row, first_read(values)),
        lexical=kind is not None and kind[0] in _LEXICAL,
        depth=study.top_k,
        attainable=measured.attainable(),
    )
    return diagnose(values, beside)


def _asked(study: Study, row: Row, lang: str) -> dict[str, float | None]:
    """Return the means without a recall that no table shows, if the tables show another."""
    own = row.means(lang)
    if not any(map(_RECALL.fullmatch, study.measures)):
        return own
    return {name: mean for name, mean in own.items() if name in study.measures or not _RECALL.fullmatch(name)}


def _is_worse(differences: Differences, row: Row, measure: str) -> bool:
    """Tell whether a system is significantly worse than the baseline, and is not BM25 itself over other units."""
    kind = _KIND.match(row.parts)
    if kind is not None and kind[0] == "bm25" and row.reranked is None and row.asks == "question":
        return False
    compared = differences.get(row.name, {}).get(measure)
    return compared is not None and compared.outcome is Outcome.WORSE
