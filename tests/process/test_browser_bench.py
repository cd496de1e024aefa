"""The review page of a benchmark in a browser: the forms of its tasks, driven by two people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pages import AXE
from ragaliq.review.labels import label_file, read_labels
from ragaliq.review.reviewed import benchmark_reviews
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.values import value_to_json
from ragaliq.storage.files import read_jsonl
from ragaliq.types import TranslationReview
from review_pages import opened, press, review, text, wait_for
from unit.review.benches import TWO, translate_here, write_bench, write_parity
from unit.review.command import run as command

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TASKS = ("nuggets", "support", "translation")
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    return translate_here(write_bench(tmp_path / "bench"))


def values(bench: Path, rater: str) -> list[Any]:
    return [value_to_json(label.value) for label in read_labels(label_file(bench, rater))]


def test_two_reviewers_mark_nuggets_and_their_agreement_is_told(
    chromium: Browser, bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_parity(bench, [("zh", "q7")])
    options = (str(bench), "--lang", "zh", "--sample", "3")
    with review(*options, "--rater", "ada") as (_, url), opened(chromium, url) as page:
        # The flagged item comes first; it has two nuggets.
        assert page.locator("#fact-list li").count() == 2
        assert text(page, "whole") == "一共21欧元。"
        assert not page.is_visible("#choices")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("h")
        page.keyboard.press("1")
        page.keyboard.press("r")
        page.keyboard.press("+")
        # What is not saved yet is there again after a reload, and nothing is judged.
        page.reload()
        page.wait_for_selector("#sheet:not([hidden])")
        assert text(page, "count") == "0 of 3 judged"
        checked = [box.is_checked() for box in page.locator("#fact-list input").all()]
        assert checked == [False, True, True, False]
        assert page.input_value("#missing") == "1"
        press(page, "Enter")
        wait_for(page, "status", "Item 1: 1 not in the answer, 1 minor or repeated, 1 missing, saved.")
        press(page, "Enter")
        wait_for(page, "status", "Item 2: nothing to mark, saved.")
    assert values(bench, "ada")[0] == {"hallucinated": ["q7-2"], "redundant": ["q7-1"], "missing": 1}
    with review(*options, "--rater", "bo") as (_, url), opened(chromium, url, **PHONE) as page:
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("checkbox", name="Fact 2: The answer does not say this").check()
        page.get_by_role("button", name="One more").click()
        page.get_by_role("button", name="Save").click()
        wait_for(page, "place", "Item 2 of 3")
        page.get_by_role("button", name="Save").click()
        wait_for(page, "place", "Item 3 of 3")
        assert text(page, "count") == "2 of 3 judged"
    assert [one.rater for one in benchmark_reviews(bench).nuggets] == ["ada", "bo", "ada", "bo"]
    assert command([str(bench), "--export", str(tmp_path / "out")]) == 0
    assert "| hallucinated | zh | 3 | 2 | 1.000 | 1.000 |" in capsys.readouterr().out
    rows = {row["what"]: row for row in json.loads((tmp_path / "out" / "agreement.json").read_text())}
    # Redundant: ada marks one of three nuggets, bo none.
    assert (rows["redundant"]["exact"], rows["redundant"]["cohen_kappa"]) == (pytest.approx(2 / 3), 0)
    assert (rows["missing"]["n"], rows["missing"]["exact"]) == (2, 1)


def test_pairs_are_judged_without_the_models_label(chromium: Browser, bench: Path) -> None:
    options = (str(bench), "--task", "support", "--lang", "ru", "--rater", "ada")
    with review(*options) as (_, url), opened(chromium, url) as page:
        loaded: list[Any] = []
        page.on("response", lambda response: loaded.append(response))
        page.reload()
        page.wait_for_selector("#sheet:not([hidden])")
        for key, said in (("1", "relevant"), ("2", "partial"), ("3", "not relevant")):
            assert text(page, "fact")
            assert text(page, "document")
            number = text(page, "place").split()[1]
            press(page, key)
            wait_for(page, "status", f"Item {number}: {said}, saved.")
        press(page, "u")
        assert page.get_attribute("[data-value='\"not\"']", "aria-pressed") == "true"
        seen = "".join(response.text() for response in loaded)
        for secret in ("supported", "q1-1", "lake-04", "food-01"):
            assert secret not in seen
    assert values(bench, "ada") == ["relevant", "partial", "not"]
    pairs = BenchmarkSource(bench).supported("ru")
    assert all(label.place in pairs for label in read_labels(label_file(bench, "ada")))


def test_a_translation_is_judged_and_a_segment_edited(chromium: Browser, bench: Path) -> None:
    options = (str(bench), "--task", "translation", "--lang", "de")
    for rater, grade, after in (("ada", "2", "Kinder unter sechs zahlen nichts."), ("bo", "3", "Für Kinder frei.")):
        with review(*options, "--rater", rater) as (_, url), opened(chromium, url) as page:
            while not (text(page, "question").startswith("Passage") and text(page, "source").startswith(TWO["en"][0])):
                press(page, "s")
            assert text(page, "source-title") == "English"
            source, target = page.locator("#source").bounding_box(), page.locator("#target").bounding_box()
            assert source
            assert target
            assert abs(source["y"] - target["y"]) < 2 < target["x"] - source["x"]
            page.keyboard.press("e")
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.id") == "segment-1"
            page.keyboard.press("Control+a")
            page.keyboard.insert_text(after)
            page.keyboard.press("Escape")
            number = text(page, "place").split()[1]
            press(page, grade)
            wait_for(page, "status", f"Item {number}: {'minor' if grade == '2' else 'wrong'}, 1 edit, saved.")
    rows = [(row["by"], row["before"], row["after"]) for _, row in read_jsonl(bench / "build" / "edits.jsonl")]
    assert rows == [
        ("ada", "Kinder unter sechs Jahren sind frei.", "Kinder unter sechs zahlen nichts."),
        ("bo", "Kinder unter sechs zahlen nichts.", "Für Kinder frei."),
    ]
    labels = [one.label for one in benchmark_reviews(bench).translations]
    assert labels == [TranslationReview.MINOR, TranslationReview.WRONG]


def test_the_keyboards_focus_goes_along_with_the_chosen_fact(chromium: Browser, bench: Path) -> None:
    write_parity(bench, [("ru", "q7")])
    with review(str(bench), "--lang", "ru", "--rater", "ada") as (_, url), opened(chromium, url) as page:
        for _ in range(3):
            page.keyboard.press("Tab")
        page.keyboard.press("h")
        page.keyboard.press("Space")
        checked = [box.is_checked() for box in page.locator("#fact-list input").all()]
        assert checked == [False, False, False, False]
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Space")
        assert page.get_by_role("checkbox", name="Fact 1: The answer does not say this").is_checked()


@pytest.mark.parametrize("width", [390, 320])
def test_the_forms_fit_a_phone(chromium: Browser, bench: Path, width: int) -> None:
    for task in TASKS:
        options = (str(bench), "--task", task, "--rater", task)
        phone = {"viewport": {"width": width, "height": 844}}
        with review(*options) as (_, url), opened(chromium, url, **phone) as page:
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), task
            aside = page.locator("aside").bounding_box()
            assert aside
            assert aside["height"] < 844 / 3, task
            for part in page.locator("aside :is(button, input)").filter(visible=True).all():
                assert part.evaluate("e => e.scrollWidth <= e.clientWidth + 1"), (task, part.inner_text())
                assert part.evaluate("e => e.getBoundingClientRect().right <= innerWidth"), (task, part.inner_text())


def test_the_chosen_fact_stays_clear_of_the_bar_on_a_phone(chromium: Browser, bench: Path) -> None:
    write_parity(bench, [("en", "q7")])
    phone = {"viewport": {"width": 390, "height": 500}}
    with review(str(bench), "--lang", "en", "--rater", "ada") as (_, url), opened(chromium, url, **phone) as page:
        page.keyboard.press("2")
        fact, bar = page.locator("#fact-list li").nth(1).bounding_box(), page.locator("aside").bounding_box()
        assert fact
        assert bar
        assert fact["y"] + fact["height"] <= bar["y"]


@pytest.mark.axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("task", TASKS)
def test_axe_finds_nothing_serious(chromium: Browser, bench: Path, task: str, scheme: str) -> None:
    with (
        review(str(bench), "--task", task, "--rater", "ada") as (_, url),
        opened(chromium, url, color_scheme=scheme) as page,
    ):
        page.keyboard.press("e" if task == "translation" else "h")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        violations = page.evaluate(
            "axe.run().then(({violations}) => violations.map(v => [v.impact, v.id, v.nodes[0].html]))"
        )
        assert [one for one in violations if one[0] in ("serious", "critical")] == []
