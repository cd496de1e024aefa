"""The report in a browser: filters, search, links, the way back, side by side, and what is handed out."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pages import go, heading, opened, read, write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ITEM = "#/item/system-1/ar/q0003"


def count(page: Page) -> int:
    """Return how many items the selection holds."""
    return int(heading(page).split(" ")[0].replace(",", ""))


def tick(page: Page, facet: str, value: str) -> None:
    page.check(f"[data-facet='{facet}'] input[value='{value}']")


def exported(page: Page, button: str, folder: Path) -> str:
    with page.expect_download() as download:
        page.click(button)
    download.value.save_as(folder / "export")
    return (folder / "export").read_text(encoding="utf-8")


def test_filters_narrow_the_list_and_stand_in_the_address(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, "#/items") as page:
        assert count(page) == 160
        assert page.locator("#list tbody tr").count() == 50
        tick(page, "lang", "ar")
        assert (count(page), page.url.split("#")[1]) == (40, "/items?lang=ar")
        tick(page, "system", "system-0")
        tick(page, "grade", "5")
        assert page.url.endswith("#/items?lang=ar&system=system-0&grade=5")
        marked = page.locator("#list .swatch.grade-5").count()
        assert 0 < marked == count(page)
        # How many items each value would leave: the other grades are counted without this filter.
        others = page.locator("[data-facet='grade'] .count").all_inner_texts()
        assert sum(map(int, others)) == 20
        page.click("text=Clear all")
        assert count(page) == 160


def test_failures_are_counted_by_cause_language_and_type(chromium: Browser, report: Path, tmp_path: Path) -> None:
    with opened(chromium, report, "#/items") as page:
        rows = list(map(json.loads, exported(page, "#export-jsonl", tmp_path).splitlines()))
        lost = [row for row in rows if (row["grade"] != 5 if row["answerable"] else not row["abstained"])]
        assert page.inner_text("#groups summary") == (
            f"Failures by cause {len(lost)} answers of 160 with a cause or without a grade"
        )
        reader = [row for row in lost if row["cause"] == "reader"]
        page.click("#unfold-reader")
        shown = page.locator("#groups tr:has(#unfold-reader) td").all_inner_texts()
        by_lang = [sum(row["lang"] == lang for row in reader) for lang in ("en", "de", "zh", "ar")]
        assert sorted(text.replace("·", "0") for text in shown) == sorted(map(str, [*by_lang, len(reader)]))
        page.click("#groups tr:has(#unfold-reader) + tr.type td:last-child a")
        read(page)
        kind = page.url.split("type=")[1]
        assert count(page) == sum(row["type"] == kind for row in reader)
        assert "cause=reader" in page.url


def test_answers_with_unsupported_sentences_are_a_filter(chromium: Browser, report: Path, tmp_path: Path) -> None:
    with opened(chromium, report, "#/items?lang=de") as page:
        rows = list(map(json.loads, exported(page, "#export-jsonl", tmp_path).splitlines()))
        counts = page.locator("[data-facet='support'] .count").all_inner_texts()
        shares = [row["supported"] for row in rows]
        partly = sum(share is not None and share < 1 for share in shares)
        assert 0 < partly < 40
        assert list(map(int, counts)) == [shares.count(1), partly][: len(counts)]
        tick(page, "support", "part")
        assert (count(page), page.url.split("#")[1]) == (partly, "/items?lang=de&support=part")
        assert page.locator("#list .ids .is-unsupported").count() == partly
        kept = list(map(json.loads, exported(page, "#export-jsonl", tmp_path).splitlines()))
        assert [row["supported"] for row in kept] == [share for share in shares if share is not None and share < 1]
        page.fill("#search-text", "system-1")
        assert count(page) == sum(row["system"] == "system-1" for row in kept)
        page.reload()
        read(page)
        assert page.locator("[data-facet='support'] input:checked").get_attribute("value") == "part"


def test_a_click_anywhere_in_a_row_opens_its_item(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, "#/items?lang=de") as page:
        page.locator("#list tbody tr").nth(2).locator("td.lang-column").click()
        read(page)
        assert page.inner_text(".item-bar .soft") == "3 of 40"
        page.go_back()
        page.wait_for_selector("#hits")
        # A text that is being marked stays in view.
        box = page.locator("#list p.answer").first.bounding_box()
        assert box
        page.mouse.move(box["x"] + 5, box["y"] + 8)
        page.mouse.down()
        page.mouse.move(box["x"] + 120, box["y"] + 8)
        page.mouse.up()
        assert page.evaluate("String(getSelection())") and page.is_visible("#hits")


def test_a_search_minds_neither_case_nor_marks(chromium: Browser, report: Path, tmp_path: Path) -> None:
    with opened(chromium, report, "#/items?lang=de") as page:
        rows = list(map(json.loads, exported(page, "#export-jsonl", tmp_path).splitlines()))
        word = next(word for word in rows[0]["answer"].split() if "ä" in word or "ö" in word or "ü" in word)
        plain = word.strip(".").translate(str.maketrans("äöü", "aou")).upper()
        page.fill("#search-text", plain)
        assert 0 < count(page) < 40
        assert word.strip(".") in page.locator("#list mark").all_inner_texts()
        assert page.inner_text("#status") == heading(page).split(" of ")[0]
        page.fill("#search-text", f"{plain} q0000 system-1")
        assert count(page) <= 1
        page.fill("#search-text", "no such words")
        assert "No item fits" in page.inner_text("#list")


def test_a_permanent_link_opens_the_same_item_in_a_new_tab(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, "#/items?lang=ar&sort=grade&theme=dark") as page:
        page.click("#list a.open >> nth=2")
        read(page)
        question = heading(page)
        assert page.inner_text(".item-bar .soft") == "3 of 40"
        tab = page.context.new_page()
        tab.goto(page.url)
        read(tab)
        assert (heading(tab), tab.inner_text(".item-bar .soft")) == (question, "3 of 40")
        assert tab.get_attribute("html", "data-theme") == "dark"
        assert tab.get_attribute("main h1", "lang") == "ar"
        assert tab.eval_on_selector("main h1", "one => getComputedStyle(one).direction") == "rtl"


def test_the_back_button_leads_to_the_list_as_it_was_left(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, "#/") as page:
        page.click("#to-items")
        tick(page, "lang", "zh")
        link = page.locator("#list a.open >> nth=9")
        link.scroll_into_view_if_needed()
        page.wait_for_timeout(100)
        left_at = page.evaluate("scrollY")
        link.click()
        read(page)
        page.go_back()
        page.wait_for_selector("#hits")
        assert page.url.endswith("#/items?lang=zh")
        assert page.is_checked("[data-facet='lang'] input[value='zh']")
        assert left_at > 0 and page.evaluate("scrollY") == left_at
        page.go_back()
        page.wait_for_selector("[data-facet='lang'] input[value='zh']:not(:checked)")
        page.go_back()
        page.wait_for_selector(".overview")


def test_an_item_shows_what_became_of_its_gold_and_its_sentences(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, ITEM) as page:
        labels = page.locator(".answer-card .label").all_inner_texts()
        assert labels and all(" " in label for label in labels)
        assert page.locator(".chunk").count() >= 5
        assert page.locator(".chunk.gold .label").first.inner_text() == "★ gold"
        assert "[RESULT]" not in page.inner_text("main")
        page.click(".traces summary >> nth=0")
        assert "[RESULT]" in page.inner_text(".traces")
        go(page, "#/item/system-1/ar/nothing")
        assert "There is no answer" in heading(page)
        go(page, "#/nowhere/at/all")
        assert "leads nowhere" in heading(page)


def test_a_query_side_by_side_over_systems_and_languages(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, ITEM) as page:
        page.click("#side")
        page.wait_for_selector(".by-language")
        assert page.locator(".by-language").count() == 4
        assert page.locator("article").count() == 8
        page.uncheck("fieldset:has-text('Systems') input >> nth=0")
        page.uncheck("#langs-0")
        assert page.locator("article").count() == 3
        assert re.search("systems=system-[01]&langs=[a-z]{2},[a-z]{2},[a-z]{2}$", page.url)
        assert page.evaluate("document.activeElement.id") == "langs-0"
        page.reload()
        read(page)
        assert page.locator("article").count() == 3


def test_the_selection_is_saved_as_lines_and_as_a_table(chromium: Browser, report: Path, tmp_path: Path) -> None:
    with opened(chromium, report, "#/items?system=system-1&grade=0,1&sort=query") as page:
        rows = list(map(json.loads, exported(page, "#export-jsonl", tmp_path).splitlines()))
        text = exported(page, "#export-csv", tmp_path)
        assert len(rows) == count(page)
        assert {row["system"] for row in rows} == {"system-1"} and {row["grade"] for row in rows} <= {0, 1}
        assert [row["query_id"] for row in rows] == sorted(row["query_id"] for row in rows)
    table: list[dict[str, Any]] = list(csv.DictReader(text.removeprefix("\ufeff").splitlines()))
    assert [(row["query_id"], row["lang"], row["answer"]) for row in table] == [
        (row["query_id"], row["lang"], row["answer"]) for row in rows
    ]


def test_dark_and_light_follow_the_system_or_the_address(chromium: Browser, report: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    with opened(chromium, report, "#/items?lang=en", color_scheme="dark") as page:
        dark = page.evaluate(ground)
        page.click("#theme")
        assert page.evaluate(ground) != dark
        assert page.url.endswith("#/items?lang=en&theme=light")
        page.click("#to-overview")
        page.wait_for_selector(".overview")
        assert page.url.endswith("#/?theme=light")


def test_nothing_is_wider_than_a_phone(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, viewport={"width": 390, "height": 844}) as page:
        for address in ("#/", "#/items", ITEM, "#/query/q0003"):
            go(page, address)
            assert page.evaluate("document.documentElement.scrollWidth") == 390, address
        go(page, "#/items?lang=de")
        assert not page.is_visible("[data-facet='grade']")
        page.click("#filters summary")
        tick(page, "grade", "0")
        assert page.url.endswith("lang=de&grade=0")


def test_no_table_is_wider_than_1100_pixels(chromium: Browser, report: Path) -> None:
    with opened(chromium, report) as page:
        for address in ("#/", "#/items", ITEM):
            go(page, address)
            widths = page.eval_on_selector_all("table", "all => all.map(one => one.getBoundingClientRect().width)")
            assert widths and max(widths) <= 1100, address


def test_a_large_page_keeps_a_page_of_the_list_in_view(chromium: Browser, tmp_path: Path) -> None:
    report = write_report(tmp_path, systems=3, queries=200, langs=("en", "ru", "zh"))
    with opened(chromium, report, "#/items") as page:
        assert count(page) == 1800
        assert page.locator("#list tbody tr").count() == 50
        go(page, "#/items?page=36")
        assert page.inner_text(".pager .soft") == "1,751–1,800 of 1,800"
        page.fill("#search-text", "q0150")
        assert count(page) == 9
