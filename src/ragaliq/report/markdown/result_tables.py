"""The tables of results.md: one language's runs, best first, and what the data say of their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragaliq.aggregate.cross_lingual import kb_lang
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.compare.results import LanguageTable, ResultRow
from ragaliq.metrics.answers.aggregates import GRADES
from ragaliq.report.format import NONE, between, markdown, number, ranks

# The parts of a system that a table names.
_NAMED = ("reader", "embedder", "reranker")


def language_section(table: LanguageTable) -> str:
    """Return the part of results.md on one language."""
    parts = [f"## {table.lang}", markdown([_row(row) for row in table.rows]), *table.ranking, *_flags(table)]
    abstentions = [_abstention_row(row) for row in table.rows]
    if any(abstentions):
        parts.append("Abstaining, over all queries; abstaining from an unanswerable query is right:")
        parts.append(markdown([row for row in abstentions if row]))
    return "\n\n".join([*parts, *overlap_section(table.runs, table.lang)])


def _flags(table: LanguageTable) -> list[str]:
    flags = []
    if table.judges:
        judges = ", ".join(table.judges)
        flags.append(f"These rows were graded by different judges ({judges}): their order is not a ranking.")
    if not table.same_queries:
        flags.append("These rows answer different numbers of queries (see `n`): their order is not a ranking.")
    if not table.same_documents:
        flags.append("Runs over documents in other languages (`kb_lang`) are systems of their own in this table.")
    return flags


def _row(row: ResultRow) -> dict[str, str]:
    summary, config = row.summary, row.run.config
    values = summary.aggregates
    return {
        **_system(config["system"]),
        "lang": summary.lang,
        "weighted_score": NONE if row.withheld else number(values.weighted_score),
        "language_consistency_score": number(summary.language_consistency),
        "mean_grade": number(values.mean_nonzero),
        "median_grade": number(values.median_nonzero),
        "percentage": number(values.percentage),
        "percentage_with_zero": number(values.percentage_with_zero),
        **{str(grade): str(values.counts[grade]) for grade in GRADES},
        "generation_time": number(row.run.seconds.get(summary.lang)),
        "n": f"{values.n_scored}/{values.n_expected}",
        "coverage": number(values.coverage),
        "ci95": NONE if row.withheld else between(values.weighted_score_ci),
        "rank_ci": NONE if row.ranks is None else ranks(row.ranks.low, row.ranks.high),
        "judge": summary.judge or NONE,
        "retriever_name": config["system"]["retriever"]["kind"],
        "kb_lang": kb_lang(config),
        "run": row.run.name,
    }


def _abstention_row(row: ResultRow) -> dict[str, str]:
    """Return a row of the table of abstentions, empty where every query is answerable."""
    table = row.summary.abstention
    if table is None:
        return {}
    return {
        "run": row.run.name,
        **_system(row.run.config["system"]),
        "lang": row.summary.lang,
        "unanswerable: abstained": str(table.abstained_unanswerable),
        "unanswerable: answered": str(table.answered_unanswerable),
        "answerable: abstained": str(table.abstained_answerable),
        "answerable: answered": str(table.answered_answerable),
        "failed": str(table.n_failed),
        "precision": number(table.precision),
        "recall": number(table.recall),
        "f1": number(table.f1),
    }


def overlap_section(runs: Sequence[RunFigures], lang: str) -> list[str]:
    """Return a table of overlap and language in one language; nothing, if no run has measured it."""
    rows = [_overlap_row(run, lang) for run in runs if lang in run.metrics.get("overlap", {})]
    if not rows:
        return []
    return [
        "Beside the grade, never instead of it: overlap with the reference (in brackets Spearman's ρ with the "
        "grade), and the share of answers in the query's language: whole, in every line, in every word:",
        markdown(rows),
    ]


def _overlap_row(run: RunFigures, lang: str) -> dict[str, str]:
    overlap = run.metrics["overlap"][lang]
    rates = run.metrics.get("language", {}).get(lang, {})
    return {
        "run": run.name,
        "n": str(overlap["n"]),
        **{name: f"{value['mean']:.3f} ({_signed(value['rho'])})" for name, value in overlap["measures"].items()},
        **{f"language: {part}": _share(rates.get(part)) for part in ("answers", "lines", "words")},
    }


def _signed(value: float | None) -> str:
    return NONE if value is None else f"{value:+.2f}"


def _share(rate: Mapping[str, Any] | None) -> str:
    """Return a share with the number that it is of, such as `0.950 of 40`."""
    if rate is None or rate["value"] is None:
        return NONE
    return f"{rate['value']:.3f} of {rate['n_decided']}"


def _system(system: Mapping[str, Any]) -> dict[str, str]:
    names = {part: ":".join(filter(None, (system[part]["kind"], system[part]["model"]))) for part in _NAMED}
    # Words alone need no vectors.
    embedder = NONE if system["retriever"]["kind"] == "bm25" else names["embedder"]
    return {"model_name": names["reader"], "embedder_name": embedder, "reranker_name": names["reranker"]}
