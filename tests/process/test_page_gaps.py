"""The report of runs that lack something: grades, causes, languages; and of addresses that lack a name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graded_runs import write_graded_run
from page_runs import write_page_runs
from pages import go, heading, opened, report_of
from ragaliq.storage.files import read_jsonl, write_json, write_jsonl

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# A word behind a long text, and the same as somebody types it.
WORDS = {
    "de": ("Straßengrüße", "STRASSENGRUSSE"),
    "fr": ("Élève", "eleve"),
    "es": ("Señorío", "senorio"),
    "ru": ("Ёлочный", "елочныи"),
}


def test_a_loss_without_a_cause_is_no_missing_grade(chromium: Browser, tmp_path: Path) -> None:
    runs = [write_graded_run(tmp_path / name, {"en": [3, 5, 1, 0, 2], "de": [3, 5, 1, 0, 2]}) for name in "ab"]
    cause = {"type": "fact", "difficulty": "", "answer_hash": "", "answerable": True, "cause": "reader", "groups": []}
    write_jsonl(runs[0].waterfall_file, [{"query_id": "q01", "lang": "en", **cause}])
    runs[1].verdicts_file.write_text(
        "".join(runs[1].verdicts_file.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8"
    )
    with opened(chromium, report_of([run.path for run in runs], tmp_path), "#/items") as page:
        counts = {
            label.locator(".name").inner_text(): int(label.locator(".count").inner_text())
            for label in page.locator("[data-facet='cause'] label").all()
        }
        assert counts == {"reader": 1, "gold not known": 7, "cause not known": 7, "no grade": 1, "nothing lost": 4}
        assert "16 answers of 20 with a cause or without a grade" in page.inner_text("#groups summary")


def test_the_worst_are_those_of_least_weight(chromium: Browser, tmp_path: Path) -> None:
    run = write_graded_run(tmp_path / "a", {"en": [5, 0, 1, 2, None, 4, 3]})
    with opened(chromium, report_of([run.path], tmp_path), "#/items?sort=grade") as page:
        grades = page.locator("#list .grade-column .grade").all_inner_texts()
        assert [text.split()[-1] for text in grades] == ["1", "2", "0", "3", "4", "5", "grade"]
        page.select_option("#sort", label="Best first")
        grades = page.locator("#list .grade-column .grade").all_inner_texts()
        assert [text.split()[-1] for text in grades] == ["5", "4", "3", "0", "2", "1", "grade"]


def test_a_hit_far_into_an_answer_is_shown(chromium: Browser, tmp_path: Path) -> None:
    run = write_graded_run(tmp_path / "a", {lang: [3] for lang in WORDS})
    rows = [row for _, row in read_jsonl(run.answers_file)]
    long = "ﬁxé " * 500
    write_jsonl(run.answers_file, [{**row, "answer": f"{long}{WORDS[row['lang']][0]} {long}"} for row in rows])
    with opened(chromium, report_of([run.path], tmp_path), "#/items") as page:
        for word, typed in WORDS.values():
            page.fill("#search-text", typed)
            assert heading(page) == "1 item of 4"
            assert page.locator("#list .answer mark").all_inner_texts() == [word]


def test_figures_of_shared_languages_say_so_and_open_no_others(chromium: Browser, tmp_path: Path) -> None:
    runs = [
        write_graded_run(tmp_path / "a", {"de": [2, 1, 3], "en": [4, 3, 5], "ru": [5, 5, 5]}),
        write_graded_run(tmp_path / "b", {"de": [5, 1, 3], "en": [4, 3, 1]}),
    ]
    with opened(chromium, report_of([run.path for run in runs], tmp_path)) as page:
        assert page.inner_text(".summary thead th >> nth=1").startswith("2 shared languages")
        assert "over 2 shared languages" in page.inner_text("main")
        assert "all languages" not in page.inner_text("main section:has(> h2:text('Scores'))").lower()
        page.locator(".summary button.score >> nth=0").click()
        assert "&lang=de,en" in page.url
        page.go_back()
        page.get_by_text("The counts as a table").click()
        page.get_by_role("button", name="2 answers with grade 3, a, 2 shared languages").click()
        page.wait_for_selector("main h1:text('2 items')")
        assert page.url.endswith("#/items?system=a&lang=de,en&grade=3")


def test_a_run_without_grades_has_no_empty_charts(chromium: Browser, tmp_path: Path) -> None:
    runs = write_page_runs(tmp_path, systems=1, langs=("de", "zh"), queries=10)
    runs[0].verdicts_file.unlink()
    runs[0].waterfall_file.unlink()
    write_json(runs[0].config_file, {**runs[0].config(), "judge": None})
    with opened(chromium, report_of([run.path for run in runs], tmp_path)) as page:
        page.wait_for_selector(".drawing svg")
        for title in ("Scores", "Grades", "Languages"):
            section = page.locator(f"main section:has(> h2:text-is('{title}'))")
            assert section.locator("figure").count() == 0 and section.locator(".lead").inner_text()
        assert "A click on a bar" not in page.inner_text("main")
        go(page, "#/items")
        assert "18 answers of 20 with a cause or without a grade" in page.inner_text("#groups summary")


@pytest.mark.parametrize("at_hand", [True, False])
def test_without_a_waterfall_gold_is_counted_where_it_is_known(
    chromium: Browser, tmp_path: Path, at_hand: bool
) -> None:
    (run,) = write_page_runs(tmp_path, systems=1, langs=("de",), queries=10)
    run.waterfall_file.unlink()
    if not at_hand:
        config = run.config()
        write_json(run.config_file, {**config, "data": {**config["data"], "path": ""}})
    with opened(chromium, report_of([run.path], tmp_path), "#/item/system-0/de/q0000") as page:
        gold = page.locator(".chunk.gold").count()
        assert bool(gold) is at_hand
        shown = page.locator("ol.chunks >> nth=0").locator(".chunk.gold").count()
        assert page.inner_text(".context h2 >> nth=0") == "Context: 5 chunks" + (f", {shown} gold" if at_hand else "")


def test_an_address_without_its_names_leads_to_the_items(chromium: Browser, report: Path) -> None:
    with opened(chromium, report) as page:
        for address in ("#/item", "#/item/system-0/de", "#/item///", "#/query", "#/query/"):
            go(page, address)
            assert heading(page) == "This link leads nowhere; see the items."
            assert page.get_attribute("main p a", "href") == "#/items"


def test_the_last_choice_of_side_by_side_stays(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, "#/query/q0003") as page:
        page.uncheck("#systems-0")
        address = page.url
        page.locator("#systems-1").click()
        assert (page.is_checked("#systems-1"), page.is_checked("#systems-0"), page.url) == (True, False, address)


def test_escape_stays_in_a_report_that_was_opened_side_by_side(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, "#/items") as page:
        page.goto("about:blank")
        page.goto(f"{report.as_uri()}#/query/q0003")
        page.wait_for_selector(".by-language")
        page.keyboard.press("Escape")
        page.wait_for_selector("#hits")
        assert page.url.endswith("report.html#/items")
