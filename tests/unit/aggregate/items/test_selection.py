from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragaliq.aggregate.items.disagreements import disagreements
from ragaliq.aggregate.items.run_items import RunItem, RunItems
from ragaliq.aggregate.items.selection import ItemFilter, Selection, select_items
from ragaliq.aggregate.run_figures import load_run
from ragaliq.errors import InputError
from ragaliq.runs.rows import verdict_to_row
from ragaliq.storage.files import write_jsonl
from ragaliq.types import LossStage, Verdict, VerdictOutcome
from shown_runs import write_shown_run


def keys(items: Any) -> list[str]:
    return [" ".join(item.answered.item.key) for item in items]


def select(path: Path, most: int | None = None, **wanted: Any) -> Selection:
    return select_items(RunItems(write_shown_run(path)), ItemFilter(**wanted), most)


def test_the_worst_come_first(tmp_path: Path) -> None:
    """Weights 0, 0, .2, .4, .6, 1; of the two grades 1 the answer without a supported sentence, then by key."""
    chosen = select(tmp_path)
    assert keys(chosen.items) == ["en q01", "zh q02", "en q02", "en q03", "ru q01", "en q04"]
    assert (chosen.n_items, chosen.n_unanswerable, chosen.n_graded, chosen.n_ungraded) == (9, 2, 6, 1)
    assert (chosen.n_fitting, chosen.judges) == (6, "offline")
    assert keys(select(tmp_path, 2).items) == ["en q01", "zh q02"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"langs": ["zh", "ru"]}, ["zh q02", "ru q01"]),
        ({"grades": [0, 5]}, ["en q03", "en q04"]),
        ({"grades": [None]}, ["en q05"]),
        ({"grades": [None, 5]}, ["en q04", "en q05"]),
        ({"query_id": "q01"}, ["en q01", "ru q01"]),
        ({"query_id": "q05"}, ["en q05"]),
        ({"query_id": "q08"}, ["en q08"]),
        ({"cause": LossStage.CONTEXT_CUT}, ["ru q01"]),
        # A grade of 5 loses nothing, so nothing is lost by the reader there.
        ({"cause": LossStage.READER}, ["en q02"]),
        ({"unsupported": True}, ["en q01", "en q08", "zh q02", "en q02", "ru q01"]),
        ({"unanswerable": True}, ["en q08", "en q09"]),
        ({"unanswerable": True, "langs": ["ru"]}, []),
    ],
)
def test_items_that_fit(tmp_path: Path, wanted: dict[str, Any], expected: list[str]) -> None:
    chosen = select(tmp_path, **wanted)
    assert keys(chosen.items) == expected and chosen.n_fitting == len(expected)


def test_what_is_about_an_earlier_answer_does_not_count(tmp_path: Path) -> None:
    folder = write_shown_run(tmp_path)
    rows = [
        Verdict("q01", "en", 1, VerdictOutcome.SCORED, "", "j", "h", answer_hash="0" * 12),
        Verdict("q02", "en", 2, VerdictOutcome.SCORED, "", "j", "h"),
    ]
    write_jsonl(folder.verdicts_file, map(verdict_to_row, rows))
    run = RunItems(folder)
    assert run["en", "q01"].verdict is None and run.head(("en", "q01")).grade is None
    assert run["en", "q02"].grade == 2 and run["en", "q02"].cause is LossStage.READER


def test_an_item_holds_all_that_is_known(tmp_path: Path) -> None:
    folder = write_shown_run(tmp_path)
    item = RunItems(folder)["en", "q02"]
    assert isinstance(item, RunItem) and item.check and item.nuggets and item.waterfall
    assert item.gold == {"d4", "d9"} and item.cause is LossStage.READER
    bare = RunItems(write_shown_run(tmp_path / "bare", verdicts=False))["en", "q02"]
    assert (bare.verdict, bare.check, bare.nuggets, bare.waterfall, bare.cause) == (None,) * 5 and not bare.gold


