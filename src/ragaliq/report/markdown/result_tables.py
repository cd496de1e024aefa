"""The tables of results.md: one language's runs, best first, and what the data say of their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragaliq.aggregate.query_grades import judge_names, judges_of
from ragaliq.aggregate.summary import Summary
from ragaliq.compare.rank_groups import rank_groups
from ragaliq.metrics.answers.aggregates import GRADES
from ragaliq.report.format import NONE, between, markdown, number, ranks

if TYPE_CHECKING:
    from ragaliq.report.markdown.results import Result

# The parts of a system that a table names.
_NAMED = ("reader", "embedder", "reranker")


def language_section(lang: str, results: Sequence[Result], min_coverage: float) -> str:
    """Return the part of results.md on one language."""
    ordered = sorted(results, key=lambda result: _order(result, lang, min_coverage))
    shown = [result for result in ordered if result.summaries[lang].covered(min_coverage)]
    named = _by_name(ordered)
    placed = rank_groups(
        [result.graded[lang] for result in named],
        [result in shown for result in named],
        seed=min(map(_seed, shown), default=0),
    )
    rank_ci = {named[place].folder.path: ranks(found.low, found.high) for place, found in placed.ranks.items()}
    rows = [
        _row(result, result.summaries[lang], result not in shown, rank_ci.get(result.folder.path, NONE))
        for result in ordered
    ]
    parts = [f"## {lang}", markdown(rows), *placed.lines, *_flags(lang, results)]
    abstentions = [_abstention_row(result, result.summaries[lang]) for result in ordered]
    if any(abstentions):
        parts.append("Abstaining, over all queries; abstaining from an unanswerable query is right:")
        parts.append(markdown([row for row in abstentions if row]))
    return "\n\n".join(parts)


def _by_name(results: Sequence[Result]) -> list[Result]:
    """Return runs in an order that does not depend on their figures or on how they were given."""
    return sorted(results, key=lambda result: (result.folder.path.name, str(result.folder.path)))


def _seed(result: Result) -> int:
    return int(result.config["system"]["seed"])


def _flags(lang: str, results: Sequence[Result]) -> list[str]:
    flags = []
    judges = judge_names(judges_of(result.graded[lang] for result in results))
    if len(judges) > 1:
        flags.append(f"These rows were graded by different judges ({', '.join(judges)}): their order is not a ranking.")
    if len({result.summaries[lang].aggregates.n_expected for result in results}) > 1:
        flags.append("These rows answer different numbers of queries (see `n`): their order is not a ranking.")
    if len({_kb_lang(result) for result in results}) > 1:
        flags.append("Runs over documents in other languages (`kb_lang`) are systems of their own in this table.")
    return flags


def _kb_lang(result: Result) -> str:
    return str(result.config["system"].get("kb_lang", "same"))


def _order(result: Result, lang: str, min_coverage: float) -> tuple[bool, float, str]:
    """Sort by weighted score, best first; withheld headlines come last; ties by the run's name."""
    summary = result.summaries[lang]
    return (not summary.covered(min_coverage), -(summary.aggregates.weighted_score or 0.0), result.folder.path.name)


def _row(result: Result, summary: Summary, low: bool, rank_ci: str) -> dict[str, str]:
    values = summary.aggregates
    return {
        **_system(result),
        "lang": summary.lang,
        "weighted_score": NONE if low else number(values.weighted_score),
        "language_consistency_score": number(summary.language_consistency),
        "mean_grade": number(values.mean_nonzero),
        "median_grade": number(values.median_nonzero),
        "percentage": number(values.percentage),
        "percentage_with_zero": number(values.percentage_with_zero),
        **{str(grade): str(values.counts[grade]) for grade in GRADES},
        "generation_time": number(result.seconds.get(summary.lang)),
        "n": f"{values.n_scored}/{values.n_expected}",
        "coverage": number(values.coverage),
        "ci95": NONE if low else between(values.weighted_score_ci),
        "rank_ci": rank_ci,
        "judge": summary.judge or NONE,
        "retriever_name": result.config["system"]["retriever"]["kind"],
        "kb_lang": _kb_lang(result),
        "run": result.folder.path.name,
    }


def _abstention_row(result: Result, summary: Summary) -> dict[str, str]:
    """Return a row of the table of abstentions, empty where every query is answerable."""
    table = summary.abstention
    if table is None:
        return {}
    return {
        "run": result.folder.path.name,
        **_system(result),
        "lang": summary.lang,
        "unanswerable: abstained": str(table.abstained_unanswerable),
        "unanswerable: answered": str(table.answered_unanswerable),
        "answerable: abstained": str(table.abstained_answerable),
        "answerable: answered": str(table.answered_answerable),
        "failed": str(table.n_failed),
        "precision": number(table.precision),
        "recall": number(table.recall),
        "f1": number(table.f1),
    }


def _system(result: Result) -> dict[str, str]:
    system = result.config["system"]
    names = {part: ":".join(filter(None, (system[part]["kind"], system[part]["model"]))) for part in _NAMED}
    # Words alone need no vectors.
    embedder = NONE if system["retriever"]["kind"] == "bm25" else names["embedder"]
    return {"model_name": names["reader"], "embedder_name": embedder, "reranker_name": names["reranker"]}
