"""The tables of results.md: one language's runs, best first, and what the data say of their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragaliq.aggregate.cross_lingual import kb_lang
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.compare.results import LanguageTable, ResultRow
from ragaliq.metrics.answers.aggregates import GRADES
from ragaliq.report.format import NONE, between, code, escaped, markdown, number, ranks, thousandths
from ragaliq.report.terminal import mean_grade

# The parts of a system that a table names.
_NAMED = ("reader", "embedder", "reranker")
# The figures beside the grade: title → part of metrics.json and figure.
_BESIDE = {
    "supported": ("groundedness", "supported"),
    "contradicted": ("groundedness", "contradicted"),
    "nuggets: vital, strict": ("nuggets", "vital_strict"),
    "nuggets: all": ("nuggets", "all"),
}
# Of the reader's seconds.
_TIMES = ("median", "p95")
# These only where a model has judged the context.
_CONTEXT = {"context precision": ("context", "precision"), "context recall": ("context", "recall")}


def language_section(table: LanguageTable) -> str:
    """Return the part of results.md on one language."""
    told = map(escaped, (*_scale(table.rows), *table.ranking, *_flags(table)))
    parts = [escaped(f"## {table.lang}"), markdown([_row(row) for row in table.rows]), *told]
    abstentions = [_abstention_row(row) for row in table.rows]
    if any(abstentions):
        parts.append("Abstaining, over all queries; abstaining from an unanswerable query is right:")
        parts.append(markdown([row for row in abstentions if row]))
    beside = (
        *groundedness_section(table.runs, table.lang),
        *overlap_section(table.runs, table.lang),
        *times_section([row.run for row in table.rows], table.lang),
    )
    return "\n\n".join([*parts, *beside])


def _scale(rows: Sequence[ResultRow]) -> list[str]:
    """Return how the figures of the first row that has them hang together."""
    row = next((row for row in rows if not row.withheld and row.summary.aggregates.mean_nonzero is not None), None)
    if row is None:
        return []
    values = row.summary.aggregates
    return [
        f"{row.run.name}: weighted score {thousandths(values.weighted_score)} (mean weight "
        f"{thousandths(values.mean_weight)}, squared; differences are in mean weight), mean grade {mean_grade(values)}."
    ]


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
        **system_names(config["system"]),
        "lang": summary.lang,
        "weighted_score": NONE if row.withheld else number(values.weighted_score),
        "language_consistency_score": number(summary.language_consistency),
        "mean_grade": number(values.mean_nonzero),
        "median_grade": number(values.median_nonzero),
        "percentage": number(values.percentage),
        "percentage_with_zero": number(values.percentage_with_zero),
        **{str(grade): str(values.counts[grade]) for grade in GRADES},
        "generation_time": number(row.run.times[summary.lang].total if summary.lang in row.run.times else None),
        "n": f"{values.n_scored}/{values.n_expected}",
        "coverage": number(values.coverage),
        "ci95": NONE if row.withheld else between(values.weighted_score_ci),
        "rank_ci": NONE if row.ranks is None else ranks(row.ranks.low, row.ranks.high),
        "judge": summary.judge or NONE,
        "mean_weight": NONE if row.withheld else thousandths(values.mean_weight),
        "retriever_name": _component(config["system"], "retriever", "kind", "model"),
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
        **system_names(row.run.config["system"]),
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


def groundedness_section(runs: Sequence[RunFigures], lang: str) -> list[str]:
    """Return a table of groundedness, nuggets, context and length in a language; nothing, if no run was checked."""
    checked = [run for run in runs if lang in run.metrics.get("groundedness", {})]
    if not checked:
        return []
    judged = any(_judged(run, lang) for run in checked)
    about_context = (
        " Context precision: are the chunks that help to arrive at the reference shown first (average precision)? "
        "Context recall: the share of the reference's sentences that the chunks shown bear out. Both as judged by a "
        "model in `n context`."
    )
    return [
        "Beside the grade, never instead of it: the share of sentences that the passages shown support or contradict, "
        "the share of nuggets that answers hold (vital ones in full; all, partial support counting half), and the "
        "median length of an answer in characters. In brackets 95 % intervals over queries; `n` answers were checked, "
        f"nuggets were looked for in `n nuggets`.{about_context if judged else ''} {_by_whom(checked, lang)}",
        markdown([_groundedness_row(run, lang, judged) for run in checked], right=True),
        *_citations([run for run in checked if lang in run.metrics.get("citations", {})], lang),
    ]


def _citations(runs: Sequence[RunFigures], lang: str) -> list[str]:
    if not runs:
        return []
    rows = [
        {
            "run": run.name,
            "n": str(run.metrics["citations"][lang]["recall"]["n"]),
            "n citations": _of(run.metrics["citations"][lang]),
            **{name: _figure(run.metrics["citations"][lang][name]) for name in ("precision", "recall")},
        }
        for run in runs
    ]
    return [
        "Citations, by the support of each cited document alone (in full 1, in part .5): precision over the citations "
        "of an answer, recall over its sentences, means over `n` answers that list their sentences; `n citations` were "
        "checked:",
        markdown(rows, right=True),
    ]


def _groundedness_row(run: RunFigures, lang: str, with_context: bool) -> dict[str, str]:
    parts = {part: run.metrics.get(part, {}).get(lang, {}) for part in ("groundedness", "nuggets", "context")}
    length = parts["groundedness"]["median_characters"]
    columns = {**_BESIDE, **(_CONTEXT if with_context else {})}
    return {
        "run": run.name,
        "n": _of(parts["groundedness"]),
        "n nuggets": _of(parts["nuggets"]),
        **({"n context": _of(parts["context"] if _judged(run, lang) else {})} if with_context else {}),
        **{title: _figure(parts[part].get(name)) for title, (part, name) in columns.items()},
        "length": NONE if length is None else f"{length:.0f}",
    }


def _judged(run: RunFigures, lang: str) -> bool:
    """Return whether anybody has judged a run's context."""
    return bool(run.metrics.get("context", {}).get(lang, {}).get("judges"))


