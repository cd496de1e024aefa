"""What is embedded in the page: its figures, and its items in compressed blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragaliq.aggregate.cross_lingual import kb_lang
from ragaliq.aggregate.items.run_items import RunItems
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.compare.results import Results
from ragaliq.report.html.benchmark_texts import benchmark_texts
from ragaliq.report.html.blocks import Blocks, packed_json
from ragaliq.report.html.details import PageRun, detail_to_json
from ragaliq.report.html.item_columns import ItemColumns
from ragaliq.report.html.overview_data import overview_to_json
from ragaliq.report.html.texts import Chunks


@dataclass(frozen=True, slots=True)
class PageData:
    """The page's data.

    Attributes:
        overview: all figures, and which block holds what.
        blocks: `items`, `details-0`, …, `chunks-0`, … as gzip in base64.
    """

    overview: Mapping[str, Any]
    blocks: Mapping[str, str]


def page_data(results: Results) -> PageData:
    """Read the items of runs, one at a time, and return the page's data: the same bytes for the same runs.

    Items are sorted by language, query id and system; answers in a language that a run's configuration does not name
    are left out.

    Raises:
        InputError: if a row of a run is broken.
    """
    runs = _by_name(results)
    langs = [table.lang for table in results.languages]
    benchmark = benchmark_texts([run.folder for run in runs.values()], langs)
    columns, details, chunks = ItemColumns(langs, benchmark), Blocks("details", "items"), Chunks()
    systems = [
        (number, _page_run(name, run), run.summaries, RunItems(run.folder))
        for number, (name, run) in enumerate(runs.items())
    ]
    for lang in langs:
        here = [system for system in systems if lang in system[2]]
        for key in sorted({key for *_, items in here for key in items if key[0] == lang}):
            for number, run, _, items in here:
                if key in items:
                    item = items[key]
                    columns.append(number, run.name, item)
                    details.append(detail_to_json(item, run, benchmark, chunks))
    overview = overview_to_json(results, runs)
    index = {"details": details.index(), "chunks": chunks.blocks.index()}
    return PageData(
        {**overview, "n_items": len(columns), "blocks": index, "live": None},
        {"items": packed_json(columns.to_json()), **details.packed(), **chunks.blocks.packed()},
    )


def _page_run(name: str, run: RunFigures) -> PageRun:
    return PageRun(name, kb_lang(run.config), bool(run.config["data"].get("knowledge_base")))


def _by_name(results: Results) -> dict[str, RunFigures]:
    """Return the runs by name; of several folders of one name the later ones get a number."""
    runs: dict[str, RunFigures] = {}
    for run in results.overview.order:
        name, number = run.name, 2
        while name in runs:
            name, number = f"{run.name} ({number})", number + 1
        runs[name] = run
    return runs
