"""The report of a retrieval experiment: `retrieval.md` for people, `metrics.json` for programs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragaliq.compare.standings import PairwiseResult
from ragaliq.experiment.figures.diagnoses import Diagnosis, contamination
from ragaliq.experiment.figures.study import Role, Row, Study
from ragaliq.experiment.figures.study_figures import Figures
from ragaliq.formats.catalogue import find
from ragaliq.metrics.retrieval.measures import parse_measure
from ragaliq.report.format import bulleted, bullets, code, decimals, escaped
from ragaliq.report.markdown.published import published_json, published_section
from ragaliq.report.markdown.retrieval_tables import (
    differences_table,
    headroom_table,
    system_languages_table,
    systems_table,
    values_table,
)
from ragaliq.storage.files import write_atomic, write_json
from ragaliq.storage.foreign import is_json_of, refuse_foreign

KIND = "ragaliq-experiment-1"
_HEADING = "# Retrieval: "
# What the tables show already.
_SHOWN = ("read-first", "headroom", "reranked", "tied-scores")
# What is the same for all systems, and told of the best one.
_COMMON = ("contamination", "holes")


def refuse_foreign_report(out: Path) -> None:
    """Refuse a folder in which another hand wrote `metrics.json` or `retrieval.md`; raises InputError."""
    advice = "give another folder with --out"
    refuse_foreign(out / "metrics.json", is_json_of({"kind": frozenset({KIND})}), advice)
    refuse_foreign(out / "retrieval.md", lambda text: text.startswith(_HEADING), advice)


def write_report(study: Study, figures: Figures, out: Path) -> list[str]:
    """Write `metrics.json` and `retrieval.md` into a folder, and return the headlines, a line each.

    Raises:
        InputError: if a file cannot be written.
    """
    write_json(out / "metrics.json", study_json(study, figures))
    write_atomic(out / "retrieval.md", page(study, figures).encode("utf-8"))
    measure = study.measures[0]
    lines = []
    for lang in study.languages:
        here = study.in_language(lang)
        told = {row.role: row for row in reversed(here)} | {Role.SYSTEM: here[0]}
        values = [
            f"{role} {told[role].name} {decimals(told[role].runs[lang].measured.evaluation.mean(measure))}"
            for role in Role
            if role in told
        ]
        lines.append(f"{lang}  {measure}: best {', '.join(values)}")
    return lines


def page(study: Study, figures: Figures) -> str:
    """Return the report as Markdown that reads well in a terminal, too."""
    flag = " — TRUNCATED CORPUS: values are too high" if study.truncated else ""
    parts = [escaped(f"{_HEADING}{study.name}{flag}"), _head(study), _measures(study)]
    if len(study.languages) > 1:
        parts += [f"## Languages: {study.measures[0]}", _languages_text(study), system_languages_table(study, figures)]
    for lang in study.languages:
        parts += _language(study, figures, lang)
    parts += published_section(study)
    parts += ["## Contamination", contamination(study.data), "## Systems", systems_table(study)]
    if any("windows of" in row.parts for row in study.rows):
        parts.append(
            "Windows: what they find is told of the documents in which they stand, each with its best window. A window "
            "that spans several documents finds them all at once, in the order of their shares; it does not tell which "
            "of them answers, which costs it places that a window inside one document keeps."
        )
    return "\n\n".join(parts) + "\n"


def _head(study: Study) -> str:
    data = f"Data {code(study.data)}" + (f", split {code(study.split)}" if study.split else "")
    return (
        f"{data}; {study.top_k} documents for each query. Values are means over the queries that have judgements; a "
        "query without a ranking counts 0 and stays in the mean. Brackets: 95 % bootstrap interval over queries. "
        "`Judged@k`: share of the first k documents that were judged; the others count as not relevant. `no ranking`: "
        "queries for which nothing was found. `s/query`: seconds of retrieving and reranking where the run was made; "
        "tokens and US dollars are those of endpoints, without what came from the cache."
    )


def _measures(study: Study) -> str:
    return "\n".join(f"- `{measure}`: {parse_measure(measure).meaning}" for measure in study.measures)


def _languages_text(study: Study) -> str:
    baseline = next((row.name for row in study.rows if row.role is Role.BASELINE), "")
    if not baseline:
        return "The languages count the same in the mean."
    return (
        f"In brackets the difference to {code(baseline)} in the same language, \\* where it is one at 5 % (see below). "
        "`weakest in`: the language in which a system gains the least on it; for the baseline and for oracles, that of "
        "the least value. The languages count the same in the mean."
    )


def _language(study: Study, figures: Figures, lang: str) -> list[str]:
    info = study.languages[lang]
    flag = " — TRUNCATED CORPUS" if info.truncated else ""
    counts = f"{info.n_docs} documents; {info.n_asked} queries asked, {info.n_judged} with judgements."
    parts = [escaped(f"## {lang}{flag}"), counts, values_table(study, figures, lang)]
    differences = differences_table(study, figures, lang)
    if differences:
        baseline = next(row.name for row in study.in_language(lang) if row.role is Role.BASELINE)
        parts += [
            f"Against {code(baseline)}: difference (in %), 95 % interval, p, wins/ties/losses. p: sign-flip "
            "permutation, corrected by Holm for the systems of this table; \\* below .05. No \\* does not mean equal.",
            differences,
        ]
    if lang in figures.gaps:
        text = f"Headroom in {study.measures[0]}: what a retriever would gain that knew the answer."
        parts += [text, headroom_table(lang, figures.gaps[lang])]
    lines = [f"{code(row.name)}: {escaped(one.text)}" for row, own in _diagnoses(study, figures, lang) for one in own]
    notes = [*info.notes, *_findings(study, lang)]
    return [*parts, *([bulleted(lines)] if lines else []), *([bullets(notes)] if notes else [])]


def _findings(study: Study, lang: str) -> list[str]:
    """Return what looks wrong in the runs; that queries are missing stands in the table."""
    return [
        finding
        for row in study.in_language(lang)
        for finding in row.runs[lang].measured.findings
        if not finding.startswith("warning[missing-queries]")
    ]


def _diagnoses(study: Study, figures: Figures, lang: str) -> list[tuple[Row, list[Diagnosis]]]:
    """Return what the values of the systems show: of the best one everything, of the others what is particular."""
    diagnoses, systems = figures.diagnoses[lang], [r for r in study.in_language(lang) if r.role is not Role.ORACLE]
    told = []
    for place, row in enumerate(systems):
        hidden = (*_SHOWN, *_COMMON) if place else _SHOWN
        told.append((row, [one for one in diagnoses[row.name] if one.name not in hidden]))
    return told


def study_json(study: Study, figures: Figures) -> dict[str, Any]:
    """Return a study as programs read it; undefined is None."""
    known = find(study.data)
    return {
        "kind": KIND,
        "name": study.name,
        "data": study.data,
        "catalogue_name": known.name if known else None,
        "split": study.split,
        "k": study.top_k,
        "seed": study.seed,
        "measures": list(study.measures),
        "truncated": study.truncated,
        "contamination": contamination(study.data),
        "systems": [
            {"name": row.name, "parts": row.parts, "role": str(row.role), "asks": row.asks, "reranked": row.reranked}
            for row in study.rows
        ],
        "languages": {lang: _language_json(study, figures, lang) for lang in study.languages},
        **published_json(study),
    }


def _language_json(study: Study, figures: Figures, lang: str) -> dict[str, Any]:
    info = study.languages[lang]
    gap = figures.gaps.get(lang)
    return {
        "n_docs": info.n_docs,
        "n_asked": info.n_asked,
        "n_judged": info.n_judged,
        "truncated": info.truncated,
        "notes": list(info.notes),
        "rows": [_row_json(study, figures, lang, row) for row in study.in_language(lang)],
        "headroom": gap
        and {
            "measure": study.measures[0],
            "system": gap.system,
            "oracle": gap.oracle,
            "value": gap.below,
            "ceiling": gap.ceiling,
            **_compared_json(gap.difference),
        },
    }


def _row_json(study: Study, figures: Figures, lang: str, row: Row) -> dict[str, Any]:
    run = row.runs[lang]
    evaluation = run.measured.evaluation
    differences = figures.differences[lang].get(row.name, {})
    return {
        "system": row.name,
        "file": run.file,
        "n_queries": len(evaluation.query_ids),
        "n_missing_in_run": evaluation.n_missing,
        "n_without_relevant": evaluation.n_without_relevant,
        "measures": {measure: evaluation.mean(measure) for measure in study.measures},
        "intervals": dict(figures.intervals[lang][row.name]),
        "beside": {name: mean for name, mean in row.means(lang).items() if name not in study.measures},
        "against_baseline": {measure: _compared_json(compared) for measure, compared in differences.items()},
        "seconds_per_query": run.seconds_per_query,
        "tokens_per_query": run.tokens_per_query,
        "usd_per_query": run.usd_per_query,
        "diagnoses": [asdict(one) for one in figures.diagnoses[lang][row.name]],
        "warnings": list(run.measured.findings),
    }


def _compared_json(compared: PairwiseResult) -> dict[str, Any]:
    return {
        "difference": compared.effect.difference,
        "percent": compared.effect.percent,
        "ci": compared.interval,
        "p": asdict(compared.p),
        "holm": asdict(compared.holm),
        "wins": compared.wins.wins,
        "ties": compared.wins.ties,
        "losses": compared.wins.losses,
        "outcome": str(compared.outcome),
    }
