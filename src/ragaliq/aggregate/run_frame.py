"""A run as tables for notebooks: a row for each item, and a summary with a row for each language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ragaliq.aggregate.items.run_items import RunItem, RunItems
from ragaliq.aggregate.summary import Summary
from ragaliq.judge.checks.rates import CheckHeader, check_header
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer
from ragaliq.types import Verdict

if TYPE_CHECKING:
    from pandas import DataFrame

_TEXT = ("query_id", "lang", "question", "reference", "answer", "outcome", "error", "doc_ids", "verdict", "feedback",
         "refuses", "judge", "type", "cause")  # fmt: skip
_COLUMNS = {
    **dict.fromkeys(_TEXT, "object"),
    **dict.fromkeys(("answerable", "in_language"), "boolean"),
    **dict.fromkeys(("grade", "sentences"), "Int64"),
    **dict.fromkeys(("expected_grade", "supported_share", "seconds"), "float64"),
}
_ORDER = ("query_id", "lang", "question", "reference", "answerable", "answer", "outcome", "grade", "verdict",
          "feedback", "refuses", "expected_grade", "judge", "sentences", "supported_share", "in_language", "doc_ids",
          "seconds", "error", "type", "cause")  # fmt: skip


def run_frame(folder: RunFolder) -> DataFrame:
    """Return a run's items, sorted by language and query id.

    `outcome` is the reader's, `verdict` the judge's. `supported_share` is the share of the `sentences` that state
    something which the passages shown support, in part being none. `doc_ids` are those of the passages, joined by
    blanks. `type` is the query's; `cause` is the stage that loses points. What is not known, or about an earlier
    answer, is missing.
    """
    from pandas import DataFrame

    rows = [_cells(item) for item in RunItems(folder).values()]
    return DataFrame(rows, columns=list(_ORDER)).astype(_COLUMNS)


def summary_frame(summaries: Iterable[Summary]) -> DataFrame:
    """Return the headline of each language with its interval, the number of grades and their coverage."""
    from pandas import DataFrame

    rows = []
    for summary in summaries:
        values = summary.aggregates
        low, high = values.weighted_score_ci or (None, None)
        rows.append(
            {
                "lang": summary.lang,
                "weighted_score": values.weighted_score,
                "ci95_low": low,
                "ci95_high": high,
                "n": f"{values.n_scored}/{values.n_expected}",
                "coverage": values.coverage,
                "judge": summary.judge,
            }
        )
    return DataFrame(rows).round(3)


def _cells(item: RunItem) -> dict[str, Any]:
    return {
        **_answer_cells(item.answered),
        **({} if item.verdict is None else _verdict_cells(item.verdict)),
        **({} if item.check is None else _check_cells(check_header(item.check))),
        "type": None if item.waterfall is None else item.waterfall.type,
        "cause": None if item.cause is None else str(item.cause),
        "seconds": item.seconds,
    }


def _answer_cells(answered: RunAnswer) -> dict[str, Any]:
    item, answer = answered.item, answered.answer
    return {
        "query_id": item.query.query_id,
        "lang": item.query.lang,
        "question": item.query.text,
        "reference": item.reference,
        "answerable": item.answerable,
        "answer": answer.text,
        "outcome": str(answer.outcome),
        "error": answer.error or None,
        "in_language": answered.language.answer,
        "doc_ids": " ".join(hit.chunk.doc_id for hit in answer.context),
    }


def _verdict_cells(verdict: Verdict) -> dict[str, Any]:
    return {
        "grade": verdict.grade,
        "verdict": str(verdict.outcome),
        "feedback": verdict.feedback,
        "refuses": None if verdict.refuses is None else str(verdict.refuses),
        "expected_grade": verdict.expected_grade,
        "judge": verdict.judge,
    }


def _check_cells(check: CheckHeader) -> dict[str, Any]:
    if not check.scored:
        return {}
    return {"sentences": check.stating, "supported_share": check.supported_share}
