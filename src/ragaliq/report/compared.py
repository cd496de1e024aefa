"""`ragaliq.compare`: a comparison of systems from Python, shown as its verdict and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from ragaliq.compare.source_comparison import SourceComparison, compare_sources
from ragaliq.compare.sources.opened import ToolSource
from ragaliq.compare.sources.planned_looks import planned_looks
from ragaliq.compare.sources.read import read_sources, sources_of
from ragaliq.compare.sources.settings import Group, ReadSettings
from ragaliq.compare.sources.system_values import Sources
from ragaliq.compare.standings import LEVEL, ComparisonSettings, PairwiseResult, Section, Standing
from ragaliq.config import path_of
from ragaliq.errors import ConfigError, InputError, nearest
from ragaliq.formats.answers.reading import plain_rows
from ragaliq.formats.results.long_tables import read_long_table
from ragaliq.formats.results.rows import ResultColumns
from ragaliq.metrics.numbers_in_memory import as_numbers, index_labels
from ragaliq.metrics.statistics.multiplicity import level_per_look
from ragaliq.report.markdown.comparison.source_comparison import render_source_comparison
from ragaliq.report.markdown.comparison.verdict import grade_verdict
from ragaliq.storage.files import Row

if TYPE_CHECKING:
    from pandas import DataFrame

    from ragaliq.metrics.arrays import Values

_WANTED = (
    "a pandas DataFrame with a row for each item and system, a dict of system → values, or a list of paths to runs and "
    "files of results"
)
_FRAME = "the data frame"


class CompareOptions(TypedDict, total=False):
    """What `compare` takes beside the systems, by the names of the command's options.

    Attributes:
        metric: what is compared; of grades `mean_weight` unless it is named.
        lang: one language alone.
        margin: a difference that would not matter: test whether it is less.
        mixed: compare across judges or data all the same, and say so.
        groups: name of a system → its runs, which are pooled.
        cluster: the field that names the cluster of an item, or `gold`.
        baseline: the name of the system that the others are compared with; the first unless it is named.
        seed: of everything that draws.
        id, system, value, lang_field: the columns of a long table, where they have unusual names.
        range: the least and the greatest value that there can be.
    """

    metric: str
    lang: str
    margin: float
    mixed: bool
    groups: Mapping[str, Sequence[str]]
    cluster: str
    baseline: str
    seed: int
    id: str
    system: str
    value: str
    lang_field: str
    range: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Compared:
    """What `compare` returns; its text is the Markdown of the command, and a notebook shows its table.

    Attributes:
        figures: all of them.
    """

    figures: SourceComparison

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with a row for each language and system, the baseline's first.

        Differences, their 95 % interval, p values (of the sign flips; corrected by Holm's method) and outcomes are
        those against the baseline, and missing in its row.
        """
        from pandas import DataFrame

        return DataFrame([row for section in self.figures.comparison.sections for row in _rows(section)])

    def __str__(self) -> str:
        """Return what `ragaliq compare` prints."""
        return render_source_comparison(self.figures, "md")

    def _repr_html_(self) -> str:
        """Return the verdict and the table for a notebook."""
        # The verdict is Markdown, in which `<` is escaped.
        lines = [
            grade_verdict(self.figures.comparison).replace("&lt;", "<"),
            *self.figures.warnings,
            *self.figures.notes,
        ]
        told = "".join(f"<p>{escape(line)}</p>" for line in lines)
        return told + self.to_frame().round(3).to_html(index=False, na_rep="—")


def compare(
    systems: DataFrame | Mapping[str, Values] | Sequence[Path | str] | Path | str,
    **options: Unpack[CompareOptions],
) -> Compared:
    """Compare systems with the first one, item by item: the figures of `ragaliq compare`.

    Args:
        systems: a pandas DataFrame with a row for each item and system (columns by their usual names, or named by the
            options `id`, `system`, `value`, `lang_field`); a dict of system → values (lists of the same items in the
            same order, or Series, whose index names the items); or a path, or a list of paths, as the command takes.
        options: see `CompareOptions`.

    Raises:
        RagaliqError: if the systems are of a wrong type, an option is unknown, or the command would refuse them.
    """
    unknown = next((name for name in options if name not in CompareOptions.__annotations__), "")
    if unknown:
        raise ConfigError(f"compare: no option '{unknown}', {nearest(unknown, CompareOptions.__annotations__)}")
    reading = _reading(options)
    sources = _sources(systems, reading)
    looks = planned_looks(_paths(systems, reading))
    level = level_per_look(looks, LEVEL)
    settings = ComparisonSettings(options.get("seed", 0), options.get("margin"), level=level, looks=looks)
    return Compared(compare_sources(sources, settings))


