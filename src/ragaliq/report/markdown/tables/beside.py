"""The sections of results.md on what stands beside the grade: a row for each run and language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.report.format import NONE, TableRows, code, markdown, seconds, short, with_interval
from ragaliq.report.markdown.tables.systems import TEXTS

# The figures beside the grade: title → part of metrics.json and figure.
_BESIDE = {
    "supported": ("groundedness", "supported"),
    "contradicted": ("groundedness", "contradicted"),
    "nuggets: vital, strict": ("nuggets", "vital_strict"),
    "nuggets: all": ("nuggets", "all"),
}
# These only where a model has judged the context.
_CONTEXT = {"context precision": ("context", "precision"), "context recall": ("context", "recall")}
_CITATIONS = {"citation precision": "precision", "citation recall": "recall"}


def abstention_section(runs: Sequence[RunFigures], langs: Sequence[str]) -> list[str]:
    """Return the table of abstentions; nothing where every query is answerable."""
    rows = _rows(runs, langs, _abstention)
    return ["# Abstention", _table(rows)] if rows else []


def groundedness_section(runs: Sequence[RunFigures], langs: Sequence[str]) -> list[str]:
    """Return the tables of groundedness, nuggets, context and citations; nothing, if no run was checked."""
    judged = any(_judged(run, lang) for run in runs for lang in langs)
    rows = _rows(runs, langs, lambda run, lang: _groundedness(run, lang, judged))
    if not rows:
        return []
    citations = _rows(runs, langs, _citations)
    return [
        "# Groundedness and nuggets",
        _by_whom(runs, langs),
        _table(rows),
        *([_table(citations)] if citations else []),
    ]


def overlap_section(runs: Sequence[RunFigures], langs: Sequence[str]) -> list[str]:
    """Return the table of overlap with the reference and of the answers' language; nothing, if no run has it."""
    rows = _rows(runs, langs, _overlap)
    return ["# Overlap and language of the answers", _table(rows)] if rows else []


def times_section(runs: Sequence[RunFigures], langs: Sequence[str]) -> list[str]:
    """Return the table of the reader's seconds; nothing, if no run has any."""
    rows = _rows(runs, langs, _times)
    return ["# Time", _table(rows)] if rows else []


def _rows(
    runs: Sequence[RunFigures], langs: Sequence[str], cells: Callable[[RunFigures, str], Mapping[str, str]]
) -> TableRows:
    """Return a row for each run and language that has `cells`."""
    rows = ((run.name, lang, cells(run, lang)) for run in runs for lang in langs)
    return [{"run": name, "lang": lang, **own} for name, lang, own in rows if own]


def _table(rows: TableRows) -> str:
    return markdown(rows, texts=TEXTS)


def _abstention(run: RunFigures, lang: str) -> dict[str, str]:
    table = run.summaries[lang].abstention if lang in run.summaries else None
    if table is None:
        return {}
    return {
        "unanswerable: abstained": str(table.abstained_unanswerable),
        "unanswerable: answered": str(table.answered_unanswerable),
        "answerable: abstained": str(table.abstained_answerable),
        "answerable: answered": str(table.answered_answerable),
        "failed": str(table.n_failed),
        "precision": with_interval(table.precision, table.precision_ci),
        "recall": with_interval(table.recall, table.recall_ci),
        "abstention F1": short(table.f1),
    }


def _groundedness(run: RunFigures, lang: str, with_context: bool) -> dict[str, str]:
    if lang not in run.metrics.get("groundedness", {}):
        return {}
    parts = {part: run.metrics.get(part, {}).get(lang, {}) for part in ("groundedness", "nuggets", "context")}
    length = parts["groundedness"]["median_characters"]
    lacking = run.groundedness.lacking.get(lang) if run.groundedness else None
    columns = {**_BESIDE, **(_CONTEXT if with_context else {})}
    return {
        "n": _of(parts["groundedness"]),
        "n nuggets": _of(parts["nuggets"]),
        **({"n context": _of(parts["context"] if _judged(run, lang) else {})} if with_context else {}),
        "not supported": NONE if lacking is None else str(lacking),
        **{title: _figure(parts[part].get(name)) for title, (part, name) in columns.items()},
        "length": NONE if length is None else f"{length:.0f}",
    }


def _citations(run: RunFigures, lang: str) -> dict[str, str]:
    citations = run.metrics.get("citations", {}).get(lang)
    if citations is None:
        return {}
    return {
        "n": str(citations["recall"]["n"]),
        "n citations": _of(citations),
        **{title: _figure(citations[name]) for title, name in _CITATIONS.items()},
    }


def _judged(run: RunFigures, lang: str) -> bool:
    """Return whether anybody has judged a run's context."""
    return bool(run.metrics.get("context", {}).get(lang, {}).get("judges"))


def _figure(figure: Mapping[str, Any] | None) -> str:
    return NONE if figure is None else with_interval(figure["value"], figure["ci"])


def _of(part: Mapping[str, Any]) -> str:
    return f"{part['n']}/{part['n_expected']}" if part else NONE


def _by_whom(runs: Sequence[RunFigures], langs: Sequence[str]) -> str:
    """Return who checked and matched, and that rows by different ones do not compare."""
    listed = [
        ("groundedness", "checkers", "Checked"),
        ("nuggets", "matchers", "nuggets matched"),
        ("context", "judges", "context judged"),
    ]
    said, mixed = [], False
    for part, key, verb in listed:
        figures = (run.metrics.get(part, {}).get(lang, {}) for run in runs for lang in langs)
        names = sorted({name for figure in figures for name in figure.get(key, ())})
        mixed = mixed or len(names) > 1
        if names:
            said.append(f"{verb} by {', '.join(map(code, names))}")
    return "; ".join(said) + "." + (" Figures by different ones do not compare." if mixed else "")


def _overlap(run: RunFigures, lang: str) -> dict[str, str]:
    overlap = run.metrics.get("overlap", {}).get(lang)
    if overlap is None:
        return {}
    rates = run.metrics.get("language", {}).get(lang, {})
    return {
        "n": str(overlap["n"]),
        **{name: f"{value['mean']:.3f} ({_signed(value['rho'])})" for name, value in overlap["measures"].items()},
        **{f"language: {part}": _share(rates.get(part)) for part in ("answers", "lines", "words")},
    }


def _times(run: RunFigures, lang: str) -> dict[str, str]:
    times = run.times.get(lang)
    if times is None:
        return {}
    return {"n": str(times.n), "median s": seconds(times.median), "p95 s": seconds(times.p95)}


def _signed(value: float | None) -> str:
    return NONE if value is None else f"{value:+.2f}"


def _share(rate: Mapping[str, Any] | None) -> str:
    """Return a share with its interval and the number that it is of, such as `0.950 (0.835–0.986) of 40`."""
    if rate is None or rate["value"] is None:
        return NONE
    return f"{with_interval(rate['value'], rate.get('ci'))} of {rate['n_decided']}"
