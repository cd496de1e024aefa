from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ragaliq.aggregate.items.disagreements import disagreements
from ragaliq.aggregate.items.run_items import RunItems
from ragaliq.aggregate.items.selection import ItemFilter, select_items
from ragaliq.report.display import width
from ragaliq.report.items import LEGEND, Screen, disagreement_lines, selection_lines
from ragaliq.runs.rows import run_answer_to_row
from ragaliq.storage.files import write_jsonl
from shown_runs import HOSTILE, write_shown_run


def lines(run: RunItems, screen: Screen | None = None, most: int | None = None, **wanted: Any) -> list[str]:
    asked = ItemFilter(**wanted)
    return list(selection_lines("r", select_items(run, asked, most), asked.narrow, screen or Screen()))


def test_an_item_with_all_that_is_known(tmp_path: Path) -> None:
    shown = lines(RunItems(write_shown_run(tmp_path)), Screen(nuggets={("en", "q02-3"): "It is huge."}), grades=[2])
    assert shown[:-3] == [
        "r: 1 of 1 items that fit (9 items: 2 unanswerable, 1 without a grade; judge offline)",
        "",
        f"── 1/1 · en q02 · grade 2 · answered · lost by: reader · single hard {'─' * 31}",
        "question   question q02",
        "reference  reference q02",
        "answer     ! It is blue. [d1]",
        "           ~ It is big. [d2]",
        "missed     q02-2 (vital, in part there)",
        "           q02-3 (vital) It is huge.",
        "passages    1  d1: A first passage of two lines.",
        "            2  d2: A second.",
        "            3  d3: A third.",
        "            4* d4: A fourth.",
        "               and 1 more",
        "feedback   says 2",
    ]
    assert " ".join(shown[-2:]) == LEGEND and shown[-3] == ""


def test_what_became_of_the_gold(tmp_path: Path) -> None:
    run = RunItems(write_shown_run(tmp_path))
    for lang, query, expected in (
        ("en", "q01", "gold lost  d4 or d9 · not among what was retrieved"),
        ("zh", "q02", "gold lost  d4 or d9 · no chunk of the knowledge base holds it"),
        ("ru", "q01", "gold lost  d4 or d9 · cut off before the reader · rank 4"),
    ):
        assert expected in lines(run, langs=[lang], query_id=query)
    assert not any("gold lost" in line for line in lines(run, query_id="q04"))


def test_gold_is_marked_in_an_index_of_several_languages(tmp_path: Path) -> None:
    folder = write_shown_run(tmp_path)
    text = folder.answers_file.read_text().replace('"doc_id": "d4"', '"doc_id": "d4@de"')
    folder.answers_file.write_text(text)
    assert "            4* d4@de: A fourth." in lines(RunItems(folder), query_id="q04")


def test_abstentions_failures_and_answers_to_the_unanswerable(tmp_path: Path) -> None:
    shown = lines(RunItems(write_shown_run(tmp_path)), query_id="q05")
    assert shown[2].startswith("── 1/1 · en q05 · no grade (no_answer) · error · single hard")
    assert "answer     (empty)" in shown and "error      no route to host" in shown
    shown = lines(RunItems(write_shown_run(tmp_path)), grades=[0])
    assert "answer     · none" in shown and "lost by: abstention" in shown[2]
    shown = lines(RunItems(write_shown_run(tmp_path)), unanswerable=True)
    assert shown[2].startswith("── 1/2 · en q08 · unanswerable · answered ─")
    assert [line for line in shown if "gold" in line] == [shown[-1]], "of no known gold nothing is said"


def test_a_run_without_verdicts_shows_what_is_there(tmp_path: Path) -> None:
    shown = lines(RunItems(write_shown_run(tmp_path, verdicts=False)), most=1)
    assert shown[0] == "r: not graded yet; 1 of 9 items"
    assert shown[2].startswith("── 1/1 · en q01 · no verdict · answered ─") and "answer     It is red." in shown
    assert "               and 2 more" in shown
    assert lines(RunItems(write_shown_run(tmp_path)), langs=["ru"], grades=[5]) == [
        "r: 0 of 0 items that fit (9 items: 2 unanswerable, 1 without a grade; judge offline)"
    ]


def test_nothing_of_an_answer_steers_the_terminal(tmp_path: Path) -> None:
    folder = write_shown_run(tmp_path)
    answers = folder.answers()
    long = "大" * 1_000_000
    rows = []
    for number, key in enumerate(answers):
        row = answers[key]
        hit = row.answer.context[0]
        context = (replace(hit, chunk=replace(hit.chunk, doc_id=HOSTILE[:-1], text=HOSTILE)),)
        text = long if number else HOSTILE
        item = replace(row.item, query=replace(row.item.query, text=HOSTILE), reference=HOSTILE)
        answer = replace(row.answer, query=item.query, text=text, error=HOSTILE, context=context)
        rows.append(replace(row, item=item, answer=answer))
    write_jsonl(folder.answers_file, map(run_answer_to_row, rows))
    for columns in (50, 100):
        shown = lines(RunItems(folder), Screen(columns))
        assert all(line.isprintable() and width(line) <= columns for line in shown)
        assert sum(map(len, shown)) < 60_000
        assert any("(997,000 more characters)" in line for line in shown)


def test_bold_is_put_around_whole_lines(tmp_path: Path) -> None:
    shown = lines(RunItems(write_shown_run(tmp_path)), Screen(bold=True), grades=[5])
    assert shown[0].startswith("\x1b[1mr: 1 of") and shown[0].endswith("\x1b[0m")
    assert shown[3] == "\x1b[2mquestion   \x1b[0mquestion q04"


def test_a_nugget_without_text_is_explained(tmp_path: Path) -> None:
    run = RunItems(write_shown_run(tmp_path))
    assert lines(run, query_id="q02")[-1].startswith("nuggets without text: the benchmark that config.json names")
    assert not lines(run, query_id="q01")[-1].startswith("nuggets")


def test_two_runs_side_by_side(tmp_path: Path) -> None:
    first, second = write_shown_run(tmp_path / "a"), write_shown_run(tmp_path / "b")
    text = second.verdicts_file.read_text().replace('"grade": 2', '"grade": 5').replace('"offline"', '"other"')
    second.verdicts_file.write_text(text)
    differing = disagreements(RunItems(first), RunItems(second), ItemFilter(), None)
    shown = list(disagreement_lines(("a", "b"), differing, Screen()))
    assert shown[:2] == [
        "a and b: 1 of 1 items, the most apart first (6 graded in both)",
        "note: graded by different judges, offline and other",
    ]
    assert shown[3].startswith("── 1/1 · en q02 ─")
    assert shown.count("question   question q02") == 1
    assert "▸ a · grade 2 · answered · lost by: reader · single hard" in shown
    assert "▸ b · grade 5 · answered · single hard" in shown