def _figure(figure: Mapping[str, Any] | None) -> str:
    if figure is None or figure["value"] is None:
        return NONE
    return thousandths(figure["value"]) + (f" ({between(figure['ci'])})" if figure["ci"] else "")


def _of(part: Mapping[str, Any]) -> str:
    return f"{part['n']}/{part['n_expected']}" if part else NONE


def _by_whom(runs: Sequence[RunFigures], lang: str) -> str:
    """Return who checked and matched, and that rows by different ones do not compare."""
    listed = [
        ("groundedness", "checkers", "Checked"),
        ("nuggets", "matchers", "nuggets matched"),
        ("context", "judges", "context judged"),
    ]
    said, mixed = [], False
    for part, key, verb in listed:
        names = sorted({name for run in runs for name in run.metrics.get(part, {}).get(lang, {}).get(key, ())})
        mixed = mixed or len(names) > 1
        if names:
            said.append(f"{verb} by {', '.join(map(code, names))}")
    return "; ".join(said) + "." + (" Figures by different ones do not compare." if mixed else "")


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


def times_section(runs: Sequence[RunFigures], lang: str) -> list[str]:
    """Return a table of the reader's seconds in a language; nothing, if no run has any."""
    rows = [
        {"run": run.name, "n": str(times.n), **{part: number(getattr(times, part)) for part in _TIMES}}
        for run in runs
        if (times := run.times.get(lang)) is not None
    ]
    if not rows:
        return []
    return ["The reader's seconds an item, those of its own call:", markdown(rows, right=True)]


def _signed(value: float | None) -> str:
    return NONE if value is None else f"{value:+.2f}"


def _share(rate: Mapping[str, Any] | None) -> str:
    """Return a share with the number that it is of, such as `0.950 of 40`."""
    if rate is None or rate["value"] is None:
        return NONE
    return f"{rate['value']:.3f} of {rate['n_decided']}"


def system_names(system: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns that name reader, embedder and reranker of a run's configuration."""
    names = {part: _component(system, part, "kind", "model") for part in _NAMED}
    # Words alone need no vectors.
    embedder = NONE if _component(system, "retriever", "kind") == "bm25" else names["embedder"]
    return {"model_name": names["reader"], "embedder_name": embedder, "reranker_name": names["reranker"]}


def _component(system: Mapping[str, Any], part: str, *keys: str) -> str:
    return ":".join(filter(None, map(system.get(part, {}).get, keys))) or NONE
