"""The notebooks of the documentation run from top to bottom, in a kernel, as a reader runs them."""

from __future__ import annotations

import csv
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    ("When does the canteen open?", "At seven.", "At seven.", '["The canteen opens at seven."]'),
    ("Wann schließt die Kantine am Abend?", "Das weiß ich leider nicht.", "Um neun Uhr.", "[]"),
    ("¿Dónde está la biblioteca del campus?", "Detrás del lago.", "", '["La biblioteca está detrás del lago."]'),
]  # fmt: skip


@pytest.mark.notebook
@pytest.mark.slow
def test_answers_of_a_table_are_graded_in_a_notebook(tmp_path: Path) -> None:
    from nbclient import NotebookClient

    nbformat: Any = import_module("nbformat")

    with (tmp_path / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("question", "answer", "reference", "contexts"), *ROWS])
    notebook = nbformat.read(ROOT / "docs" / "notebooks" / "grade.ipynb", as_version=4)
    nbformat.validate(notebook)
    # The figures as JSON, beside what the reader sees.
    notebook.cells.append(nbformat.v4.new_code_cell('print(graded.drop(columns="support").to_json(orient="records"))'))
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    tables = [
        output["data"]["text/html"] for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output
    ]
    assert len(tables) == 4 and all("<table" in table for table in tables) and "supported_share" in tables[1]
    (printed,) = notebook.cells[-1].outputs
    rows = json.loads(printed["text"])
    assert [row["grade"] for row in rows] == [5, 0, None]
    assert [row["lang"] for row in rows] == ["en", "de", "es"]
    assert [row["refuses"] for row in rows] == ["none", "full", "none"]
    assert [row["outcome"] for row in rows] == ["scored", "scored", "no_reference"]
