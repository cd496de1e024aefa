"""The files that the tools themselves wrote, by the scripts beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragaliq.formats.results.reading import read_results
from ragaliq.formats.results.rows import ResultColumns, ResultFile

TOOLS = Path(__file__).resolve().parents[4] / "studies" / "other_tools"


def read(path: Path) -> ResultFile:
    results = read_results(path, ResultColumns())
    assert results is not None, path
    return results


def mean(results: ResultFile, metric: str, system: str | None = None) -> tuple[float, int]:
    """Return the mean of the values that are there, and their number."""
    rows = [row for row in results.rows if system is None or row.system == system]
    values = [value for row in rows if (value := row.values.get(metric)) is not None]
    return sum(values) / len(values), len(values)


def parsed(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def written(path: Path, value: Any) -> Path:
    if path.suffix == ".jsonl":
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in value)
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    return path
