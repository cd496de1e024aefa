"""The report by keyboard alone, and for those who do not see it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pages import AXE, go, heading, opened, read, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]
VIEWS = ("#/", "#/items", "#/items?lang=de,ar&q=a", "#/item/system-0/ar/q0001", "#/query/q0001")


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id || document.activeElement.tagName.toLowerCase()"))


def test_every_view_is_reached_by_keys(chromium: Browser, report: Path) -> None:
    with opened(chromium, report) as page:
        page.keyboard.press("/")
        assert focused(page) == "search-text"
        page.keyboard.type("q0001")
        page.keyboard.press("Enter")
        page.wait_for_selector("#hits")
        assert focused(page) == "hits"
        addresses = page.eval_on_selector_all("#list a.open", "all => all.map(one => one.getAttribute('href'))")
        for key in ("j", "k", "j"):
            page.keyboard.press(key)
        first = page.evaluate("document.activeElement.textContent")
        page.keyboard.press("Enter")
        read(page)
        assert (heading(page), focused(page)) == (first, "h1")
        for key, address in (("k", addresses[0]), ("j", addresses[1]), ("j", addresses[2])):
            page.keyboard.press(key)
            wait_for(page, address)
        page.keyboard.press("s")
        page.wait_for_selector(".by-language")
        page.keyboard.press("Escape")
        page.wait_for_selector(".item-bar")
        page.keyboard.press("Escape")
        page.wait_for_selector("#hits")
        page.keyboard.press("Escape")
        page.wait_for_selector(".overview")
        assert focused(page) == "h1"


def test_help_skip_link_and_what_is_typed_stay_apart(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, "#/items") as page:
        page.keyboard.press("?")
        page.wait_for_selector("#keys[open]")
        assert "side by side" in page.inner_text("#keys")
        assert "Abstention F1" in page.inner_text("#terms-list")
        page.keyboard.press("o")
        page.keyboard.press("Escape")
        page.wait_for_selector("#keys", state="hidden")
        assert page.url.endswith("#/items")
        page.keyboard.press("/")
        page.keyboard.type("jkso?")
        assert (page.input_value("#search-text"), page.url.endswith("q=jkso%3F")) == ("jkso?", True)
        page.keyboard.press("Escape")
        assert focused(page) == "hits"
    with opened(chromium, report, "#/items") as page:
        page.keyboard.press("Tab")
        assert focused(page) == "skip"
        page.keyboard.press("Enter")
        assert focused(page) == "main"


def test_the_last_row_leads_to_the_next_page(chromium: Browser, report: Path) -> None:
    with opened(chromium, report, "#/items") as page:
        page.focus("#list tr:last-child a.open")
        page.keyboard.press("j")
        wait_for(page, "#/items?page=2")
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.dataset.index") == "50"


@pytest.mark.axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(chromium: Browser, report: Path, scheme: str) -> None:
    with opened(chromium, report, color_scheme=scheme, reduced_motion="reduce") as page:
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for address in VIEWS:
            go(page, address)
            page.wait_for_timeout(300)
            result = page.evaluate("axe.run()")
            assert len(result["passes"]) > 15
            bad = [
                (one["id"], [node["target"] for node in one["nodes"]][:3])
                for one in result["violations"]
                if one["impact"] in ("serious", "critical")
            ]
            assert not bad, address
