"""Which questions become candidates."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.questions.drawing import allotted, drawn_questions
from ragaliq.build.stage_row import StageRow, row_to_json
from unit.build.chain import PASSAGES, build_in

SIX = sorted(PASSAGES)


def drawn(
    folder: Path,
    files: Sequence[tuple[dict[str, Any], list[dict[str, Any]]]],
    langs: Sequence[str] = SIX,
    seed: int = 7,
) -> list[StageRow]:
    """The rows of files, each with its settings."""
    settings = []
    for number, (own, rows) in enumerate(files):
        (folder / "bench").mkdir(parents=True, exist_ok=True)
        (folder / "bench" / f"{number}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
        settings.append({"path": f"{number}.jsonl", **own})
    return drawn_questions(build_in(folder, {}, {}, json.dumps({"questions": settings, "seed": seed})), langs)


def reasons(rows: Sequence[StageRow]) -> dict[str, int]:
    return dict(Counter(row.reason for row in rows))


def test_c29_the_language_is_the_rows_own_the_files_or_recognised(tmp_path: Path) -> None:
    rows = [
        {"question": "Wifi?", "answer": "x", "lang": "fr"},
        {"question": "Wifi pass?", "answer": "x", "lang": "de-AT"},
        {"question": PASSAGES["ru"], "answer": "x"},
        # Too short to tell for sure: the likeliest of the languages that there are documents in.
        {"question": "谁？", "answer": "x"},
        {"question": "Quando apre la mensa della stazione ogni giorno?", "answer": "x", "lang": "it"},
    ]  # fmt: skip
    results = {row.value["text"]: (row.lang, row.reason) for row in drawn(tmp_path, [({}, rows)])}
    assert [results[row["question"]] for row in rows] == [
        ("fr", ""), ("de", ""), ("ru", ""), ("zh", ""), ("it", "no documents in its language"),
    ]  # fmt: skip
    named = drawn(tmp_path / "named", [({"language": "es"}, rows[2:4])])
    assert [row.lang for row in named] == ["es", "es"]


def test_without_documents_there_is_no_language_to_ask_in(tmp_path: Path) -> None:
    found = drawn(tmp_path, [({}, [{"question": "Wifi?"}, {"question": PASSAGES["ru"]}])], langs=[])
    assert reasons(found) == {"no documents in its language": 2} and {row.lang for row in found} == {"en", "ru"}


def test_every_row_that_is_left_out_says_why(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"question": "When does the canteen open on Sundays?", "answer": "At nine.", "lang": "en"},
        {"question": "when does the  canteen open on SUNDAYS?", "answer": "At nine.", "lang": "en"},
        {"question": "When does the canteen open on Sunday?", "answer": "At 9.", "lang": "en"},
        {"question": "Who keeps the keys?", "answer": " ", "lang": "en"},
        {"question": "", "answer": "Nobody.", "lang": "en"},
    ]
    found = drawn(tmp_path, [({}, rows)])
    assert len(found) == len(rows) and len({row.item_id for row in found}) == len(rows)
    # The seed draws the third question first; the first two, which are equal, are near to it.
    assert reasons(found) == {"": 1, "near duplicate": 2, "no accepted answer": 1, "no question": 1}
    (kept,) = [row for row in found if row.kept]
    assert kept.value["text"] == rows[2]["question"]
    assert (kept.value["origin"], kept.value["gold"], kept.value["type"]) == ("people", [], "asked")
    assert all(row.detail.startswith(kept.item_id) for row in found if "duplicate" in row.reason)


def test_ids_follow_from_the_content_so_that_shuffled_rows_are_the_same_rows(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"question": f"{text} {number % 9}", "lang": lang} for number in range(12) for lang, text in PASSAGES.items()
    ]
    shuffled = random.Random(5).sample(rows, len(rows))
    one = [row_to_json(row) for row in drawn(tmp_path / "one", [({"sample": 8}, rows)])]
    two = [row_to_json(row) for row in drawn(tmp_path / "two", [({"sample": 8}, shuffled)])]
    assert sorted(map(json.dumps, one)) == sorted(map(json.dumps, two)) and len(one) == 72


def test_b8_a_log_is_sampled_by_language_with_the_seed_beside(tmp_path: Path) -> None:
    topics = ["ferry", "sauna", "kayak", "museum", "post office", "harbour", "bakery", "library", "cinema", "airport"]
    rows = [{"question": f"Tell me all about the {topic}", "lang": "en"} for topic in topics for _ in range(2)]
    rows += [{"question": f"Was gibt es zu {topic}", "lang": "de"} for topic in topics[:5]]
    rows += [{"question": "Que dire du ferry", "lang": "fr"}]
    found = drawn(tmp_path, [({"sample": 8}, rows)])
    kept = [row for row in found if row.kept]
    # Sixteen different questions, 10 to 5 to 1: of eight, 5 and 2.5 and .5 are their shares.
    assert Counter(row.lang for row in kept) == {"en": 5, "de": 2, "fr": 1}
    assert all(row.value["origin"] == "log" and row.item_id.startswith("l") for row in kept)
    english = next(row for row in kept if row.lang == "en")
    assert english.value["sample"] == {"seed": 7, "drawn": 5, "of": 10} and english.value["times"] == 2
    assert reasons(found) == {"": 8, "repeated": 5, "not drawn": 13}
    # Another seed draws another sample of the same sizes.
    again = [row for row in drawn(tmp_path, [({"sample": 8}, rows)], seed=8) if row.kept]
    assert len(again) == 8 and {row.item_id for row in again} != {row.item_id for row in kept}
    # What was not drawn is counted, and its words are written nowhere.
    assert all(not row.value["text"] for row in found if row.reason == "not drawn")


def test_what_stands_in_two_files_is_one_question_and_two_rows(tmp_path: Path) -> None:
    rows = [{"question": "When does the canteen open on Sundays?", "answer": "At nine.", "lang": "en"}]
    first, second = drawn(tmp_path, [({}, rows), ({}, rows)])
    assert (first.reason, second.reason, second.item_id) == ("", "repeated", f"{first.item_id}-2")


def test_what_has_an_answer_stays_before_a_log_that_asks_the_same(tmp_path: Path) -> None:
    question = {"question": "When does the canteen open on Sundays?", "lang": "en"}
    found = drawn(tmp_path, [({}, [question]), ({}, [{**question, "answer": "At nine."}])])
    assert {row.value["origin"]: row.reason for row in found} == {"people": "", "log": "repeated"}


def test_b8_texts_are_scrubbed_before_anything_of_them_is_written(tmp_path: Path) -> None:
    hook = f"{__name__}:blank_digits"
    rows = [
        {"question": f"Is 0171 {number} the number of the warden of the house?", "lang": "en"} for number in (41, 42)
    ]
    found = drawn(tmp_path, [({"scrub": hook}, [*rows, {"question": "4711", "lang": "en"}])])
    # The two differ in their numbers alone, so they are one, and have one id but for its count.
    assert reasons(found) == {"": 1, "repeated": 1, "scrubbed away": 1}
    assert not any(char.isdigit() for row in found for char in row.value["text"])
    assert len({row.item_id.removesuffix("-2") for row in found}) == 2


def blank_digits(text: str) -> str:
    return "".join("" if char.isdigit() else char for char in text)


def test_allotted_by_hand() -> None:
    assert allotted({"en": 60, "de": 30, "fr": 10}, 10) == {"en": 6, "de": 3, "fr": 1}
    # Each gets one before any gets more: 98 % of ten would be all ten.
    assert allotted({"en": 98, "de": 1, "fr": 1}, 10) == {"en": 8, "de": 1, "fr": 1}
    assert allotted({"en": 5, "de": 5, "fr": 9}, 2) == {"fr": 1, "de": 1, "en": 0}
    assert allotted({"en": 2}, 10) == {"en": 2} and allotted({}, 10) == {}


@given(st.dictionaries(st.sampled_from(SIX), st.integers(1, 30), min_size=1), st.integers(1, 100))
def test_allotted_gives_all_there_is_to_give(sizes: dict[str, int], n: int) -> None:
    rooms = allotted(sizes, n)
    assert sum(rooms.values()) == min(n, sum(sizes.values()))
    assert all(0 <= rooms[name] <= size for name, size in sizes.items())
    assert n < len(sizes) or min(rooms.values()) >= 1
