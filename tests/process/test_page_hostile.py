"""Answers, names and references that try to be more than text."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hostile import HOSTILE
from page_runs import write_page_runs
from pages import go, heading, opened, report_of
from unit.report.html.rich_run import write_rich_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
# A question is no empty text.
TEXTS = [text.replace("\0", "\1").encode("utf-8", "replace").decode("utf-8") for text in HOSTILE]
FOREIGN = "main :is(script, iframe, img, object, video, base, meta, link, form, template)"


def shown(text: str) -> str:
    """A text as the page shows it: unseen controls by their numbers, no more than 20,000 characters."""
    return UNSEEN.sub(lambda hit: f"U+{ord(hit[0]):04X}", text[:20_000])


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two runs with hostile names, in which each hostile text stands wherever a text can stand."""
    folder = tmp_path_factory.mktemp("hostile")
    runs = write_page_runs(folder, systems=2, langs=("en",), queries=len(TEXTS))
    places = []
    for run, name in zip(runs, ("<img src=x onerror=alert(1)>", "</script><script>alert(1)<"), strict=True):
        texts = {f"q{number:04}": text for number, text in enumerate(TEXTS)}
        for file in ("answers", "verdicts", "checks", "traces"):
            path = run.path / f"{file}.jsonl"
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            for row in rows:
                text = texts[row["query_id"]]
                for key in {"question", "reference", "answer", "feedback", "raw_reply", "reasoning"} & row.keys():
                    row[key] = text
                for sentence in row.get("sentences", []):
                    sentence["text"] = text
                for hit in row.get("context", []):
                    hit["text"] = text
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        config = json.loads(run.config_file.read_text(encoding="utf-8"))
        run.config_file.write_text(json.dumps({**config, "name": name}), encoding="utf-8")
        place = folder / name.replace("/", "∕")
        run.path.rename(place)
        places.append(place)
    return report_of(places, folder)


def test_hostile_texts_are_shown_literally_and_change_nothing(chromium: Browser, hostile: Path) -> None:
    assert len(TEXTS) == 40
    with opened(chromium, hostile, "#/items?sort=query") as page:
        title = page.title()
        assert heading(page) == "80 items"
        addresses = page.eval_on_selector_all("#list a.open", "all => all.map(one => one.getAttribute('href'))")
        go(page, "#/items?sort=query&page=2")
        addresses += page.eval_on_selector_all("#list a.open", "all => all.map(one => one.getAttribute('href'))")
        assert page.title() == title
        for number, address in enumerate(addresses):
            text = shown(TEXTS[number // 2])
            go(page, address)
            page.wait_for_selector(".chunk .passage .text", state="attached")
            for selector in ("main h1", ".answer-card .text", ".card .text", ".feedback", ".chunk .passage .text"):
                written = page.locator(selector).first.evaluate("one => one.textContent")
                assert written.startswith(text[:500]) or written == text, (selector, text[:50])
            assert page.locator(FOREIGN).count() == 0
            assert page.title().endswith(title.split(" · ")[-1])
        for address in ("#/", "#/query/q0000", "#/items?q=%3Cscript%3E"):
            go(page, address)
            assert page.locator(FOREIGN).count() == 0
        assert page.locator("#list tbody tr").count() > 0
        assert page.evaluate("document.documentElement.scrollWidth") == 1280


def test_what_is_saved_runs_nothing_in_a_spreadsheet(chromium: Browser, hostile: Path, tmp_path: Path) -> None:
    with opened(chromium, hostile, "#/items") as page:
        with page.expect_download() as download:
            page.click("#export-csv")
        download.value.save_as(tmp_path / "items.csv")
    csv.field_size_limit(10_000_000)
    text = (tmp_path / "items.csv").read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == 80
    assert {"'" + text for text in TEXTS if text[0] in "=@＝"} <= {row["answer"] for row in rows}
    assert not [value for row in rows for value in row.values() if value[:1] in tuple("=+-@＝＋－＠")]


def test_a_hostile_address_is_text_too(chromium: Browser, hostile: Path) -> None:
    with opened(chromium, hostile, "#/items?lang=%3Cscript%3E&q=%&theme=%22onload%3D&page=-7") as page:
        assert heading(page) == "0 items of 80"
        go(page, "#/item/%3Cimg%20src%3Dx%3E/__proto__/constructor")
        assert "<img src=x>" in heading(page)


def test_hostile_ids_and_names_change_nothing_either(chromium: Browser, tmp_path: Path) -> None:
    # Five to a page: each id, name and type holds them.
    for number in range(0, len(TEXTS), 5):
        run = write_rich_run(
            tmp_path / str(number), hostile=" ".join(text[:200] for text in TEXTS[number : number + 5])
        )
        with opened(chromium, report_of([run.path], run.path), "#/items") as page:
            assert heading(page) == "3 items"
            page.click("#list a.open >> nth=0")
            page.wait_for_selector(".chunk .passage .text", state="attached")
            assert page.locator(FOREIGN).count() == 0
            go(page, "#/")
            assert page.locator(FOREIGN).count() == 0
