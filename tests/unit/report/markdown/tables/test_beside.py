"""The tables of results.md on what is reported beside the grade."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graded_runs import write_graded_run
from ragaliq.aggregate.run_figures import RunFigures, read_figures
from ragaliq.report.markdown.tables.beside import groundedness_section
from ragaliq.storage.files import write_json


def share(value: float | None, low: float = 0.0, high: float = 1.0) -> dict[str, Any]:
    return {"value": value, "ci": None if value is None else [low, high], "n": 4}


GROUNDED = {
    "checkers": ["offline 1"], "n": 3, "n_expected": 4, "supported": share(0.75, 0.5, 0.9),
    "contradicted": share(0.125), "median_characters": 40.5,
}  # fmt: skip
NUGGETS = {"matchers": ["offline 2"], "n": 4, "n_expected": 4, "vital_strict": share(0.5), "all": share(0.625)}
CONTEXT = {
    "judges": ["openai:m 3"], "n": 2, "n_expected": 4, "precision": share(0.8125, 0.7, 0.9), "recall": share(1.0)
}  # fmt: skip
NO_CONTEXT = {"judges": [], "n": 0, "n_expected": 4, "precision": share(None), "recall": share(None)}


def figures(path: Path, **parts: Mapping[str, Any]) -> RunFigures:
    folder = write_graded_run(path, {"de": [5, 4, 5, 3]})
    write_json(folder.metrics_file, {part: {"de": figure} for part, figure in parts.items()})
    return read_figures(folder)


def cells(table: str) -> list[list[str]]:
    head, _, *rows = table.splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, *rows)]


def test_a_row_of_each_checked_run_by_hand(tmp_path: Path) -> None:
    checked = figures(tmp_path / "a", groundedness=GROUNDED, nuggets=NUGGETS, context=NO_CONTEXT)
    unchecked = figures(tmp_path / "b")
    _, text, table = groundedness_section([checked, unchecked], ["de"])
    assert text.endswith("Checked by `offline 1`; nuggets matched by `offline 2`.")
    head, row = cells(table)
    assert dict(zip(head, row, strict=True)) == {
        "run": "a", "lang": "de", "n": "3/4", "n nuggets": "4/4", "not supported": "—",
        "supported": "0.750 (0.500–0.900)",
        "contradicted": "0.125 (0.000–1.000)", "nuggets: vital, strict": "0.500 (0.000–1.000)",
        "nuggets: all": "0.625 (0.000–1.000)", "length": "40",
    }  # fmt: skip
    assert groundedness_section([unchecked], ["de"]) == [] == groundedness_section([checked], ["fr"])


def test_context_has_columns_where_a_model_has_judged_it(tmp_path: Path) -> None:
    offline = figures(tmp_path / "a", groundedness=GROUNDED, context=NO_CONTEXT)
    model = figures(tmp_path / "b", groundedness={**GROUNDED, "checkers": ["openai:m 1"]}, context=CONTEXT)
    _, text, table = groundedness_section([offline, model], ["de"])
    assert "context judged by `openai:m 3`." in text and "Figures by different ones do not compare." in text
    head, *rows = cells(table)
    names = ("n context", "context precision", "context recall")
    assert [[dict(zip(head, row, strict=True))[name] for name in names] for row in rows] == [
        ["—", "—", "—"], ["2/4", "0.812 (0.700–0.900)", "1.000 (0.000–1.000)"],
    ]  # fmt: skip


def test_citations_have_a_table_where_a_reader_gives_them(tmp_path: Path) -> None:
    cited = {"n": 7, "n_expected": 9, "coverage": 7 / 9, "precision": share(0.5), "recall": share(0.25)}
    run = figures(tmp_path / "a", groundedness=GROUNDED, citations=cited)
    *_, table = groundedness_section([run], ["de"])
    assert cells(table)[1] == ["a", "de", "4", "7/9", "0.500 (0.000–1.000)", "0.250 (0.000–1.000)"]
