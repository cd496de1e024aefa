"""The page as a file: whole, by itself, and nothing that a text holds becomes a part of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from hostile import HOSTILE
from ragaliq.aggregate.run_figures import load_run
from ragaliq.compare.results import compare_results
from ragaliq.errors import InputError
from ragaliq.report.html import page_file
from ragaliq.report.html.page_data import PageData, page_data
from ragaliq.report.html.page_file import live_page, page_path, write_report_page
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import is_unicode, read_jsonl, write_jsonl
from unit.report.html.reading import PageElements, unpacked
from unit.report.html.rich_run import write_rich_run

PARTS = Path(page_file.__file__).with_name("page")


def page_of(run: RunFolder) -> tuple[str, PageData]:
    data = page_data(compare_results([load_run(run.path)], 0.95, Path("nowhere")))
    path = run.path / "report.html"
    write_report_page(path, data)
    return path.read_bytes().decode("utf-8"), data


def test_all_parts_are_filled_in(tmp_path: Path) -> None:
    page, data = page_of(write_rich_run(tmp_path / "r"))
    elements = PageElements(page)
    for part, suffix in (("script", ".js"), ("style", ".css")):
        for file in PARTS.glob(f"*{suffix}"):
            assert file.read_text(encoding="utf-8") in elements.texts[part], file.name
    assert elements.texts["script"].startswith('(() => {\n"use strict";\n')
    assert json.loads(elements.texts["overview"]) == data.overview
    assert {name: elements.texts[name] for name in data.blocks} == data.blocks
    assert not {"link", "img", "iframe", "object", "embed"} & set(elements.tags)


def test_no_part_can_end_its_element() -> None:
    for file in PARTS.iterdir():
        text = file.read_text(encoding="utf-8")
        if file.suffix in (".js", ".css"):
            assert not re.search(r"<!--|</(script|style)", text, re.IGNORECASE), file.name
            # The browser reads other line ends as these, and the hash would be another.
            assert "\r" not in text and "\0" not in text, file.name


def test_the_policy_allows_its_own_script_and_style_alone(tmp_path: Path) -> None:
    page, data = page_of(write_rich_run(tmp_path / "r"))
    elements = PageElements(page)
    (policy,) = [str(one["content"]) for one in elements.meta if one.get("http-equiv") == "Content-Security-Policy"]
    hashes = {
        part: base64.b64encode(hashlib.sha256(elements.texts[part].encode()).digest()).decode()
        for part in ("script", "style")
    }
    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src 'sha256-{hashes['script']}'",
        f"style-src 'sha256-{hashes['style']}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    body, header = live_page(data)
    assert header == f"{policy}; connect-src 'self'; frame-ancestors 'none'"
    assert "Content-Security-Policy" not in body.decode("utf-8")


@pytest.fixture(scope="module")
def plain_tags(tmp_path_factory: pytest.TempPathFactory) -> object:
    """The tags of a page whose texts are plain."""
    page, _ = page_of(write_rich_run(tmp_path_factory.mktemp("plain") / "plain"))
    return PageElements(page).tags


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_stays_a_text(tmp_path: Path, plain_tags: object, text: str) -> None:
    # Ids and names are whole characters; answers may hold half a pair.
    short = text[:2000]
    run = write_rich_run(tmp_path / "r", hostile=short if is_unicode(text) else "")
    rows = [row for _, row in read_jsonl(run.answers_file)]
    rows[0] |= {"answer": text, "question": text, "reference": text}
    write_jsonl(run.answers_file, rows)
    page, data = page_of(run)
    elements = PageElements(page)
    assert elements.tags == plain_tags
    assert json.loads(elements.texts["overview"]) == data.overview
    items = unpacked(elements.texts["items"])
    shown = [items["texts"][items["columns"][name][0]] for name in ("question", "reference", "answer")]
    for one in shown:
        assert one.startswith(text[:20_000])
        assert (one == text) == (len(text) <= 20_000)
    if is_unicode(text):
        assert items["queries"][0]["query_id"] == f"q1{short}"
        assert unpacked(elements.texts["details-0"])["items"][0]["feedback"] == f"in part{short}"
        assert unpacked(elements.texts["chunks-0"])["chunks"][0]["doc_id"] == f"d1{short}"
        assert data.overview["data"]["name"] == f"tiny{short}"


@pytest.mark.parametrize("lang", ["", "<b>", "__proto__", "x-klingon", "ar", "zh_TW", "\u202eed", "a" * 500])
def test_any_name_of_a_language_will_do(tmp_path: Path, lang: str) -> None:
    page, data = page_of(write_rich_run(tmp_path / "r", lang=lang))
    overview = json.loads(PageElements(page).texts["overview"])
    assert overview["languages"][0]["code"] == lang
    assert overview["languages"][0]["dir"] == ("rtl" if lang == "ar" else "ltr")
    assert list(overview["systems"][0]["by_lang"]) == [lang]
    assert data.overview["n_items"] == 3


def test_a_page_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    assert page_path(tmp_path) == tmp_path / "report.html"
    page_of(write_rich_run(tmp_path / "r"))
    assert page_path(tmp_path / "r").is_file()
    path = tmp_path / "report.html"
    for foreign in ("mine", '<!doctype html><head></head><meta name="generator" content="ragaliq report">'):
        path.write_text(foreign, encoding="utf-8")
        with pytest.raises(InputError, match="ragaliq did not write it; move it away"):
            page_path(tmp_path)


def test_same_run_same_bytes(tmp_path: Path) -> None:
    run = write_rich_run(tmp_path / "r")
    assert page_of(run)[0] == page_of(run)[0]
