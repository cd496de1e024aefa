"""Measuring a run: its figures, and the file that holds them."""

from __future__ import annotations

from ragaliq.aggregate.run_figures import RunFigures, compute_figures
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import write_json


def measure(folder: RunFolder) -> RunFigures:
    """Compute a run's figures, and write its `metrics.json`."""
    figures = compute_figures(folder)
    write_json(folder.metrics_file, figures.metrics)
    return figures
