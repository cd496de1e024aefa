"""Published figures on the same data set beside ours, each with its source."""

from __future__ import annotations

from typing import Any

from ragaliq.experiment.figures import Row, Study
from ragaliq.experiment.reference_figures import ReferenceRow, difference_to_published, rows_for
from ragaliq.formats.catalogue import find
from ragaliq.report.markdown.results import NONE
from ragaliq.report.markdown.retrieval_tables import table

# What a source calls the text that is searched for → what our rows ask.
_ASKS = {
    "question": "question",
    "inference: sub-questions": "subquestions",
    "inference: closed-book answer": "closed-book",
    "oracle: answer": "reference",
    "oracle: nuggets": "nuggets",
}


def reference_table(study: Study) -> str:
    """Return what was published for the measures of a study; empty if nothing was.

    A published row of BM25 has the difference of ours in brackets, ours minus published. Other retrievers have another
    model each, so that nothing is said of them.
    """
    by_system: dict[tuple[str, str, str], dict[str, str]] = {}
    for reference, ours in _found(study):
        own = by_system.setdefault((reference.system, reference.setting, reference.source), {})
        own[reference.measure] = f"{reference.value:.3f}" + ("" if ours is None else f" (ours {ours:+.3f})")
    measures = [measure for measure in study.measures if any(measure in own for own in by_system.values())]
    rows = [
        {
            "system": system,
            "asks": setting,
            **{measure: own.get(measure, NONE) for measure in measures},
            "source": source,
        }
        for (system, setting, source), own in by_system.items()
    ]  # fmt: skip
    if not rows:
        return ""
    warning = "Our corpus is truncated: our values do not compare with these.\n\n" if study.truncated else ""
    return warning + table(rows)


def reference_json(study: Study) -> list[dict[str, Any]]:
    """Return the same for programs; `ours_minus_published` is None where there is nothing to compare."""
    return [
        {
            "system": reference.system,
            "setting": reference.setting,
            "measure": reference.measure,
            "value": reference.value,
            "source": reference.source,
            "ours_minus_published": ours,
        }
        for reference, ours in _found(study)
    ]


def _found(study: Study) -> list[tuple[ReferenceRow, float | None]]:
    known = find(study.data)
    lang = known.lang if known and known.lang in study.languages else ""
    if known is None or not lang:
        return []
    found = []
    for reference in rows_for(study.data):
        if reference.measure in study.measures:
            ours = _like(study, reference, lang)
            values = {} if ours is None else {m: ours.runs[lang].measured.evaluation.mean(m) for m in study.measures}
            found.append((reference, difference_to_published(values, reference)))
    return found


def _like(study: Study, reference: ReferenceRow, lang: str) -> Row | None:
    """Return our row that does what a published one did; only BM25 is the same system."""
    asks = _ASKS.get(reference.setting)
    if reference.system != "BM25" or asks is None:
        return None
    return next((row for row in study.in_language(lang) if row.is_bm25 and row.asks == asks), None)
