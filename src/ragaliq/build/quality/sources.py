"""Where the documents of a benchmark come from."""

from __future__ import annotations

from dataclasses import dataclass

from ragaliq.build.context import BuildContext
from ragaliq.build.stages import ingest


@dataclass(frozen=True, slots=True)
class SourceFigure:
    """A source of `build.yaml`, as the card names it.

    Attributes:
        name: what its documents' ids begin with.
        documents: files read; `skipped` ones are not.
        characters: code points of the files read.
        licence: as `build.yaml` says, like `url`, `commit` and `date`; empty where it says nothing.
    """

    name: str
    documents: int
    skipped: int
    characters: int
    licence: str
    url: str
    commit: str
    date: str


def source_figures(context: BuildContext) -> list[SourceFigure]:
    """Return the sources in the order of the settings."""
    rows = context.workspace.rows(ingest.NAME)
    figures = []
    for source in context.settings.sources:
        name = source.label
        read = [row for row in rows if row.kept and row.value["source"] == name]
        skipped = sum(not row.kept and row.value.get("source") == name for row in rows)
        characters = sum(row.value["characters"] for row in read)
        figures.append(SourceFigure(name, len(read), skipped, characters, source.licence, source.url, source.commit,
                                    source.date))  # fmt: skip
    return figures
