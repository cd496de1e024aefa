"""What the values of a system show beside those of the other systems of an experiment."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragaliq.compare.comparison import Outcome
from ragaliq.experiment.figures import Figures, Role, Row, Study
from ragaliq.report.markdown.diagnoses import Beside, Diagnosis, diagnose, first_read

# Retrievers that match what is written; they have no prefixes and no model's length.
_LEXICAL = ("bm25", "char")
_KIND = re.compile(r"\w+")
_RECALL = re.compile(r"R@\d+")


def diagnosed(study: Study, found: Figures, row: Row, lang: str) -> list[Diagnosis]:
    """Return what a system's values show, beside those of the other rows."""
    here = study.in_language(lang)

    def first(rows: list[Row]) -> Mapping[str, float | None]:
        return means(rows[0], lang) if rows else {}

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
        worse_than_bm25=_is_worse(found, row, lang, first_read(values)),
        lexical=kind is not None and kind[0] in _LEXICAL,
        depth=study.top_k,
        attainable=measured.attainable(),
    )
    return diagnose(values, beside)


def means(row: Row, lang: str) -> dict[str, float | None]:
    """Return the mean of everything that was measured of a row, shown or not."""
    evaluation = row.runs[lang].measured.evaluation
    return {measure: evaluation.mean(measure) for measure in evaluation.values}


def _asked(study: Study, row: Row, lang: str) -> dict[str, float | None]:
    """Return the means without a recall that no table shows, if the tables show another."""
    own = means(row, lang)
    if not any(map(_RECALL.fullmatch, study.measures)):
        return own
    return {name: mean for name, mean in own.items() if name in study.measures or not _RECALL.fullmatch(name)}


def _is_worse(found: Figures, row: Row, lang: str, measure: str) -> bool:
    """Tell whether a system is significantly worse than the baseline, and is not BM25 itself over other units."""
    kind = _KIND.match(row.parts)
    if kind is not None and kind[0] == "bm25" and row.reranked is None and row.asks == "question":
        return False
    compared = found.differences[lang].get(row.name, {}).get(measure)
    return compared is not None and compared.outcome is Outcome.WORSE
