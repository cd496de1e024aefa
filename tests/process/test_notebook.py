"""The notebooks of the documentation run from top to bottom, in a kernel, as a reader runs them."""

from __future__ import annotations

import csv
import json
from base64 import b64decode
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from shown_runs import write_shown_run

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    ("When does the canteen open?", "At seven.", "At seven.", '["The canteen opens at seven."]'),
    ("Wann schließt die Kantine am Abend?", "Das weiß ich leider nicht.", "Um neun Uhr.", "[]"),
    ("¿Dónde está la biblioteca del campus?", "Detrás del lago.", "", '["La biblioteca está detrás del lago."]'),
]  # fmt: skip


@pytest.mark.notebook
@pytest.mark.slow
def test_answers_of_a_table_are_graded_in_a_notebook(tmp_path: Path) -> None:
    with (tmp_path / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("question", "answer", "reference", "contexts"), *ROWS])
    # The figures as JSON, beside what the reader sees.
    notebook = carried_out("grade", tmp_path, 'print(graded.drop(columns="support").to_json(orient="records"))')
    tables = shown(notebook, "text/html")
    assert len(tables) == 4 and all("<table" in table for table in tables) and "supported_share" in tables[1]
    (printed,) = notebook.cells[-1].outputs
    rows = json.loads(printed["text"])
    assert [row["grade"] for row in rows] == [5, 0, None]
    assert [row["lang"] for row in rows] == ["en", "de", "es"]
    assert [row["refuses"] for row in rows] == ["none", "full", "none"]
    assert [row["outcome"] for row in rows] == ["scored", "scored", "no_reference"]


@pytest.mark.notebook
@pytest.mark.plot
@pytest.mark.slow
def test_a_run_is_looked_at_in_a_notebook(tmp_path: Path) -> None:
    folder = write_shown_run(tmp_path / "results" / "default")
    stage = {"value": 0.3, "ci": None, "n": 1, "first": None, "last": None}
    rest = {"coverage": 1.0, "main": "reader", "apart": [], "conditions": None, "steps": None}
    row = {"n": 3, "n_expected": 3, "loss": {"value": 0.3, "ci": [0.2, 0.4]}, "stages": {"reader": stage}, **rest}
    folder.metrics_file.write_text(json.dumps({"waterfall": {"en": row, "zh": row, "all": row}}))
    notebook = carried_out("run", tmp_path)
    summary, items, causes = shown(notebook, "text/html")
    assert "4/5" in summary and "question q01" in items and "retriever" in causes
    pictures = shown(notebook, "image/png")
    assert len(pictures) == 2 and all(b64decode(picture).startswith(b"\x89PNG") for picture in pictures)


def carried_out(name: str, folder: Path, *more: str) -> Any:
    """A notebook of the documentation after its cells, and more of them, have run in a folder."""
    from nbclient import NotebookClient

    nbformat: Any = import_module("nbformat")
    notebook = nbformat.read(ROOT / "docs" / "notebooks" / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    notebook.cells += [nbformat.v4.new_code_cell(code) for code in more]
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def shown(notebook: Any, kind: str) -> list[str]:
    """What the cells of a notebook show in one form."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    return [output["data"][kind] for output in outputs if kind in output["data"]]
