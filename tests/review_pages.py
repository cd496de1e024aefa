"""The review page in Chromium: the command in a process of its own, and a page on which nothing may go wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SRC = Path(__file__).resolve().parents[1] / "src"


@contextmanager
def review(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and the address that it prints."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SRC), "HOME": os.environ.get("HOME", "/")}
    command = [sys.executable, "-m", "ragaliq", "review", *options, "--no-browser"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=SRC.parent
    )
    try:
        assert process.stdout
        yield process, process.stdout.readline().strip()
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@contextmanager
def opened(browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    """A page on which nothing may go wrong or ask for anything elsewhere."""
    context = browser.new_context(**options)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith((url, "blob:")) else wrong.append(request.url))
    page.goto(url)
    page.wait_for_selector("#sheet:not([hidden]), #end:not([hidden])")
    yield page
    assert wrong == []
    context.close()


def press(page: Page, key: str) -> None:
    """Press a key that leads to another item, and wait for it."""
    before = page.inner_text("#place")
    page.keyboard.press(key)
    page.wait_for_function("before => document.getElementById('place').innerText !== before", arg=before)


def wait_for(page: Page, name: str, said: str) -> None:
    page.wait_for_function(
        "([name, said]) => document.getElementById(name).innerText.startsWith(said)", arg=[name, said]
    )


def text(page: Page, name: str) -> str:
    return page.inner_text(f"#{name}")
