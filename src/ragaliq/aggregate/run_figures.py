"""All figures of one run, computed from one reading of each of its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.aggregate.answer_language import language_rates, token_consistency_by_language
from ragaliq.aggregate.beside.context import context_by_language
from ragaliq.aggregate.beside.groundedness import (
    Groundedness,
    citations_by_language,
    groundedness_by_language,
    overall_groundedness,
)
from ragaliq.aggregate.beside.nuggets import nuggets_by_language
from ragaliq.aggregate.beside.retrieval import retrieval_by_language
from ragaliq.aggregate.beside.waterfall import waterfall_by_language
from ragaliq.aggregate.language_gap import gap_of, gap_to_json
from ragaliq.aggregate.overlap import overlap_by_language
from ragaliq.aggregate.plots.languages import languages_figure
from ragaliq.aggregate.plots.waterfall import waterfall_figure
from ragaliq.aggregate.run_frame import run_frame, summary_frame
from ragaliq.aggregate.run_rows import RunRows, read_run_rows
from ragaliq.aggregate.summary import Summary, summarise_run
from ragaliq.aggregate.unscored import Unscored, partly_graded, unscored_reasons
from ragaliq.aggregate.usage import ReaderTimes, overall_times, reader_times, usage_by_role
from ragaliq.aggregate.vote_agreement import vote_agreement
from ragaliq.config import path_of
from ragaliq.errors import InputError
from ragaliq.metrics.answers.abstention import AbstentionTable, abstention_table
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.shapes import METRICS
from ragaliq.storage.own_json import read_own_json
from ragaliq.types import SCALE

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

# The documents that a reader was shown, by language and answerable query.
Shown = Mapping[str, Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class RunFigures:
    """A graded run: what `metrics.json`, results.md, comparisons and pages are made from.

    Attributes:
        config: `config.json`.
        summaries: the aggregates by language, in the order of the configuration.
        times: the reader's seconds, by language; no part of `metrics`, which is the same for the same answers.
        all_times: the same of all languages together; None where nothing was timed.
        abstention: of all languages together, in which those of a query belong together; None where every query is
            answerable.
        groundedness: the support of the answers of all languages together; None for a run that was never checked.
        shown: the documents that the reader was shown.
        unscored: why verdicts have no grade.
        n_partly_graded: verdicts with a grade, but not one from each draw.
        n_outdated: verdicts about an earlier answer, by language; they count as missing.
        metrics: the content of `metrics.json`.
    """

    folder: RunFolder
    config: Mapping[str, Any]
    summaries: Mapping[str, Summary]
    times: Mapping[str, ReaderTimes]
    all_times: ReaderTimes | None
    abstention: AbstentionTable | None
    groundedness: Groundedness | None
    shown: Shown
    unscored: tuple[Unscored, ...]
    n_partly_graded: int
    n_outdated: Mapping[str, int]
    metrics: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the run's folder."""
        return self.folder.path.name

    @property
    def data(self) -> str:
        """The hash of the data that the run answers."""
        return str(self.config["data"]["hash"])

    @property
    def seed(self) -> int:
        """The seed of the run's draws."""
        return int(self.config["system"]["seed"])

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with a row for each item (`run_frame`)."""
        return run_frame(self.folder)

    def plot_languages(self) -> Figure:
        """Return a matplotlib figure: the weighted score of each language with its interval.

        Raises:
            ConfigError: if matplotlib is not installed.
        """
        return languages_figure(self.name, self.summaries)

    def plot_waterfall(self) -> Figure:
        """Return a matplotlib figure: the loss of each language, in parts by the stage that loses them.

        Raises:
            ConfigError: if matplotlib is not installed.
            InputError: if the run was not graded by a version that tells stages apart.
        """
        if not self.metrics.get("waterfall"):
            again = f"`ragaliq judge {self.folder} --only-unscored` adds it"
            raise InputError(f"{self.folder}: no waterfall in metrics.json yet; {again}")
        return waterfall_figure(self.name, self.metrics["waterfall"])

    def __repr__(self) -> str:
        """Return the headline of each language, one a line."""
        return "\n".join([f"run {self.folder}", summary_frame(self.summaries.values()).to_string(index=False)])

    def _repr_html_(self) -> str:
        """Return the same as a table of a notebook."""
        table = summary_frame(self.summaries.values()).to_html(index=False)
        return f"<p>run <code>{escape(str(self.folder))}</code></p>{table}"


def load_run(path: Path | str) -> RunFigures:
    """Return the run in a folder, with its figures, and its items as a table (`to_frame()`); it need not be graded.

    Raises:
        InputError: if there is no run, or a file of it is broken.
    """
    return _read(RunFolder(path_of(path, "load_run")))


def compute_figures(folder: RunFolder) -> RunFigures:
    """Compute all figures of a run anew; `metrics` is what its `metrics.json` should hold.

    Raises:
        InputError: if the folder is no run, or a row is broken.
    """
    rows = read_run_rows(folder, with_overlap=True)
    summaries = summarise_run(rows)
    metrics = {
        "aggregates": [summary.to_json() for summary in summaries],
        "overlap": overlap_by_language(rows),
        "language": language_rates(rows),
        "usage": usage_by_role(rows),
        "scale": SCALE,
    }
    # What not every run has.
    extra = {
        "language_gap": gap_to_json(gap_of([s.grades for s in summaries], seed=rows.config["system"]["seed"])),
        "repeats": vote_agreement(rows),
        "groundedness": groundedness_by_language(rows),
        "nuggets": nuggets_by_language(rows),
        "context": context_by_language(rows),
        "citations": citations_by_language(rows),
        "waterfall": waterfall_by_language(rows),
        "retrieval": retrieval_by_language(rows),
        "token_language_consistency": token_consistency_by_language(rows),
    }
    return _figures(rows, summaries, {**metrics, **{key: value for key, value in extra.items() if value}})


def read_figures(folder: RunFolder) -> RunFigures:
    """Read a graded run; what is not compared with other runs is taken from its `metrics.json`.

    Raises:
        InputError: if the folder is no run, or is not graded yet, or a file is broken.
    """
    if folder.config_file.is_file() and not folder.verdicts_file.is_file():
        raise InputError(f"{folder}: not graded yet; `ragaliq judge {folder}` grades it")
    return _read(folder)


def _read(folder: RunFolder) -> RunFigures:
    rows = read_run_rows(folder)
    metrics = {}
    if folder.metrics_file.is_file():
        remedy = "remove it, the command that made the run writes it anew"
        metrics = read_own_json(folder.metrics_file, METRICS, "the figures of a run", remedy)
    return _figures(rows, summarise_run(rows), metrics)


def _figures(rows: RunRows, summaries: list[Summary], metrics: Mapping[str, Any]) -> RunFigures:
    seconds = rows.folder.seconds()
    return RunFigures(
        rows.folder,
        rows.config,
        {summary.lang: summary for summary in summaries},
        reader_times(seconds),
        overall_times(seconds),
        _abstention(rows),
        overall_groundedness(rows),
        _shown(rows),
        unscored_reasons((v.header.outcome, v.feedback) for v in rows.verdicts.values() if v.header.grade is None),
        partly_graded(rows),
        rows.n_outdated,
        metrics,
    )


def _abstention(rows: RunRows) -> AbstentionTable | None:
    pairs = [(answer.header.answerable, answer.abstained) for answer in rows.answers.values()]
    return abstention_table(pairs, [query_id for _, query_id in rows.answers])


def _shown(rows: RunRows) -> Shown:
    shown: dict[str, dict[str, tuple[str, ...]]] = {}
    for (lang, query_id), answer in rows.answers.items():
        if answer.header.answerable:
            shown.setdefault(lang, {})[query_id] = answer.shown
    return shown
