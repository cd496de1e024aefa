"""Reports in Chromium: pages of made-up runs, opened from disk without a network, on which nothing may go wrong."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from page_runs import write_page_runs
from ragaliq.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
AXE = ROOT / ".node" / "node_modules" / "axe-core" / "axe.min.js"
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def chromium_browser() -> Iterator[Browser]:
    """Chromium as the system brings it, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        yield browser
        browser.close()


def write_report(folder: Path, systems: int, queries: int, langs: Sequence[str] = ("en", "de", "ar", "zh")) -> Path:
    """Write made-up runs and their page."""
    runs = write_page_runs(folder, systems=systems, langs=langs, queries=queries)
    return report_of([run.path for run in runs], folder)


def report_of(runs: Sequence[Path], folder: Path) -> Path:
    """Write the page of some runs into a folder."""
    # 1: too few answers of a run have a grade, which its page says.
    assert main(["report", *map(str, runs), "--format", "html", "--out", str(folder)]) in (0, 1)
    return folder / "report.html"


@contextmanager
def opened(browser: Browser, report: Path, address: str = "#/", **options: Any) -> Iterator[Page]:
    """The page from disk at an address: it may ask for nothing, say nothing on the console and open no dialog."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    context.set_offline(True)
    wrong: list[str] = []
    context.on("page", lambda page: _watch(page, report, wrong))
    page = context.new_page()
    page.goto(report.as_uri() + address)
    read(page)
    yield page
    assert wrong == []
    context.close()


def read(page: Page) -> None:
    """Wait until the items are read and what is in view is there."""
    page.wait_for_selector("html[data-items]", state="attached")
    page.wait_for_selector("main h1", state="attached")
    page.wait_for_selector("[aria-busy]", state="detached")


def go(page: Page, address: str) -> None:
    """Go to an address of the page."""
    page.evaluate("address => { location.hash = address; }", address)
    wait_for(page, address)


def wait_for(page: Page, address: str) -> None:
    """Wait until the page shows an address."""
    page.wait_for_selector(f"html[data-shown='{address}']", state="attached")
    read(page)


def heading(page: Page) -> str:
    """Return the text of the view's heading."""
    return page.inner_text("main h1")


def _watch(page: Page, report: Path, wrong: list[str]) -> None:
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.on("request", lambda request: None if _allowed(request.url, report) else wrong.append(request.url))


def _allowed(url: str, report: Path) -> bool:
    return url.startswith((report.as_uri(), "blob:"))
