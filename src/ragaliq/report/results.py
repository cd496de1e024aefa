"""results.md: the runs on the same data, one table for each language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.io import write_atomic
from ragaliq.metrics.answers import GRADES
from ragaliq.report.summary import Summary, summarise_run
from ragaliq.runs import RunFolder

NONE = "—"
# The parts of a system that a table names.
_NAMED = ("reader", "embedder", "reranker")
Table = list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Result:
    """A run with its configuration, its summaries by language, and its reader's seconds by language."""

    folder: RunFolder
    config: dict[str, Any]
    summaries: dict[str, Summary]
    seconds: dict[str, float]

    @property
    def data(self) -> str:
        """The hash of the data that the run answers."""
        return str(self.config["data"]["hash"])


def load_result(folder: RunFolder) -> Result:
    """Read a run for a report.

    Raises:
        InputError: if the folder is no run, or is not graded yet.
    """
    config = folder.config()
    if not folder.verdicts_file.is_file():
        raise InputError(f"{folder}: not graded yet; `ragaliq judge {folder}` grades it")
    summaries = {summary.lang: summary for summary in summarise_run(folder, config["system"]["seed"])}
    return Result(folder, config, summaries, folder.seconds())


def results_beside(run: RunFolder) -> tuple[list[Result], list[Path]]:
    """Return the graded runs in the folder of `run` that answer the same data, and the folders of the other runs.

    A folder beside `run` that is no run, or a broken one, is among the others.
    """
    data = run.config()["data"]["hash"]
    same, others = [], []
    for path in sorted(run.path.parent.iterdir()):
        folder = RunFolder(path)
        if not folder.config_file.is_file() or not folder.metrics_file.is_file():
            continue
        try:
            beside = load_result(folder)
        except InputError:
            if path == run.path:
                raise
            others.append(path)
            continue
        if beside.data == data:
            same.append(beside)
        else:
            others.append(path)
    return same, others


def write_results(path: Path, results: Sequence[Result], others: Sequence[Path], min_coverage: float) -> list[str]:
    """Write `results.md`, and return a line for each headline that is withheld because its coverage is too low.

    Raises:
        InputError: if the runs answer different data.
    """
    if len({result.data for result in results}) != 1:
        raise InputError("report: these runs answer different data; report each data set by itself")
    withheld: list[str] = []
    head = results[0].config["data"]
    base = head.get("knowledge_base")
    parts = [
        f"# Results on {head['name']} {head['version']}" + (f", {base}" if base else ""),
        f"Data `{head['hash'][:12]}`. Tables are sorted by `weighted_score`, the square of the mean weight of the "
        "grades (5: 1, 4: .8, 3: .6, 0: .4, 2: .2, 1: 0) over the answerable queries. `coverage` is the share of these "
        f"queries that have a grade; below {min_coverage:g} the headline is withheld ({NONE}). `ci95` is the bootstrap "
        "interval over queries. `mean_grade`, `median_grade` and `percentage` (of 5) leave the zeros out, "
        "`percentage_with_zero` does not. `generation_time` is the sum of the reader's seconds. `rank_ci` comes with a "
        "later version.",
    ]
    langs = list(dict.fromkeys(lang for result in results for lang in result.summaries))
    for lang in langs:
        here = [result for result in results if lang in result.summaries]
        parts.append(_section(lang, here, min_coverage, withheld))
    if others:
        names = ", ".join(f"`{path.name}`" for path in others)
        parts.append(f"Not shown, because they answer other data or are broken (`ragaliq report RUN` tells): {names}")
    write_atomic(path, ("\n\n".join(parts) + "\n").encode("utf-8"))
    return withheld


def headline(summary: Summary, min_coverage: float) -> str:
    """Return one language's figures in one line."""
    values, interval = summary.aggregates, summary.aggregates.weighted_score_ci
    score = NONE if not summary.covered(min_coverage) else _number(values.weighted_score)
    ci95 = "" if score == NONE or interval is None else f"  ci95 {interval.low:.3f}–{interval.high:.3f}"
    graded = f"graded {values.n_scored}/{values.n_expected}"
    return f"{summary.lang}  weighted_score {score}{ci95}  {graded}  judge {summary.judge or NONE}"


