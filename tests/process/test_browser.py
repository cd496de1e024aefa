"""The page in a browser, driven by the keyboard."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

import pytest

from ragaliq.review.labels import LabelFile, label_file, read_labels
from ragaliq.review.offline import import_labels
from ragaliq.review.sources.runs import Runs
from review_pages import opened, press, review, text, wait_for
from unit.review.command import agree
from unit.review.command import run as command
from unit.review.small import ALPHA, answered, write_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]
GRADES = [5, 0, 3, 4, 1, 2, 5, 5, 0, 3]
HOSTILE = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


def wait_for_note(run: Path, note: str) -> None:
    """Wait until a note is on disk."""
    for _ in range(500):
        if note in {label.note for label in read_labels(label_file(run, "ada"))}:
            return
        sleep(0.02)
    pytest.fail(f"not saved: {note}")


@pytest.fixture
def run(tmp_path: Path, small_run: Path) -> Path:
    """A copy of the run of the small benchmark."""
    shutil.copytree(small_run, tmp_path / small_run.name)
    return tmp_path / small_run.name


def test_ten_answers_by_keyboard_survive_reload_and_kill_and_are_exported(
    chromium: Browser, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [str(run), "--rater", "ada", "--sample", "24", "--seed", "7"]
    with review(*options) as (process, url), opened(chromium, url) as page:
        for grade in GRADES[:6]:
            press(page, str(grade))
        seen = text(page, "question")
        page.reload()
        page.wait_for_selector("#sheet:not([hidden])")
        assert (text(page, "count"), text(page, "question")) == ("6 of 24 judged", seen)
        process.send_signal(signal.SIGKILL)
        process.wait()
        page.keyboard.press("5")
        page.wait_for_selector("#status.bad")
        assert "does not answer" in text(page, "status")
        assert text(page, "question") == seen
    with review(*options) as (process, url), opened(chromium, url) as page:
        assert (text(page, "count"), text(page, "question")) == ("6 of 24 judged", seen)
        for grade in GRADES[6:]:
            press(page, str(grade))
        assert text(page, "count") == "10 of 24 judged"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
    labels = list(read_labels(label_file(run, "ada")))
    assert [label.value for label in labels] == GRADES
    assert len({label.place for label in labels}) == 10

    out = tmp_path / "out"
    assert command([str(run), "--export", str(out)]) == 0
    rows = [json.loads(line) for line in (out / f"labels.{run.name}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(row["grade"] for row in rows) == sorted(GRADES)
    verdicts = {(row["query_id"], row["lang"]) for row in map(json.loads, (run / "verdicts.jsonl").open())}
    assert all((row["query_id"], row["lang"]) in verdicts for row in rows)
    assert all({"rater", "question", "answer", "grade"} <= row.keys() for row in rows)
    capsys.readouterr()
    for verdicts_of, labels_of in ((run, f"labels.{run.name}.jsonl"), (run.parent, "labels.jsonl")):
        assert agree(str(verdicts_of), str(out / labels_of)) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["n"] == 10
        assert sum(map(sum, found["confusion"])) == 10
        # Columns are the labels.
        assert [sum(row[grade] for row in found["confusion"]) for grade in range(6)] == [2, 1, 1, 2, 1, 3]


def test_keys_skip_go_back_note_and_show_the_context(chromium: Browser, run: Path) -> None:
    with (
        review(str(run), "--rater", "ada", "--lang", "zh,ru", "--sample", "6") as (_, url),
        opened(chromium, url) as page,
    ):
        first = text(page, "question")
        page.keyboard.press("Space")
        assert page.eval_on_selector("#context", "one => one.open")
        page.keyboard.press("c")
        assert not page.eval_on_selector("#context", "one => one.open")
        press(page, "s")
        assert text(page, "count") == "0 of 6 judged"
        press(page, "ArrowLeft")
        assert text(page, "question") == first
        page.keyboard.press("n")
        page.keyboard.type("5 не уверен 不确定")
        page.keyboard.press("Escape")
        wait_for(page, "status", "Note saved.")
        assert text(page, "count") == "0 of 6 judged"
        # The key at the place of 4 on a keyboard that writes something else there.
        before = text(page, "place")
        pressed = "{key: '\\'', code: 'Digit4', bubbles: true}"
        page.eval_on_selector("#question", f"one => one.dispatchEvent(new KeyboardEvent('keydown', {pressed}))")
        page.wait_for_function("before => document.getElementById('place').innerText !== before", arg=before)
        press(page, "u")
        assert page.get_attribute("[data-value='4']", "aria-pressed") == "true"
        assert page.input_value("#note-text") == "5 не уверен 不确定"
        page.reload()
        page.wait_for_selector("#sheet:not([hidden])")
        # Behind the item that was judged last, not at it.
        assert text(page, "question") != first
        # A held key grades one item, and keys with Ctrl none.
        page.keyboard.press("Control+5")
        page.keyboard.press("?")
        page.wait_for_selector("#help-box[open]")
        page.keyboard.press("5")
        page.keyboard.press("Escape")
        assert text(page, "count") == "1 of 6 judged"
        for _ in range(4):
            press(page, "1")
        page.keyboard.press("1")
        page.wait_for_selector("#end:not([hidden])")
        assert text(page, "end-title") == "All 6 items are judged."
    labels = list(read_labels(label_file(run, "ada")))
    assert [(label.value, label.note) for label in labels[:2]] == [
        (None, "5 не уверен 不确定"),
        (4, "5 не уверен 不确定"),
    ]
    assert [label.value for label in labels[2:]] == [1] * 5


def test_enter_saves_a_note_and_the_grade_keys_grade_again(chromium: Browser, run: Path) -> None:
    note = "unsicher:\n第二行 не то"
    with review(str(run), "--rater", "ada", "--sample", "3") as (_, url), opened(chromium, url) as page:
        page.keyboard.press("n")
        page.keyboard.type("unsicher:")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("第二行 не то")
        page.keyboard.press("Enter")
        wait_for(page, "status", "Note saved.")
        assert page.input_value("#note-text") == note
        press(page, "4")
        # A grade key right behind Enter, before the note can be saved.
        page.keyboard.press("n")
        page.keyboard.type("ясно")
        before = text(page, "place")
        page.keyboard.press("Enter")
        page.keyboard.press("5")
        page.wait_for_function("before => document.getElementById('place').innerText !== before", arg=before)
        assert text(page, "count") == "2 of 3 judged"
        # An input method's Enter takes a word, and the note goes on.
        page.keyboard.press("n")
        page.eval_on_selector(
            "#note-text",
            "one => one.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', keyCode: 229, bubbles: true}))",
        )
        page.keyboard.type("0")
        assert page.input_value("#note-text") == "0"
    found = [(label.value, label.note) for label in read_labels(label_file(run, "ada"))]
    assert found[:4] == [(None, note), (4, note), (None, "ясно"), (5, "ясно")]


def test_a_note_is_saved_without_leaving_its_field(chromium: Browser, run: Path) -> None:
    with review(str(run), "--rater", "ada", "--sample", "3") as (_, url), opened(chromium, url) as page:
        page.keyboard.press("n")
        page.keyboard.type("une pause")
        wait_for(page, "status", "Note saved.")
        page.keyboard.type(" encore")
        assert text(page, "status") == "Note not saved yet."
        wait_for(page, "status", "Note saved.")
        assert page.evaluate("document.activeElement.id") == "note-text"
    labels = list(read_labels(label_file(run, "ada")))
    assert [(label.value, label.note) for label in labels] == [(None, "une pause"), (None, "une pause encore")]


@pytest.mark.parametrize("first", [None, 3])
def test_a_note_that_is_being_typed_survives_the_end_of_the_page(
    chromium: Browser, run: Path, first: int | None
) -> None:
    with review(str(run), "--rater", "ada", "--sample", "3") as (_, url):
        with opened(chromium, url) as page:
            # No pause in typing ends.
            page.evaluate("window.setTimeout = () => 0")
            if first is not None:
                press(page, str(first))
                press(page, "u")
            page.keyboard.press("n")
            page.keyboard.insert_text("почти 几乎")
            assert text(page, "status") == "Note not saved yet."
            page.close(run_before_unload=True)
            wait_for_note(run, "почти 几乎")
        with opened(chromium, url) as page:
            if first is not None:
                press(page, "u")
            assert page.input_value("#note-text") == "почти 几乎"
    labels = list(read_labels(label_file(run, "ada")))
    assert [(label.value, label.note) for label in labels][-1] == (first, "почти 几乎")


def test_what_was_retrieved_is_judged(chromium: Browser, run: Path) -> None:
    options = (str(run), "--task", "lgtm", "--rater", "ada", "--sample", "4")
    with review(*options) as (_, url), opened(chromium, url) as page:
        assert page.locator("#retrieved li").count() == 10
        assert not page.is_visible("#reference")
        press(page, "y")
        press(page, "n")
        assert text(page, "status") == "Item 2: not good, saved."
    assert [label.value for label in read_labels(label_file(run, "ada"))] == [True, False]


def test_answers_are_text_and_nothing_else(chromium: Browser, tmp_path: Path) -> None:
    arabic, code = "الساعة التاسعة والربع.", "def f():\n    return 1  # " + "x" * 400
    texts = [HOSTILE, arabic, "九点" * 600, code]
    write_run(tmp_path / ALPHA, [answered("zh", f"q{number}", one) for number, one in enumerate(texts)])
    shown = set()
    phone = {"viewport": {"width": 360, "height": 640}, "color_scheme": "dark"}
    with review(str(tmp_path), "--rater", "ada") as (_, url), opened(chromium, url, **phone) as page:
        for place in range(4):
            shown.add(page.eval_on_selector("#answer", "one => one.textContent"))
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.locator("#answer *").count() == 0
            if text(page, "answer").startswith("ال"):
                assert page.eval_on_selector("#answer", "one => getComputedStyle(one).direction") == "rtl"
            assert page.get_attribute("#answer", "lang") == "zh"
            if place < 3:
                press(page, "2")
        assert page.title() == "Review"
        assert ALPHA not in page.content()
    assert shown == set(texts)


def test_buttons_have_names_and_work_without_a_keyboard(chromium: Browser, run: Path) -> None:
    with review(str(run), "--rater", "ada", "--sample", "3") as (_, url), opened(chromium, url) as page:
        page.get_by_role("button", name="3 Partly right.").click()
        wait_for(page, "status", "Item 1: grade 3, saved.")
        # Until the next item is loaded, the page takes no other click.
        wait_for(page, "place", "Item 2 of 3")
        page.get_by_role("button", name="Back").click()
        wait_for(page, "place", "Item 1 of 3")
        assert page.get_by_role("progressbar", name="Judged so far").get_attribute("value") == "1"
        assert page.get_by_role("heading", level=1).first.inner_text() == text(page, "question")


def test_the_page_as_a_file_keeps_labels_until_they_are_brought_back(
    chromium: Browser, run: Path, tmp_path: Path
) -> None:
    file = tmp_path / "review.html"
    assert command([str(run), "--rater", "ada", "--sample", "5", "--html", str(file)]) == 0
    url = file.as_uri()
    with opened(chromium, url, accept_downloads=True) as page:
        for grade in (4, 0, 5):
            press(page, str(grade))
        # A browser hands what a page of a file stores on to its next process in its own time.
        page.wait_for_timeout(1000)
        page.reload()
        page.wait_for_selector("#sheet:not([hidden])")
        assert text(page, "count") == "3 of 5 judged"
        with page.expect_download() as download:
            page.click("#download")
        download.value.save_as(tmp_path / "back.jsonl")
    with LabelFile(label_file(run, "bo")) as labels:
        assert import_labels(Runs(run), tmp_path / "back.jsonl", "bo", labels) == 3
    assert {label.value for label in read_labels(label_file(run, "bo"))} == {0, 4, 5}
