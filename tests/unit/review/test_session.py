"""Going on where one was."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.review.labels import label_file, read_labels
from ragaliq.review.session import NOTE_CHARS, Progress
from ragaliq.review.sheets import Choice
from ragaliq.review.values import ReviewTask
from unit.review.small import ALPHA, BETA, SAME, answered, session, write_run, write_runs


def test_a_new_session_goes_on_behind_the_last_judgement(tmp_path: Path) -> None:
    write_runs(tmp_path)
    with session(tmp_path) as own:
        ids = [sheet.sheet_id for sheet in own.sheets]
        assert own.start() == 0
        own.judge(ids[0], 4)
        # Item 1 is passed over.
        own.judge(ids[2], 0)
        assert own.start() == 3
    with session(tmp_path) as own:
        assert [sheet.sheet_id for sheet in own.sheets] == ids
        assert own.start() == 3
        assert [own.value(sheet) for sheet in own.sheets[:4]] == [4, None, 0, None]
        for sheet_id in ids[3:]:
            own.judge(sheet_id, 5)
        assert own.start() == 1
        own.judge(ids[1], 5)
        assert own.next_open(1) is None
        assert own.start() == 0


def test_another_sample_and_order_know_what_is_judged(tmp_path: Path) -> None:
    write_runs(tmp_path)
    with session(tmp_path, choice=Choice(sample=4)) as own:
        for sheet in own.sheets:
            own.judge(sheet.sheet_id, 2)
        judged = {place for sheet in own.sheets for place in sheet.places}
    with session(tmp_path, choice=Choice(seed=9)) as own:
        done = {place for sheet in own.sheets if own.value(sheet) == 2 for place in sheet.places}
    # A sheet that gained a place by the greater sample is open again.
    assert done <= judged
    assert len(done) >= 2


def test_a_judgement_of_a_shared_answer_counts_for_each_run(tmp_path: Path) -> None:
    write_runs(tmp_path)
    with session(tmp_path, choice=Choice(langs=("ru",))) as own:
        shared = next(sheet for sheet in own.sheets if sheet.answer == SAME)
        own.judge(shared.sheet_id, 1, " похоже ")
    labels = list(read_labels(label_file(tmp_path, "ada")))
    assert {label.place.run for label in labels} == {ALPHA, BETA}
    assert {(label.value, label.note, label.rater) for label in labels} == {(1, "похоже", "ada")}


def test_a_note_alone_leaves_the_item_open(tmp_path: Path) -> None:
    write_runs(tmp_path)
    with session(tmp_path) as own:
        first = own.sheets[0]
        own.judge(first.sheet_id, None, "unsure")
        assert own.value(first) is None
        assert own.start() == 0
        label = own.label(first)
        assert label is not None
        assert label.note == "unsure"
        assert sum(part.done for part in own.progress()) == 0


def test_a_judgement_of_other_texts_does_not_count(tmp_path: Path) -> None:
    write_run(tmp_path, [answered("de", "q1", "Um neun.")])
    with session(tmp_path) as own:
        own.judge(own.sheets[0].sheet_id, 3)
    write_run(tmp_path, [answered("de", "q1", "Um zehn.")])
    with session(tmp_path) as own:
        assert own.value(own.sheets[0]) is None


def test_progress_is_told_by_language(tmp_path: Path) -> None:
    write_run(tmp_path, [answered("de", "q1", "9"), answered("de", "q2", "9"), answered("zh", "q1", "9")])
    with session(tmp_path) as own:
        german = next(sheet for sheet in own.sheets if sheet.lang == "de")
        own.judge(german.sheet_id, 3)
        assert own.progress() == [Progress("de", 2, 1), Progress("zh", 1, 0)]


def test_what_is_no_judgement_is_refused_and_not_written(tmp_path: Path) -> None:
    write_run(tmp_path, [answered("de", "q1", "Um neun.")])
    with session(tmp_path) as own:
        (sheet,) = own.sheets
        with pytest.raises(InputError, match="no such item"):
            own.judge("ffff", 3)
        with pytest.raises(InputError, match="no judgement"):
            own.judge(sheet.sheet_id, 9)
        with pytest.raises(InputError, match=f"{NOTE_CHARS} characters at most"):
            own.judge(sheet.sheet_id, 3, "x" * (NOTE_CHARS + 1))
    assert list(read_labels(label_file(tmp_path, "ada"))) == []


def test_the_longest_note_is_kept_whole(tmp_path: Path) -> None:
    write_run(tmp_path, [answered("de", "q1", "Um neun.")])
    with session(tmp_path) as own:
        own.judge(own.sheets[0].sheet_id, 3, "щ" * NOTE_CHARS)
    assert [label.note for label in read_labels(label_file(tmp_path, "ada"))] == ["щ" * NOTE_CHARS]


def test_the_two_tasks_do_not_mix(tmp_path: Path) -> None:
    with session(write_runs(tmp_path)) as own:
        own.judge(own.sheets[0].sheet_id, 3)
        own.task = ReviewTask.LGTM
        assert all(own.value(sheet) is None for sheet in own.sheets)
