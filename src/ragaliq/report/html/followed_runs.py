"""Runs as they grow: how far they are, and their page anew when a file has changed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from ragaliq.aggregate.run_figures import load_run
from ragaliq.compare.results import compare_results
from ragaliq.errors import InputError
from ragaliq.report.html.page_data import PageData, page_data
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import open_file, parse_row
from ragaliq.storage.record_store import Key

# A run that ends rewrites its files, perhaps while they are read.
_ATTEMPTS = 5
# A large page takes a while: it is made again after ten times as long, so that the run under way keeps its processor.
_QUICK_SECONDS = 1.0
_REST = 10


class FollowedRuns:
    """Runs on the same data that a server shows; its threads take turns."""

    def __init__(self, paths: Sequence[Path], min_coverage: float) -> None:
        """Follow the runs in these folders."""
        self._runs = list(map(RunFolder, paths))
        self._min_coverage = min_coverage
        self._counts = [(_Items(run.answers_file), _Items(run.verdicts_file)) for run in self._runs]
        self._lock = Lock()
        self._mark = ""
        self._rest_until = 0.0
        self._page: PageData | None = None

    def status(self) -> dict[str, Any]:
        """Return how many items are answered, judged, expected, and to be judged; `changed` is that of the page."""
        with self._lock:
            configs = [run.config() for run in self._runs]
            return {
                "answered": sum(answers.count() for answers, _ in self._counts),
                "judged": sum(verdicts.count() for _, verdicts in self._counts),
                "expected": sum(map(_n_expected, configs)),
                "to_judge": sum(_n_expected(config) for config in configs if config["judge"] is not None),
                "changed": self._mark if self._rests() else self._current_mark(),
            }

    def page(self) -> PageData:
        """Return the page's data as the files are now, or were a while ago where it takes long to make.

        Raises:
            InputError: if a folder is no run, a file of it is broken, or the runs answer different data.
        """
        with self._lock:
            for _ in range(_ATTEMPTS):
                mark, start = self._current_mark(), time.monotonic()
                if self._page is not None and (mark == self._mark or self._rests()):
                    return self._page
                try:
                    page = self._read()
                except (InputError, ValueError, KeyError):
                    # A file may have been rewritten since its rows were looked up.
                    if mark == self._current_mark():
                        raise
                    continue
                live = {"poll": "status", "changed": mark}
                seconds = time.monotonic() - start
                self._rest_until = time.monotonic() + (_REST * seconds if seconds > _QUICK_SECONDS else 0.0)
                self._page, self._mark = replace(page, overview={**page.overview, "live": live}), mark
                return self._page
        raise InputError("the files of the run change faster than they can be read; try again")

    def _rests(self) -> bool:
        return time.monotonic() < self._rest_until

    def _read(self) -> PageData:
        runs = [load_run(run.path) for run in self._runs]
        return page_data(compare_results(runs, self._min_coverage, self._runs[0].path.parent / "certificates"))

    def _current_mark(self) -> str:
        """Return a text that changes with any file of the runs."""
        files = [
            file for run in self._runs for file in sorted(run.path.glob("*")) if file.suffix in (".json", ".jsonl")
        ]
        places = []
        for file in files:
            try:
                stat = file.stat()
            except FileNotFoundError:
                continue
            places.append([str(file), stat.st_ino, stat.st_size, stat.st_mtime_ns])
        return hashlib.sha256(json.dumps(places).encode("ascii")).hexdigest()[:16]


def _n_expected(config: Mapping[str, Any]) -> int:
    return sum(sum(counts.values()) for counts in config["expected"].values())


@dataclass(slots=True)
class _Items:
    """The items of a growing file of rows; what was read is not read again, unless the file is another one."""

    path: Path
    _file: int = 0
    _read: int = 0
    _keys: set[Key] = field(default_factory=set)

    def count(self) -> int:
        """Return how many items have a row."""
        if not self.path.is_file():
            return 0
        with open_file(self.path) as file:
            stat = self.path.stat()
            if stat.st_ino != self._file or stat.st_size < self._read:
                self._file, self._read = stat.st_ino, 0
                self._keys.clear()
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                if line.strip():
                    row = parse_row(line.decode("utf-8-sig"), str(self.path))
                    self._keys.add((str(row.get("lang")), str(row.get("query_id"))))
        return len(self._keys)
