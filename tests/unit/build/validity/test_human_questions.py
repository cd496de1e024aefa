"""Questions of people: tables and JSON Lines, what is relevant, and what cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.build.validity.human_questions import HumanQuestion, UnusedQuestion, read_human_questions
from ragaliq.errors import InputError
from ragaliq.types import Chunk


def _chunk(doc_id: str, lang: str, text: str) -> Chunk:
    return Chunk(doc_id, lang, text, doc_id, 0, len(text))


CHUNKS = {
    "en": [_chunk("a-01", "en", "The gate opens at 07:00."), _chunk("a-02", "en", "A night costs 14 euros.")],
    "de": [_chunk("a-01", "de", "Das Tor öffnet um 07:00 Uhr.")],
}


def test_a_row_says_what_is_relevant_in_one_of_three_ways(tmp_path: Path) -> None:
    rows = [
        {"question": "When?", "lang": "en", "doc_ids": ["a-01", "a-02", "a-01"], "type": "temporal", "query_id": "w1"},
        {"question": "How much is a night?", "lang": "en", "quote": "A night costs 14 euros"},
        {"question": "Wann öffnet das Tor am Morgen?", "answer": "07:00 Uhr"},
    ]
    path = tmp_path / "human.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert read_human_questions(path, CHUNKS).questions == (
        HumanQuestion("w1", "en", "When?", ("a-01", "a-02"), "temporal"),
        HumanQuestion("h2", "en", "How much is a night?", ("a-02",)),
        HumanQuestion("h3", "de", "Wann öffnet das Tor am Morgen?", ("a-01",)),
    )


def test_tables_are_read_too(tmp_path: Path) -> None:
    for name, delimiter in (("h.csv", ","), ("h.tsv", "\t")):
        path = tmp_path / name
        cells = [["question", "lang", "doc_ids"], ["When?", "en", "a-01; a-02"], ["Wann?", "de", '"[""a-01""]"']]
        path.write_text("\n".join(delimiter.join(row) for row in cells), encoding="utf-8")
        found = read_human_questions(path, CHUNKS).questions
        assert [(one.lang, one.doc_ids) for one in found] == [("en", ("a-01", "a-02")), ("de", ("a-01",))]


def test_what_cannot_be_used_is_told_with_its_line(tmp_path: Path) -> None:
    many = {"en": [_chunk(f"a-{n}", "en", "All of it costs 14 euros.") for n in range(6)]}
    rows = [
        {"question": "a", "lang": "fr", "answer": "x"},
        {"question": "b", "lang": "en", "doc_ids": ["a-9"]},
        {"question": "c", "lang": "en", "quote": "Nobody may swim in the lake at night."},
        {"question": "d", "lang": "en", "answer": "14 euros"},
        {"question": "e", "lang": "en", "doc_ids": ["a-1"]},
    ]
    path = tmp_path / "human.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    read = read_human_questions(path, many)
    assert [one.text for one in read.questions] == ["e"]
    assert read.unused == (
        UnusedQuestion(1, "no corpus in 'fr'"),
        UnusedQuestion(2, "no document 'a-9'"),
        UnusedQuestion(3, "quote not found"),
        UnusedQuestion(4, "answer is in 6 documents"),
    )


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("h.jsonl", '{"question": " ", "answer": "x"}', "h.jsonl:1: 'question' is missing"),
        ("h.jsonl", '{"question": "q", "lang": "en"}', "h.jsonl:1: the row does not say what is relevant"),
        ("h.jsonl", '{"question": "q", "lang": "en", "doc_ids": "[1"}', "h.jsonl:1: 'doc_ids' must be a list"),
        ("h.jsonl", '{"question": "q", "lang": "en", "doc_ids": [7]}', "h.jsonl:1: 'doc_ids' must be a list"),
        ("h.jsonl", "\n".join(['{"query_id": "a", "question": "q", "lang": "en", "doc_ids": ["a-01"]}'] * 2),
         "h.jsonl:2: id 'a' is in line 1"),
        ("h.csv", "question,answer\na,b,c\n", "h.csv:2: 2 columns are expected"),
        ("h.xlsx", "", "come as .csv"),
        ("h.jsonl", "[]", "h.jsonl:1: a JSON object"),
    ],
)  # fmt: skip
def test_a_malformed_file_is_an_error_that_names_the_line(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told.replace("'", ".").replace("(", ".")):
        read_human_questions(tmp_path / name, CHUNKS)
