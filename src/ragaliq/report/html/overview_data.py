"""The figures of the page: records of runs as its `overview`; nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragaliq.aggregate.cross_lingual import Matrix, kb_lang
from ragaliq.aggregate.language_gap import gap_to_json
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.aggregate.usage import ReaderTimes
from ragaliq.compare.overview.language_tables import LanguageRow
from ragaliq.compare.overview.systems import SystemOverview
from ragaliq.compare.results import Results
from ragaliq.compare.standings import ALL
from ragaliq.judge.rubric import load_rubric
from ragaliq.metrics.weights import WEIGHTS
from ragaliq.report.findings import finding_sentences
from ragaliq.report.format import NONE
from ragaliq.report.html.legend import page_legend
from ragaliq.report.html.notes import judge_lines, result_notes
from ragaliq.report.markdown.tables.systems import system_names
from ragaliq.report.stages import STAGES
from ragaliq.text.language_names import english_name, writes_from_right

_PARTS = ("reader", "embedder", "reranker", "retriever")


def overview_to_json(results: Results, runs: Mapping[str, RunFigures]) -> dict[str, Any]:
    """Return the figures of runs on the same data; `runs` are these by the name that the page gives them."""
    data, meanings = results.data, load_rubric().meanings
    return {
        "title": f"{data['name']} {data['version']}",
        "data": {key: data[key] for key in ("name", "version", "hash")},
        "languages": [_language(table.lang) for table in results.languages],
        "pooled": list(results.overview.pooled),
        "stages": [{"id": stage, "name": name, "meaning": meaning} for stage, (name, meaning) in STAGES.items()],
        "grades": [
            {"grade": grade, "meaning": meanings[grade], "weight": WEIGHTS[grade]}
            for grade in sorted(meanings, reverse=True)
        ],
        "systems": [_system(name, system) for name, system in zip(runs, results.overview.systems, strict=True)],
        "findings": finding_sentences(results.findings),
        "notes": result_notes(results),
        "judges": judge_lines(results.judges),
        "legend": page_legend(results.overview),
        "gaps": _gaps(results, runs),
        "matrices": [_matrix(matrix) for matrix in results.matrices],
    }


def _language(lang: str) -> dict[str, str]:
    return {"code": lang, "name": english_name(lang), "dir": "rtl" if writes_from_right(lang) else "ltr"}


def _system(name: str, overview: SystemOverview) -> dict[str, Any]:
    run = overview.run
    system, judge = run.config["system"], run.config["judge"]
    return {
        "name": name,
        **{part: _component(system.get(part)) for part in _PARTS},
        "embedder": system_names(system)["embedder_name"].replace(NONE, ""),
        "kb_lang": kb_lang(run.config),
        "judge": "" if judge is None else str(judge.get("name") or _component(judge)),
        "all": None if overview.pooled is None else _overall(overview, overview.pooled),
        "by_lang": {lang: _cell(lang, row) for lang, row in overview.by_lang.items()},
        "cost": None if overview.cost is None else overview.cost.per_query,
        "cost_total": None if overview.cost is None else overview.cost.total,
        "seconds": overview.seconds,
    }


def _overall(overview: SystemOverview, row: LanguageRow) -> dict[str, Any]:
    """Return a system's figures over all of its languages; its grades are of those that all systems share."""
    grounded, times = overview.groundedness, overview.run.all_times
    support = None if grounded is None else {"value": grounded.supported, "ci": grounded.interval, "n": grounded.n}
    return {
        **_cell(ALL, row),
        "abstention": None if overview.abstention is None else overview.abstention.to_json(),
        "supported": support,
        "seconds": None if times is None else _seconds(times),
    }


def _seconds(times: ReaderTimes) -> dict[str, Any]:
    return {"n": times.n, "median": times.median, "p95": times.p95}


def _component(component: Mapping[str, Any] | None) -> str:
    return ":".join(filter(None, (component.get("kind"), component.get("model")))) if component else ""


def _cell(lang: str, row: LanguageRow) -> dict[str, Any]:
    """Return a system's figures in one language; a headline that is withheld is null."""
    values, metrics = row.summary.aggregates, row.run.metrics
    times, table = row.run.times.get(lang), row.summary.abstention
    shown = {
        "score": values.weighted_score,
        "ci": values.weighted_score_ci,
        "mean_weight": values.mean_weight,
        "mean_weight_ci": values.mean_weight_ci,
    }
    return {
        **({key: None for key in shown} if row.withheld else shown),
        "withheld": row.withheld,
        "n": values.n_scored,
        "n_expected": values.n_expected,
        "coverage": values.coverage,
        "rank": None if row.ranks is None else [row.ranks.low, row.ranks.high],
        "selection": row.selection,
        "new_sample": row.new_sample,
        "counts": [values.counts[grade] for grade in sorted(values.counts)],
        "mean_grade": values.mean_nonzero,
        "abstention": None if table is None else table.to_json(),
        "supported": _supported(metrics.get("groundedness", {}).get(lang)),
        "seconds": None if times is None else _seconds(times),
        **{part: metrics.get(part, {}).get(lang) for part in ("waterfall", "retrieval")},
    }


def _supported(figures: Mapping[str, Any] | None) -> dict[str, Any] | None:
    figure = (figures or {}).get("supported")
    if not figures or not figure:
        return None
    return {"value": figure["value"], "ci": figure["ci"], "n": figures["n"]}


def _gaps(results: Results, runs: Mapping[str, RunFigures]) -> list[dict[str, Any]]:
    names = {run.folder.path: name for name, run in runs.items()}
    gaps = ((names[one.run.folder.path], gap_to_json(one.gap)) for one in results.gaps)
    return [{"system": name, **gap} for name, gap in gaps if gap is not None]


def _matrix(matrix: Matrix) -> dict[str, Any]:
    parts = (_component(matrix.system.get(part)) for part in _PARTS)
    return {
        "system": ", ".join(filter(None, parts)),
        "rows": list(matrix.rows),
        "columns": list(matrix.columns),
        "cells": [
            {
                "row": lang,
                "column": column,
                "mean_weight": cell.mean_weight,
                "n": cell.n_graded,
                "n_expected": cell.n_expected,
                "retrieved": None if cell.retrieved is None else cell.retrieved.value,
            }
            for (lang, column), cell in matrix.cells.items()
        ],
    }
