"""The data card of a build written by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ragaliq.build.quality.figures import BuildFigures
from ragaliq.report.markdown.build.card import render_card, write_card
from ragaliq.report.markdown.build.certificate_block import MARK
from unit.report.markdown.build.test_report import figures

__all__ = ["figures"]


def test_c32_the_card_names_niche_complexity_dates_challenge_and_the_faults_of_older_sets(
    figures: BuildFigures,
) -> None:
    text = render_card(figures)
    told = [
        "- **niche**: rules of a pier, asked by boatmen\n",
        "- **complexity**: 0 of 2 answerable queries need several documents; 1.00 nuggets a query; 0 unanswerable; "
        "list 1, single 1\n",
        "- **date of the sources**: 2026-03-01; when they change",
        "- **challenge, nDCG@10 of the retrievers that come with ragaliq**: bm25 0.677 (",
        "- **realistic? where the questions come from**: 1 written by a model, 1 asked by people\n",
        "- **artificially easy? words of a question that occur in its documents**: 0.750, n 2\n",
        "  - a solves 1 of 2 answerable queries without documents, every time\n",
    ]
    assert [line for line in told if line not in text] == []


def test_the_licence_chain_names_each_source_and_what_is_not_known(figures: BuildFigures) -> None:
    row = "| pier     | 1 read, 1 skipped | CC0-1.0   | 2026-03-01 | abc1     | https://pier.example |"
    assert row in render_card(figures)
    unknown = replace(figures, sources=[replace(figures.sources[0], licence="")], niche="")
    assert "| —         | 2026-03-01 |" in render_card(unknown)
    assert "—: not stated in build.yaml." in render_card(unknown)
    assert "- **niche**: not stated in build.yaml\n" in render_card(unknown)


def test_the_card_begins_with_what_the_benchmark_holds_and_names_the_units_of_stages(figures: BuildFigures) -> None:
    text = render_card(figures)
    assert "\n\nen: 2 questions, 0 of them without an answer in the 7 passages of 1 documents.\n\n" in text
    assert "ingest 1 files → generate 4 candidates → critique 3 → closed-book 3 queries → pool 3 → judge 0 " in text


def test_rules_in_the_place_of_a_model_make_no_valid_benchmark(figures: BuildFigures) -> None:
    told = "rules instead of a model make a well-formed benchmark, not a valid one"
    assert told in render_card(figures)
    model = {"generator": ["gpt-4o"], "judge": ["qwen3"], "closed_book": ["gpt-4o"]}
    card = render_card(replace(figures, built_with=model))
    assert told not in card
    assert "without its certificate nothing is claimed" in card
    assert "3 cells of nugget and document judged by qwen3" in card
    assert "; 1 missing" in card


def test_languages_stand_under_each_other(figures: BuildFigures) -> None:
    one = figures.contents[0]
    filtered = figures.sizes["filtered"]
    sizes = {**figures.sizes, "filtered": [*filtered, {**filtered[0], "lang": "zh"}]}
    two = replace(figures, contents=[one, replace(one, lang="zh")], sizes=sizes)
    assert "occur in its documents**:\n  - en: 0.750, n 2\n  - zh: 0.750, n 2\n" in render_card(two)


def test_what_a_person_wrote_below_the_mark_stays(figures: BuildFigures, tmp_path: Path) -> None:
    path = tmp_path / "CARD.md"
    write_card(path, figures)
    assert path.read_text(encoding="utf-8").endswith(f"{MARK}\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\nRead by Mira Brandvik, 20 questions.\n")
    written = path.read_bytes()
    write_card(path, figures)
    assert path.read_bytes() == written
    write_card(path, replace(figures, version="4"))
    assert path.read_text(encoding="utf-8").startswith("# Data card: hand 4\n")
    assert path.read_text(encoding="utf-8").endswith("Read by Mira Brandvik, 20 questions.\n")
