"""The quality report of a build written by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragaliq.build.quality.figures import BuildFigures, build_figures
from ragaliq.report.markdown.build.report import render_build, write_build_report
from ragaliq.storage.files import read_json, write_json, write_jsonl
from unit.build.quality.hand_made import TEXTS, hand_made


@pytest.fixture
def figures(tmp_path: Path) -> BuildFigures:
    context = hand_made(tmp_path / "hand")
    for folder in (context.workspace.path, context.workspace.build / "unfiltered"):
        chunks = [{"doc_id": name, "source_id": "sources/en/pier/a.md", "start": 0, "end": len(text), "text": text,
                   "lang": "en"} for name, text in TEXTS.items()]  # fmt: skip
        query = {"query_id": "q1", "lang": "en", "text": "alpha beta", "reference": "gamma `x` ray",
                 "answerable": True, "type": "single", "gold": [["d1"]]}  # fmt: skip
        nugget = {"nugget_id": "n1", "query_id": "q1", "text": "gamma", "importance": "vital", "doc_ids": ["d1", "d2"]}
        write_jsonl(folder / "corpus/en.jsonl", chunks)
        write_jsonl(folder / "queries/en.jsonl", [query])
        write_jsonl(folder / "nuggets/en.jsonl", [nugget])
        write_json(folder / "bench.json", {"name": "hand", "version": "3", "languages": ["en"], "parallel": False})
    stages = ("ingest", "generate", "critique", "closed-book", "pool", "judge", "filter", "export")
    return build_figures(context, stages)


def section(text: str, title: str) -> str:
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


def cells(text: str, first: str) -> list[str]:
    """Return the cells of the table row that begins with a cell."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {first} "))
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_c26_sizes_are_those_of_freshstack(figures: BuildFigures) -> None:
    sizes = section(render_build(figures), "Sizes")
    header = cells(sizes, "set")
    assert header[1:] == ["lang", "queries", "docs", "sources", "nuggets/query", "query tokens", "answer tokens",
                          "doc tokens", "queries with code", "answers with code", "relevant docs/nugget",
                          "relevant docs/query"]  # fmt: skip
    # Words of the documents: 3 + 5 and five of one word, over seven.
    assert cells(sizes, "filtered")[1:] == ["en", "1", "7", "1", "1.00", "2.0", "3.0", f"{13 / 7:.1f}", "0%", "100%",
                                            "2.00", "2.00"]  # fmt: skip
    assert cells(sizes, "lang")[4:6] == ["nuggets", "queries by nuggets"] and cells(sizes, "en")[4:6] == ["4", "2: 2"]


def test_every_section_has_its_figures_with_n(figures: BuildFigures) -> None:
    text = render_build(figures)
    rows = {
        "Yield": ["generate", "7 candidates", "4", "3", "85.7%", "evidence not found 1, failed 1, nothing to ask 1"],
        "Candidates": ["usefulness", "3", "3", "1", "3", "0", "0", "50.0%"],
        "Judged support": ["support", "2", "50.0%"],
        "Pool: what it misses": ["en", "2", "1", "0.500", "0.095–0.905"],
        "Closed book": ["a", "2", "4", "0.750", "1 of 2 (50.0%)"],
    }
    for title, expected in rows.items():
        assert cells(section(text, title), expected[0])[: len(expected)] == expected, title
    depths = section(text, "Pool: how deep")
    assert "| en     | all       | 2         | 4          | 0.500 (2.0) | 0.750 (2.5) |" in depths
    families = section(text, "Pool: one family of retrievers left out")
    assert (
        "| en     | words     | char              | 2         | 4          | 0.250  | 6         | -1.000 | 3"
        in families
    )
    holes = section(text, "Holes")
    assert cells(holes, "en")[1:4] == ["bm25", "2", "0.750"]
    assert cells(holes, "en")[6:] == ["0.750", "1.000"]
    systems = section(text, "Does it separate systems?")
    assert "- en: hybrid and bm25 are **not** separated (n 2, p 0.2500)" in systems


def test_failed_and_lost_items_come_first(figures: BuildFigures) -> None:
    first = section(render_build(figures), "Read this first")
    assert "- warning[failed-items]: generate: 1 of 7 candidates failed" in first
    assert "- warning[failed-items]: judge: 1 of 1 batches failed" in first
    assert "- warning[scripted]: rules replaced the model" in first
    assert "## Read this first" not in render_build(replace(figures, warnings=[]))


def test_a_benchmark_without_answerable_queries_has_a_report_too(figures: BuildFigures) -> None:
    bare = replace(figures, systems=[], families=[], holes=[], cells={}, solved=[])
    assert render_build(bare).count("There is no answerable query.") == 3


def test_the_same_figures_give_the_same_bytes_and_report_json_comes_last(figures: BuildFigures, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    names = ("report.md", "report.json", "CARD.md")
    write_build_report(folder, figures)
    before = [(folder / name).read_bytes() for name in names]
    write_build_report(folder, figures)
    assert [(folder / name).read_bytes() for name in names] == before
    stored = read_json(folder / "report.json")
    assert stored["inputs"] == figures.inputs
    assert stored["negatives"][0]["supporting"] == 1
