"""The runs beside a run, which its results.md shows with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragaliq.aggregate.cross_lingual import kb_lang
from ragaliq.aggregate.run_figures import RunFigures, read_figures
from ragaliq.config import SAME
from ragaliq.errors import InputError
from ragaliq.formats.trec.run import read_run
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import is_unicode


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A run with the graded runs in the same folder.

    Attributes:
        same: the run itself and those that answer the same data, by name.
        others: the folders of all other runs; a shard is none.
        broken: those of them that cannot be read, and why.
    """

    same: tuple[RunFigures, ...]
    others: tuple[Path, ...]
    broken: Mapping[Path, str]


def runs_beside(run: RunFigures) -> Neighbours:
    """Read the graded runs in the folder of `run`; a broken one never stops it."""
    read: dict[Path, RunFigures] = {}
    broken: dict[Path, str] = {}
    for path in sorted(run.folder.path.parent.iterdir()):
        folder = RunFolder(path)
        if path == run.folder.path or not (folder.config_file.is_file() and folder.metrics_file.is_file()):
            continue
        if not is_unicode(path.name):
            broken[path.with_name(repr(path.name)[1:-1])] = "its name is not UTF-8; rename it"
            continue
        try:
            figures = read_figures(folder)
            if "shard" not in figures.config:
                read[path] = figures
        except (InputError, OSError) as error:
            broken[path] = str(error)
    same = {path: figures for path, figures in read.items() if figures.data == run.data}
    if any(kb_lang(figures.config) != SAME for figures in (run, *same.values())):
        broken |= {path: why for path, figures in same.items() if (why := _unreadable(figures))}
    kept = [figures for path, figures in same.items() if path not in broken]
    others = sorted({*broken, *(read.keys() - same.keys())})
    return Neighbours(tuple(sorted([run, *kept], key=lambda one: one.folder.path)), tuple(others), broken)


def _unreadable(run: RunFigures) -> str:
    """Return why a run's rankings cannot be read, which the tables across languages need; "" if they can."""
    try:
        for lang in run.config["expected"]:
            if run.folder.retrieval_file(lang).is_file():
                read_run(run.folder.retrieval_file(lang))
    except InputError as error:
        return str(error)
    return ""