def test_calls_are_read_only_where_they_are_asked_for(tmp_path: Path) -> None:
    folder = write_shown_run(tmp_path)
    folder.traces_file.write_text('{"component": 5}\n')
    assert select_items(RunItems(folder), ItemFilter(), None).n_items == 9
    assert len(load_run(folder.path).to_frame()) == 9
    with pytest.raises(InputError, match=r"traces.jsonl:1: not a row of this file"):
        _ = RunItems(folder)["en", "q02"].traces


def test_a_table_has_type_and_cause(tmp_path: Path) -> None:
    frame = load_run(write_shown_run(tmp_path).path).to_frame()
    english = frame[frame.lang == "en"]
    assert list(english["type"].dropna()) == ["single"] * 5
    # Of a grade of 5 nothing is lost; of what failed, and of the unanswerable, nothing is known.
    assert list(english["cause"].fillna("")) == ["retriever", "reader", "abstention", "", "", "", ""]
    assert list(english["supported_share"].fillna(-1)) == [0, 0, -1, 1, -1, 0, -1]


def test_what_a_run_cannot_answer_is_refused(tmp_path: Path) -> None:
    graded, bare = RunItems(write_shown_run(tmp_path / "a")), RunItems(write_shown_run(tmp_path / "b", verdicts=False))
    for run, wanted, message in (
        (graded, ItemFilter(langs=["xx"]), "--lang: .* has no language 'xx'; known: en, ru, zh"),
        (graded, ItemFilter(query_id="q1"), "no query 'q1'; the nearest are q01, q02, q03"),
        (bare, ItemFilter(grades=[1]), "not graded yet; `ragaliq judge"),
        (bare, ItemFilter(cause=LossStage.READER), "not graded yet"),
        (bare, ItemFilter(unsupported=True), "not checked yet; `ragaliq check"),
    ):
        with pytest.raises(InputError, match=message):
            select_items(run, wanted, None)
    graded.folder.waterfall_file.unlink()
    with pytest.raises(InputError, match="no waterfall"):
        select_items(RunItems(graded.folder), ItemFilter(cause=LossStage.READER), None)
    assert keys(select_items(bare, ItemFilter(), 2).items) == ["en q01", "en q02"], "without grades by key"


def test_runs_differ_most_where_their_weights_do(tmp_path: Path) -> None:
    first, second = write_shown_run(tmp_path / "a"), write_shown_run(tmp_path / "b")
    grades = {("q01", "en"): 5, ("q02", "en"): 2, ("q03", "en"): 2, ("q01", "ru"): 4, ("q08", "en"): 5}
    rows = [Verdict(*key, grade, VerdictOutcome.SCORED, "", "other", "h") for key, grade in grades.items()]
    write_jsonl(second.verdicts_file, map(verdict_to_row, rows))
    runs = RunItems(first), RunItems(second)
    found = disagreements(*runs, ItemFilter(), None)
    # |0 − 1|, |.4 − .2|, |.6 − .8|; q08 is not answerable, zh q02 is not graded by both.
    assert keys(one for one, _ in found.pairs) == ["en q01", "en q03", "ru q01"]
    assert [(one.grade, other.grade) for one, other in found.pairs] == [(1, 5), (0, 2), (3, 4)]
    assert (found.n_fitting, found.n_both, found.judges) == (3, 4, ("offline", "other"))
    assert keys(one for one, _ in disagreements(*runs, ItemFilter(grades=[5]), 1).pairs) == ["en q01"]
    for wanted, n_both in ((ItemFilter(langs=["en"]), 3), (ItemFilter(grades=[2]), 2), (ItemFilter(langs=["zh"]), 0)):
        assert disagreements(*runs, wanted, None).n_both == n_both
    assert keys(one for one, _ in disagreements(*runs, ItemFilter(query_id="q02"), None).pairs) == ["en q02", "zh q02"]


def test_runs_on_other_data_or_without_grades_are_not_compared(tmp_path: Path) -> None:
    first = RunItems(write_shown_run(tmp_path / "a"))
    for other, message in (
        (write_shown_run(tmp_path / "b", data="other"), "answer different data"),
        (write_shown_run(tmp_path / "c", verdicts=False), "not graded yet"),
    ):
        with pytest.raises(InputError, match=message):
            disagreements(first, RunItems(other), ItemFilter(), None)
