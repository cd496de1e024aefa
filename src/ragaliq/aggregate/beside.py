"""What stands beside the grade: overlap with the reference, and the language of answers and their parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from ragaliq.metrics.agreement.rank_correlation import rank_correlation
from ragaliq.metrics.answers.language import pass_rates
from ragaliq.metrics.answers.overlap import MEASURES, overlap
from ragaliq.report.format import NONE
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import FAILED
from ragaliq.storage.record_store import Key

Json = dict[str, Any]


def measure_overlap(folder: RunFolder) -> dict[str, Json]:
    """Return for each language the mean of each measure of overlap, and how it goes with the grade.

    Over the answers to answerable queries whose reader did not fail and whose reference holds a word: `n` of them, of
    which `n_graded` have a grade; `rho` is Spearman's over the latter, None where it is undefined. Aliases of the
    reference count as references.
    """
    answers, verdicts = folder.answers(), folder.verdicts()
    values: dict[str, list[tuple[dict[str, float], int | None]]] = {}
    for key in answers:
        note = answers.header(key)
        if not note.answerable or note.outcome in FAILED:
            continue
        row = answers[key]
        found = overlap(row.answer.text, (row.item.reference, *row.item.aliases))
        if found is not None:
            values.setdefault(key[0], []).append((found, verdicts.header(key).grade if key in verdicts else None))
    return {lang: _overlap_of(rows) for lang, rows in values.items()}


def _overlap_of(rows: Sequence[tuple[dict[str, float], int | None]]) -> Json:
    graded = [(found, grade) for found, grade in rows if grade is not None]
    grades = [float(grade) for _, grade in graded]
    return {
        "n": len(rows),
        "n_graded": len(graded),
        "measures": {
            name: {
                "mean": fmean(found[name] for found, _ in rows),
                "rho": rank_correlation([found[name] for found, _ in graded], grades),
            }
            for name in MEASURES
        },
    }


def measure_languages(folder: RunFolder) -> dict[str, Json]:
    """Return for each language how many answers, lines and words are in the language of the query.

    Answers of readers that failed do not count. See `metrics.language.LanguagePassRates`.
    """
    answers = folder.answers()
    marks: dict[str, list[Key]] = {}
    for key in answers:
        if answers.header(key).outcome not in FAILED:
            marks.setdefault(key[0], []).append(key)
    return {lang: asdict(pass_rates(_marks(answers.header(key) for key in keys))) for lang, keys in marks.items()}


def _marks(notes: Iterable[Any]) -> list[tuple[bool | None, bool | None, bool | None]]:
    return [(note.language.answer, note.language.lines, note.language.words) for note in notes]


def beside_section(runs: Sequence[tuple[str, Json]], lang: str) -> list[str]:
    """Return a table of what stands beside the grade in one language, from the `metrics.json` of runs by name.

    Nothing, if no run has measured it.
    """
    rows = [_row(name, metrics, lang) for name, metrics in runs if lang in metrics.get("overlap", {})]
    if not rows:
        return []
    from tabulate import tabulate

    table = tabulate(rows, headers="keys", tablefmt="pipe", disable_numparse=True)
    return [
        "Beside the grade, never instead of it: overlap with the reference (in brackets Spearman's ρ with the "
        "grade), and the share of answers in the query's language: whole, in every line, in every word:",
        table,
    ]


def _row(name: str, metrics: Json, lang: str) -> dict[str, str]:
    own = metrics["overlap"][lang]
    rates = metrics.get("language", {}).get(lang, {})
    return {
        "run": name,
        "n": str(own["n"]),
        **{key: f"{value['mean']:.3f} ({_signed(value['rho'])})" for key, value in own["measures"].items()},
        **{f"language: {part}": _share(rates.get(part)) for part in ("answers", "lines", "words")},
    }


def _signed(value: float | None) -> str:
    return NONE if value is None else f"{value:+.2f}"


def _share(rate: Json | None) -> str:
    """Return a share with the number that it is of, such as `0.950 of 40`."""
    if rate is None or rate["value"] is None:
        return NONE
    return f"{rate['value']:.3f} of {rate['n_decided']}"