def _section(lang: str, results: Sequence[Result], min_coverage: float, withheld: list[str]) -> str:
    ranked = sorted(results, key=lambda result: _order(result, lang, min_coverage))
    rows, abstentions = [], []
    for result in ranked:
        summary = result.summaries[lang]
        low = not summary.covered(min_coverage)
        if low:
            withheld.append(
                f"{result.folder}: {lang}: coverage {_number(summary.aggregates.coverage)} "
                f"({summary.aggregates.n_scored} of {summary.aggregates.n_expected}) is below {min_coverage:g}"
            )
        rows.append(_row(result, summary, low))
        if summary.abstention is not None:
            abstentions.append(_abstention_row(result, summary))
    parts = [f"## {lang}", _markdown(rows)]
    judges = sorted({_judge(result, lang) for result in results})
    if len(judges) > 1:
        parts.append(f"These rows were graded by different judges ({', '.join(judges)}): their order is not a ranking.")
    if len({result.summaries[lang].aggregates.n_expected for result in results}) > 1:
        parts.append("These rows answer different numbers of queries (see `n`): their order is not a ranking.")
    if abstentions:
        parts.append("Abstaining, over all queries; abstaining from an unanswerable query is right:")
        parts.append(_markdown(abstentions))
    return "\n\n".join(parts)


def _order(result: Result, lang: str, min_coverage: float) -> tuple[bool, float, str]:
    """Sort by weighted score, best first; withheld headlines come last; ties by the run's name."""
    summary = result.summaries[lang]
    return (not summary.covered(min_coverage), -(summary.aggregates.weighted_score or 0.0), result.folder.path.name)


def _judge(result: Result, lang: str) -> str:
    """Return who graded, by name and hash of prompt and rubric: other words make another judge."""
    recorded = result.config["judge"] or {}
    return f"{result.summaries[lang].judge or NONE} {recorded.get('prompt_hash', '')}".rstrip()


def _row(result: Result, summary: Summary, low: bool) -> dict[str, str]:
    values, interval = summary.aggregates, summary.aggregates.weighted_score_ci
    return {
        **_system(result),
        "lang": summary.lang,
        "weighted_score": NONE if low else _number(values.weighted_score),
        "language_consistency_score": _number(summary.language_consistency),
        "mean_grade": _number(values.mean_nonzero),
        "median_grade": _number(values.median_nonzero),
        "percentage": _number(values.percentage),
        "percentage_with_zero": _number(values.percentage_with_zero),
        **{str(grade): str(values.counts[grade]) for grade in GRADES},
        "generation_time": _number(result.seconds.get(summary.lang)),
        "n": f"{values.n_scored}/{values.n_expected}",
        "coverage": _number(values.coverage),
        "ci95": NONE if low or interval is None else f"{interval.low:.3f}–{interval.high:.3f}",
        "rank_ci": NONE,
        "judge": summary.judge or NONE,
        "retriever_name": result.config["system"]["retriever"]["kind"],
        "run": result.folder.path.name,
    }


def _abstention_row(result: Result, summary: Summary) -> dict[str, str]:
    table = summary.abstention
    assert table is not None
    return {
        **_system(result),
        "lang": summary.lang,
        "unanswerable: abstained": str(table.abstained_unanswerable),
        "unanswerable: answered": str(table.answered_unanswerable),
        "answerable: abstained": str(table.abstained_answerable),
        "answerable: answered": str(table.answered_answerable),
        "failed": str(table.n_failed),
        "precision": _number(table.precision),
        "recall": _number(table.recall),
        "f1": _number(table.f1),
    }


def _system(result: Result) -> dict[str, str]:
    system = result.config["system"]
    names = {part: ":".join(filter(None, (system[part]["kind"], system[part]["model"]))) for part in _NAMED}
    # Words alone need no vectors.
    embedder = NONE if system["retriever"]["kind"] == "bm25" else names["embedder"]
    return {"model_name": names["reader"], "embedder_name": embedder, "reranker_name": names["reranker"]}


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:g}"


def _markdown(rows: Table) -> str:
    from tabulate import tabulate

    return tabulate(rows, headers="keys", tablefmt="pipe", disable_numparse=True)
