"""The page of a run under way, as `ragaliq view` serves it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from page_runs import write_page_runs
from pages import heading, read, wait_for
from ragaliq.report.html.followed_runs import FollowedRuns
from ragaliq.report.html.server import PageServer
from ragaliq.storage.files import write_json

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@contextmanager
def served(run: Path) -> Iterator[str]:
    with PageServer(FollowedRuns([run], 0.0)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.url
        finally:
            server.shutdown()
            thread.join()


def test_a_growing_run_is_shown_without_losing_the_place(chromium: Browser, tmp_path: Path) -> None:
    (run,) = write_page_runs(tmp_path, systems=1, langs=("de", "zh"), queries=10)
    lines = {
        file: file.read_text(encoding="utf-8").splitlines(keepends=True)
        for file in (run.answers_file, run.verdicts_file)
    }
    for file, rows in lines.items():
        file.write_text("".join(rows[:10]), encoding="utf-8")
    first = json.loads(lines[run.verdicts_file][0])
    with served(run.path) as url:
        page = chromium.new_page()
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{url}#/items?lang=de,zh")
        read(page)
        assert heading(page) == "10 items"
        page.focus("#filter-grade-0")
        run.answers_file.write_text("".join(lines[run.answers_file]), encoding="utf-8")
        page.wait_for_selector("#hits:text('20 items')")
        assert page.evaluate("document.activeElement.id") == "filter-grade-0"
        page.wait_for_selector("#live:text('20 answered, 10 judged of 20')")

        address = f"#/item/{run.path.name}/{first['lang']}/{first['query_id']}"
        page.evaluate("address => { location.hash = address; }", address)
        wait_for(page, address)
        page.click(".chunk summary >> nth=4")
        opened = page.locator(".chunk[open]").count()
        # Other items change; what is being read stays as it is.
        run.verdicts_file.write_text("".join(lines[run.verdicts_file]), encoding="utf-8")
        page.wait_for_selector("#live:text('live')")
        page.wait_for_timeout(300)
        assert page.locator(".chunk[open]").count() == opened
        # The item itself is graded anew.
        changed = {**first, "grade": 1 if first["grade"] != 1 else 2}
        rows = [json.dumps(changed) + "\n", *lines[run.verdicts_file][1:]]
        run.verdicts_file.write_text("".join(rows), encoding="utf-8")
        page.wait_for_selector(f".verdict .grade-{changed['grade']}")
        assert wrong == []
        page.close()


def test_a_run_without_a_judge_ends(chromium: Browser, tmp_path: Path) -> None:
    (run,) = write_page_runs(tmp_path, systems=1, langs=("de",), queries=10)
    write_json(run.config_file, {**run.config(), "judge": None})
    run.verdicts_file.unlink()
    rows = run.answers_file.read_text(encoding="utf-8").splitlines(keepends=True)
    run.answers_file.write_text("".join(rows[:4]), encoding="utf-8")
    with served(run.path) as url:
        page = chromium.new_page()
        page.goto(url)
        page.wait_for_selector("#live:text-is('4 answered of 10')")
        run.answers_file.write_text("".join(rows), encoding="utf-8")
        page.wait_for_selector("#live:text-is('live')")
        page.close()


def test_what_the_server_cannot_do_is_said_once(chromium: Browser, tmp_path: Path) -> None:
    (run,) = write_page_runs(tmp_path, systems=1, langs=("de",), queries=10)
    verdicts = run.verdicts_file.read_text(encoding="utf-8")
    with served(run.path) as url:
        page = chromium.new_page()
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{url}#/items")
        page.wait_for_selector("#live:text-is('live')")
        run.verdicts_file.write_text('{"query_id": 5}\n', encoding="utf-8")
        page.wait_for_selector("#live:text('verdicts.jsonl:1: not a row of this file')")
        page.wait_for_timeout(5000)
        # The browser's own line on the reply, and no other.
        assert len(wrong) == 1 and "400" in wrong[0]
        assert heading(page) == "10 items"
        run.verdicts_file.write_text(verdicts, encoding="utf-8")
        page.wait_for_selector("#live:text-is('live')")
        config = run.config_file.read_text(encoding="utf-8")
        run.config_file.write_text("{", encoding="utf-8")
        page.wait_for_selector("#live:text('config.json')")
        run.config_file.write_text(config, encoding="utf-8")
        page.wait_for_selector("#live:text-is('live')")
        page.close()
