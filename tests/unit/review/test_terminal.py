"""The same sheets, line by line."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from ragaliq.review.sheets import Choice
from ragaliq.review.terminal import review_in_terminal
from ragaliq.review.values import ReviewTask, Value, value_to_json
from ragaliq.storage.files import read_jsonl
from unit.review.benches import bench_session, translate_here, write_bench
from unit.review.small import SAME, answered, session, write_run, write_runs


def typed(folder: Path, lines: str, task: ReviewTask = ReviewTask.GRADE) -> tuple[str, list[Value | None], list[str]]:
    """What is shown, and the values and notes of the sheets in their order."""
    out = StringIO()
    with session(folder, task) as own:
        review_in_terminal(own, StringIO(lines), out)
        labels = [own.label(sheet) for sheet in own.sheets]
        return out.getvalue(), [own.value(sheet) for sheet in own.sheets], [one.note if one else "" for one in labels]


@pytest.fixture
def three(tmp_path: Path) -> Path:
    write_run(tmp_path, [answered("ru", f"q{number}", f"Ответ {number}.") for number in (1, 2, 3)])
    return tmp_path


def test_grades_go_on_to_the_next_until_none_is_open(three: Path) -> None:
    shown, values, _ = typed(three, "5\n0\n３\nnever read\n")
    assert values == [5, 0, 3]
    assert "never read" not in shown
    assert shown.count("Reference: В 09:15.") == 3
    assert "5: Right and complete." in shown


def test_the_end_of_the_input_ends_and_the_next_session_goes_on(three: Path) -> None:
    assert typed(three, "4\n")[1] == [4, None, None]
    shown, values, _ = typed(three, "q\n5\n")
    assert values == [4, None, None]
    assert "item 2 of 3 · ru · 1 judged" in shown
    assert typed(three, "1\n2")[1] == [4, 1, 2]
    assert "item" not in typed(three, "5\n")[0]


def test_skip_back_note_context_and_what_is_not_understood(three: Path) -> None:
    shown, values, notes = typed(three, "s\nu\nm не уверен\nc\n9\nfoo\n\n4\nq\n")
    assert values == [4, None, None]
    assert notes == ["не уверен", "", ""]
    assert "1: В 09:15. q" in shown
    assert shown.count("not understood") == 3
    shown, values, notes = typed(three, "u\n1\nq\n")
    assert "judged: 4 · note: не уверен" in shown
    assert (values[0], notes[0]) == (1, "не уверен")


def test_skipping_the_last_open_one_shows_it_again(three: Path) -> None:
    assert typed(three, "1\n1\ns\ns\n2\n")[1] == [1, 1, 2]


def test_an_answer_cannot_steer_the_terminal(tmp_path: Path) -> None:
    write_run(tmp_path, [answered("en", "q1", "a\x1b[2J\x9b1mb\r\x07\tc\nd\ud800")])
    shown, _, _ = typed(tmp_path, "")
    assert "Answer: a�[2J�1mb�� c\nd�" in shown
    assert not set(shown) & set("\x1b\x9b\r\x07")


def test_what_was_retrieved_is_judged_by_yes_and_no(small: Path, small_run: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "run"
    shutil.copytree(small_run, folder)
    out = StringIO()
    from ragaliq.review.labels import LabelFile, label_file
    from ragaliq.review.session import Session
    from ragaliq.review.sheets import make_sheets
    from ragaliq.review.sources.runs import Runs

    with LabelFile(label_file(folder, "ada")) as labels:
        sheets = make_sheets(Runs(folder, small), ReviewTask.LGTM, Choice(("zh",), 3))
        own = Session(Runs(folder, small), sheets, ReviewTask.LGTM, "ada", labels)
        review_in_terminal(own, StringIO("y\nm 缺\nN\n5\nq\n"), out)
        assert [own.value(sheet) for sheet in sheets] == [True, False, None]
    assert out.getvalue().count("\n10: ") == 3
    assert "not understood: '5'" in out.getvalue()
    assert "Reference" not in out.getvalue()


def test_a_shared_answer_is_asked_once(tmp_path: Path) -> None:
    shown, values, _ = typed(write_runs(tmp_path), "3\n" * 40)
    assert shown.count(f"Answer: {SAME}") == 6
    assert values == [3] * 30


def typed_on_bench(bench: Path, lines: str, task: ReviewTask, langs: tuple[str, ...]) -> tuple[str, list[Any]]:
    out = StringIO()
    with bench_session(bench, task, Choice(langs)) as own:
        review_in_terminal(own, StringIO(lines), out)
        return out.getvalue(), [value_to_json(own.value(sheet)) for sheet in own.sheets]


def test_nuggets_are_marked_in_one_line(tmp_path: Path) -> None:
    bench = write_bench(tmp_path)
    with bench_session(bench, ReviewTask.NUGGETS, Choice(("zh",))) as own:
        names = [part.name for part in own.sheets[0].parts]
    lines = "h9\nh1 x\n+1 +2\n\nH1 r１ +2\nok\nu\nq\n"
    shown, values = typed_on_bench(bench, lines, ReviewTask.NUGGETS, ("zh",))
    assert values[:2] == [
        {"hallucinated": names[:1], "redundant": names[:1], "missing": 2},
        {"hallucinated": [], "redundant": [], "missing": 0},
    ]
    assert values[2:] == [None] * 5
    assert shown.count("not understood") == 4
    assert "judged: ok" in shown


def test_pairs_are_judged_by_three_levels(tmp_path: Path) -> None:
    shown, values = typed_on_bench(write_bench(tmp_path), "1\n２\n3\n0\nq\n", ReviewTask.SUPPORT, ("ru",))
    assert values[:4] == ["relevant", "partial", "not", None]
    assert "not understood: '0'" in shown
    assert shown.count("Fact: ") == shown.count("Document: ") == 4


def test_a_translation_is_edited_and_judged(tmp_path: Path) -> None:
    bench = translate_here(write_bench(tmp_path))
    with bench_session(bench, ReviewTask.TRANSLATION, Choice(("de",))) as own:
        place = next(n for n, sheet in enumerate(own.sheets) if len(sheet.parts) == 2)
    lines = "s\n" * place + "e3 Zuviel\ne2\ne2 Kinder zahlen nichts.\n2\nu\nq\n"
    shown, values = typed_on_bench(bench, lines, ReviewTask.TRANSLATION, ("de",))
    edit = {"source": "Children under six stay for free.", "after": "Kinder zahlen nichts."}
    assert values[place] == {"label": "minor", "edits": [edit]}
    assert shown.count("e1 to e2, and the text") == 2
    assert "Segment 2: Children under six stay for free. → Kinder unter sechs Jahren sind frei." in shown
    assert "judged: minor, 1 edited" in shown
    assert [row["after"] for _, row in read_jsonl(bench / "build" / "edits.jsonl")] == ["Kinder zahlen nichts."]


def test_an_edit_is_not_lost_without_a_word_and_can_be_taken_back(tmp_path: Path) -> None:
    bench = write_bench(tmp_path)
    task = ReviewTask.TRANSLATION
    shown, values = typed_on_bench(bench, "e1 Лучше так\ns\n2\nq\n", task, ("ru",))
    assert shown.count("an edit is not saved") == 1
    assert [edit["after"] for edit in values[0]["edits"]] == ["Лучше так"]
    shown, values = typed_on_bench(bench, "u\ne1\n1\nq\n", task, ("ru",))
    assert "taken back with the judgement that follows" in shown
    assert values[0] == {"label": "good", "edits": []}
    shown, values = typed_on_bench(bench, "e1 Нет\ns\ns\nq\n", task, ("ru",))
    assert values[1] is None