def _paths(systems: Any, reading: ReadSettings) -> list[Path]:
    """Return the files and runs that are compared; none for values that were given as such."""
    if isinstance(systems, str | Path):
        systems = [systems]
    named = systems if isinstance(systems, list | tuple) else []
    return [Path(path) for path in (*named, *(run for group in reading.groups for run in group.runs))]


def _reading(options: CompareOptions) -> ReadSettings:
    columns = ResultColumns(
        options.get("id", ""),
        options.get("system", ""),
        options.get("value", ""),
        options.get("lang_field", ""),
        options.get("range"),
    )
    groups = options.get("groups", {})
    return ReadSettings(
        options.get("metric", ""),
        columns,
        options.get("lang", ""),
        options.get("mixed", False),
        tuple(Group(name, tuple(map(str, runs))) for name, runs in groups.items()),
        options.get("cluster", ""),
        options.get("baseline", ""),
    )


def _sources(systems: Any, reading: ReadSettings) -> Sources:
    is_frame = hasattr(systems, "columns") and hasattr(systems, "iloc")
    if is_frame:
        rows = plain_rows(systems)
    elif isinstance(systems, Mapping):
        rows = [row for name, values in systems.items() for row in _long(str(name), values)]
        _check_lengths(systems)
    else:
        paths = [systems] if isinstance(systems, str | Path) else systems
        if not isinstance(paths, list | tuple) or not all(isinstance(path, str | Path) for path in paths):
            raise InputError(f"compare: {_WANTED} is wanted, not {type(systems).__name__}")
        if not paths:
            raise InputError(f"compare: {_WANTED} is wanted, not an empty list")
        return read_sources([path_of(path, "compare") for path in paths], reading)
    if not rows:
        raise InputError(f"compare: {_WANTED} is wanted, and it holds no row")
    numbered = [(f"row {number}", row) for number, row in enumerate(rows, 1)]
    columns = reading.columns if is_frame else ResultColumns("id", "system", "value", range=reading.columns.range)
    results = read_long_table(numbered, columns, _FRAME)
    if not is_frame:
        # The columns are ours, and nothing was guessed.
        results = replace(results, tool="the dict", notes=results.notes[1:])
    return sources_of([ToolSource(Path(_FRAME), results)], reading)


def _check_lengths(systems: Mapping[str, Any]) -> None:
    """Refuse lists of unlike lengths, whose items would be joined by their places."""
    lengths = {str(name): len(values) for name, values in systems.items() if index_labels(values) is None}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name}: {length}" for name, length in lengths.items())
        raise InputError(f"compare: lists of unlike lengths ({counts}); write None for what is missing, or give Series")


def _long(system: str, values: Any) -> list[Row]:
    """Return a row for each item of one system, named by the index of a Series, else by its place from 1."""
    cells, index = as_numbers(values, f"compare: system '{system}'").tolist(), index_labels(values)
    names = range(1, len(cells) + 1) if index is None else index
    return [
        {"id": str(name), "system": system, "value": None if cell != cell else cell}
        for name, cell in zip(names, cells, strict=True)
    ]


def _rows(section: Section) -> list[dict[str, Any]]:
    first, *others = section.systems
    rows: list[tuple[Standing, PairwiseResult | None]] = [(first, None)]
    rows += zip(others, section.rows, strict=True)
    return [_row(section, own, row) for own, row in rows]


def _row(section: Section, own: Standing, row: PairwiseResult | None) -> dict[str, Any]:
    low, high = (row.interval if row is not None else None) or (None, None)
    return {
        "lang": section.lang,
        "system": own.name,
        "n": section.n,
        "n_asked": section.n_asked,
        "mean": own.mean,
        "rank_best": own.rank.low if own.rank else None,
        "rank_worst": own.rank.high if own.rank else None,
        "difference": row.effect.difference if row else None,
        "ci95_low": low,
        "ci95_high": high,
        "p": row.p.permutation if row else None,
        "p_corrected": row.holm.permutation if row else None,
        "outcome": str(row.outcome) if row else "baseline",
    }
