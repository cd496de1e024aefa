"""Open what a folder holds for review."""

from __future__ import annotations

from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.review.sheets import ReviewSource
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.sources.runs import Runs
from ragaliq.review.values import BENCHMARK_TASKS, RUN_TASKS, ReviewTask


def open_source(folder: Path, data: Path | None = None) -> ReviewSource:
    """Open a benchmark, a run or a folder of runs for review; `data` is the benchmark of runs.

    Raises:
        InputError: if the folder is none of these.
    """
    return BenchmarkSource(folder) if (folder / "bench.json").is_file() else Runs(folder, data)


def task_of(source: ReviewSource, name: str | None) -> ReviewTask:
    """Return the task of that name; without one, `grade` for runs and `nuggets` for a benchmark.

    Raises:
        InputError: if the task is not one of what is under review.
    """
    tasks = RUN_TASKS if isinstance(source, Runs) else BENCHMARK_TASKS
    task = ReviewTask(name) if name else tasks[0]
    if task not in tasks:
        what = "runs" if isinstance(source, Runs) else "a benchmark"
        raise InputError(f"--task {task}: {source.folder} holds {what}; give {' or '.join(tasks)}")
    return task
