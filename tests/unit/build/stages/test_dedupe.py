"""Of queries that ask nearly the same one stays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages.dedupe import dedupe
from unit.build.chain import build_in, candidate_row

OPENS = "When does the canteen of the research station open on a working day?"
LONG = "Guests give the key back to the warden, who writes down the day, the hour and the number of the room."


def deduped(folder: Path, rows: Sequence[StageRow], settings: str = "seed: 0\n") -> dict[str, tuple[str, str]]:
    context = build_in(folder, {}, {}, settings)
    context.workspace.write_rows("critique", rows)
    dedupe(context)
    assert len(context.workspace.rows("dedupe")) == len(rows)
    return {row.item_id: (row.reason, row.detail) for row in context.workspace.rows("dedupe")}


def test_d4_near_duplicates_are_found_over_all_sources_also_where_no_text_is_equal(tmp_path: Path) -> None:
    rows = [
        candidate_row("a", OPENS, "At seven.", gold=[["handbook:d1"]]),
        candidate_row("b", OPENS.replace("?", " please?"), "It opens at seven.", gold=[["wiki:d9"]]),
        candidate_row("c", "Who keeps the keys?", "The warden.", gold=[["wiki:d9"]]),
        # Another language is another query.
        candidate_row("d", OPENS, "At seven.", "de", gold=[["handbook:d1"]]),
    ]
    results = deduped(tmp_path, rows)
    assert [results[name][0] for name in "abcd"] == ["", "near duplicate", "", ""]
    assert results["b"][1].startswith("a (0.90")
    assert deduped(tmp_path, rows[::-1]) == results
    # The coefficient of a and b is below .95.
    assert deduped(tmp_path, rows, "near_duplicate: 0.95\n")["b"] == ("", "")


def test_d4_the_same_answer_from_one_passage_is_the_same_fact_a_short_one_from_another_is_not(tmp_path: Path) -> None:
    rows = [
        candidate_row("a", "When is breakfast served in the north wing?", "At seven.", gold=[["d1"]]),
        candidate_row("b", "What hour do people start to eat?", "at  SEVEN.", gold=[["d1"], ["d2"]]),
        candidate_row("c", "When does the ferry to the mainland leave?", "At seven.", gold=[["d3"]]),
        candidate_row("d", "What is done with a key?", LONG, gold=[["d4"]]),
        candidate_row("e", "How does one leave a room for good?", LONG.replace("day,", "date,"), gold=[["d5"]]),
    ]
    results = deduped(tmp_path, rows)
    assert results["b"] == ("same answer", "a (1.00)") and results["c"] == ("", "")
    assert results["e"][0] == "same answer" and results["e"][1].startswith("d (0.9")


def test_what_was_really_asked_stays_and_people_are_never_removed(tmp_path: Path) -> None:
    rows = [
        candidate_row("a", OPENS, "At seven."),
        candidate_row("l", OPENS.lower(), "At seven.", origin="log"),
        candidate_row("p", OPENS.replace("day", "days"), "At seven.", origin="people", gold=[]),
        candidate_row("r", OPENS.replace("day", "days"), "At 7.", origin="people", gold=[]),
    ]
    results = deduped(tmp_path, rows)
    assert {name: reason for name, (reason, _) in results.items()} == {
        "a": "near duplicate", "l": "near duplicate", "p": "", "r": "",
    }  # fmt: skip
    assert deduped(tmp_path, rows[:2])["a"] == ("near duplicate", "l (1.00)")


def test_texts_without_letters_are_equal_only_to_themselves(tmp_path: Path) -> None:
    rows = [candidate_row(name, text, "x", gold=[[name]]) for name, text in (("a", "?!"), ("b", "?!"), ("c", "!?"))]
    assert [reason for reason, _ in deduped(tmp_path, rows).values()] == ["", "near duplicate", ""]
