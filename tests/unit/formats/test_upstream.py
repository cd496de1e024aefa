"""The layout of the RAGaliq sources: rows in another order in each language, joined on the pivot's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragaliq.benchmark.load import load_benchmark
from ragaliq.errors import InputError
from ragaliq.formats.upstream import is_upstream, load_upstream_items, upstream_files

ENGLISH = [
    {"question": "Where is the door?\n", "answer": "In the wall. "},
    {"question": "Is the roof blue?", "answer": "Yes."},
    {"question": "Who is there?", "answer": "Ada."},
    # The same question again, with another answer.
    {"question": "Is the roof blue?", "answer": "It is blue."},
]
# Places in ENGLISH, question, answer. German puts the twin in two ways, Russian in one.
GERMAN = [
    (3, "Ist das Dach denn blau?", "Es ist blau."),
    (2, "Wer ist da?", "Ada."),
    (1, "Ist das Dach blau?", "Ja."),
    (0, "Wo ist die Tür?", "In der Wand."),
]
RUSSIAN = [
    (1, "Крыша синяя?", "Да."),
    (0, "Где дверь?", "В стене."),
    (3, "Крыша синяя?", "Она синяя."),
    (2, "Кто там?", "Ада."),
]


def translated(rows: list[tuple[int, str, str]]) -> list[dict[str, str]]:
    return [
        {"source_q": ENGLISH[n]["question"], "source_a": ENGLISH[n]["answer"], "question": question, "answer": answer}
        for n, question, answer in rows
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for lang, rows in (("en", ENGLISH), ("de", translated(GERMAN)), ("ru", translated(RUSSIAN))):
        write(tmp_path, lang, rows)
        (tmp_path / f"orientation_{lang}.md").write_text(f"Text ({lang}).\n")
    return tmp_path


def write(folder: Path, lang: str, rows: Any) -> None:
    (folder / f"questions_{lang}.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")


def test_d1_rows_of_all_languages_are_joined_and_the_twin_is_left_out_everywhere(folder: Path) -> None:
    items, notes = load_upstream_items(folder, ["en", "de", "ru"])
    texts = {
        lang: {item.query.query_id: (item.query.text, item.reference) for item in own} for lang, own in items.items()
    }
    assert list(texts["en"]) == list(texts["de"]) == list(texts["ru"])
    joined = sorted(zip(*(own.values() for own in texts.values()), strict=True))
    assert joined == [
        (("Is the roof blue?", "Yes."), ("Ist das Dach blau?", "Ja."), ("Крыша синяя?", "Да.")),
        (("Where is the door?", "In the wall."), ("Wo ist die Tür?", "In der Wand."), ("Где дверь?", "В стене.")),
        (("Who is there?", "Ada."), ("Wer ist da?", "Ada."), ("Кто там?", "Ада.")),
    ]
    assert notes == [f"{folder}: asked once in every language, for the question occurs twice: 'Is the roof blue?'"]


def test_ids_do_not_depend_on_the_languages_loaded_or_on_the_order_of_rows(folder: Path) -> None:
    before = load_upstream_items(folder, ["de"])[0]["de"]
    assert load_upstream_items(folder, ["ru", "de"])[0]["de"] == before
    write(folder, "de", translated(GERMAN[::-1]))
    write(folder, "ru", translated(RUSSIAN[::-1]))
    write(folder, "en", [ENGLISH[n] for n in (2, 1, 3, 0)])
    assert load_upstream_items(folder, ["de"])[0]["de"] == before


def test_the_loader_reports_what_was_left_out(folder: Path) -> None:
    benchmark = load_benchmark(folder, ["ru"])
    assert len(benchmark.items["ru"]) == 3
    assert [note for note in benchmark.notes if "'Is the roof blue?'" in note] == list(benchmark.notes)


def test_without_the_pivots_file_the_translations_still_agree(folder: Path) -> None:
    with_pivot = load_upstream_items(folder, ["de"])[0]["de"]
    (folder / "questions_en.json").unlink()
    items, notes = load_upstream_items(folder, ["de", "ru"])
    assert [item.query.query_id for item in items["de"]] == [item.query.query_id for item in items["ru"]]
    assert len(items["de"]) == 3 and len(notes) == 1
    assert len({item.query.query_id for item in items["de"]} & {item.query.query_id for item in with_pivot}) >= 2


def test_a_translation_that_is_missing_is_named(folder: Path) -> None:
    write(folder, "de", translated([row for row in GERMAN if row[0] != 2]))
    with pytest.raises(InputError, match=r"questions_de\.json: no row for the question 'Who is there\?'"):
        load_upstream_items(folder, ["de"])
    # Nobody misses it in the others.
    assert len(load_upstream_items(folder, ["en", "ru"])[0]["ru"]) == 3


def test_a_malformed_file_is_named(folder: Path) -> None:
    cases = [
        ({"question": "Q?"}, ": a JSON list of questions is expected"),
        ([["Q?"]], ": row 1: a JSON object is expected"),
        ([*ENGLISH, {"question": "Q?"}], ": row 5: 'answer' must be a text that is not blank"),
        ([*ENGLISH, {"question": " \n", "answer": "A"}], ": row 5: 'question' must be a text that is not blank"),
        ([{"question": "Q?", "answer": 5}], ": row 1: 'answer' must be a text that is not blank"),
        ([{"question": "Q?", "answer": "A", "source_q": "S?"}], ": row 1: 'source_a' must be a text"),
        ([*ENGLISH, ENGLISH[1]], ": row 5: the same question and answer occur twice"),
    ]
    for rows, message in cases:
        write(folder, "en", rows)
        with pytest.raises(InputError) as caught:
            load_upstream_items(folder, ["en"])
        assert str(caught.value).startswith(f"{folder / 'questions_en.json'}{message}"), rows


def test_only_question_files_make_the_layout(tmp_path: Path) -> None:
    for name in ("questions.json", "questions_.json", "questions_en.json.bak", "orientation_en.md"):
        (tmp_path / name).write_text("[]")
    assert not is_upstream(tmp_path)
    (tmp_path / "questions_zh-TW.json").write_text("[]")
    assert upstream_files(tmp_path) == {"zh-TW": tmp_path / "questions_zh-TW.json"}


@pytest.mark.shared
def test_d1_the_reference_benchmark_has_seventy_queries_in_six_languages(shared_data: Path) -> None:
    benchmark = load_benchmark(shared_data / "ragaliq" / "data")
    assert benchmark.languages == ("de", "en", "es", "fr", "ru", "zh")
    ids = {lang: [item.query.query_id for item in items] for lang, items in benchmark.items.items()}
    assert {lang: len(set(own)) for lang, own in ids.items()} == dict.fromkeys(benchmark.languages, 70)
    assert all(own == ids["en"] for own in ids.values())
    assert all(len({item.query.text for item in items}) == 70 for items in benchmark.items.values())
    (note,) = benchmark.notes
    assert "occurs twice" in note


def test_an_empty_file_is_an_error_and_a_row_of_nobody_else_a_note(tmp_path: Path) -> None:
    english = [{"question": "Why?", "answer": "Because."}]
    german = [
        {"source_q": "Why?", "source_a": "Because.", "question": "Warum?", "answer": "Darum."},
        {"source_q": "Who?", "source_a": "Me.", "question": "Wer?", "answer": "Ich."},
    ]
    (tmp_path / "questions_en.json").write_text(json.dumps(english))
    (tmp_path / "questions_de.json").write_text(json.dumps(german))
    items, notes = load_upstream_items(tmp_path, ["en", "de"])
    assert [len(items[lang]) for lang in ("en", "de")] == [1, 1]
    assert notes == [f"{tmp_path / 'questions_de.json'}: left out, no other language has the question 'Who?'"]
    (tmp_path / "questions_de.json").write_text("[]")
    with pytest.raises(InputError, match="at least one"):
        load_upstream_items(tmp_path, ["en"])
