"""The sizes of a benchmark, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ragaliq.benchmark.collections import load_collections
from ragaliq.benchmark.statistics import collection_sizes, holds_code, query_types, text_length
from ragaliq.formats.reading.collection import document
from ragaliq.types import Query
from unit.benchmark.small_collection import FULL, PLAIN
from unit.formats.sets import items_for

COLUMNS = [
    "lang", "queries", "docs", "sources", "nuggets/query", "query tokens", "answer tokens", "doc tokens",
    "queries with code", "answers with code", "relevant docs/nugget", "relevant docs/query",
]  # fmt: skip


def test_c26_the_columns_and_their_values() -> None:
    sizes = collection_sizes(FULL)
    assert list(sizes) == COLUMNS
    assert sizes == {
        "lang": "de",
        "queries": "3",
        "docs": "4",
        # haus.md, the repository repo, the article d
        "sources": "3",
        "nuggets/query": "1.50",
        "query tokens": f"{(5 + 10 + 4) / 3:.1f}",
        "answer tokens": f"{(1 + 7 + 3) / 3:.1f}",
        "doc tokens": f"{(4 + 7 + 6 + 3) / 4:.1f}",
        "queries with code": "0%",
        "answers with code": "0%",
        "relevant docs/nugget": "1.00",
        # q1: tür-1 alone, d#4 is judged 0; q2: two.
        "relevant docs/query": "1.50",
    }


def test_the_mean_of_nothing_is_a_dash() -> None:
    empty = replace(PLAIN, chunks=lambda: iter(()), items=(), qrels={})
    assert list(collection_sizes(empty).values()) == ["de", "0", "0", "0", *["—"] * 8]
    row = collection_sizes(PLAIN)
    assert (row["nuggets/query"], row["answer tokens"], row["relevant docs/nugget"]) == ("—", "—", "—")


def test_every_language_of_the_sample(sample: Path) -> None:
    rows = [collection_sizes(collection) for collection in load_collections(sample).values()]
    assert [row["lang"] for row in rows] == ["en", "de", "fr", "es", "ru", "zh"]
    # 322 nuggets of 148 answerable queries
    assert [[row[key] for key in COLUMNS[1:5]] for row in rows] == [["174", "141", "21", "2.18"]] * 6


def test_tokens_are_words_and_the_characters_of_scripts_without_spaces() -> None:
    cases = [
        ("", 0),
        (" -- ", 0),
        ("Rot, grün!", 2),
        ("Почему ё-моё?", 3),
        ("हिन्दी भाषा", 2),
        ("屋顶是蓝色的。", 6),
        ("版本2.0 of 软件", 2 + 1 + 1 + 1 + 2),
        ("ภาษาไทย", 7),
        ("한국어 문장", 2),
    ]
    for text, tokens in cases:
        assert text_length(text) == tokens, text


def test_code_is_told_by_its_markup() -> None:
    cases = [
        ("Run it:\n```python\nx\n```", True),
        ("~~~\nx\n~~~", True),
        ("Call `foo(x)` first.", True),
        ("<pre>x</pre>", True),
        ("So:\n\n    x = f(1)\n", True),
        ("\tprint(1);", True),
        ("Plain prose; with (brackets) = nothing.", False),
        ("``quoted'' and ``more''", False),
        ("a list\n    indented prose\n", False),
        ("one ` alone", False),
        ("codes of pressure <b>bold</b>", False),
        ("", False),
    ]
    for text, code in cases:
        assert holds_code(text) is code, text


def test_code_is_counted_in_questions_and_answers() -> None:
    queries = (Query("1", "en", "Why `x`?"), Query("2", "en", "Why?"), Query("3", "en", "How?"))
    collection = replace(PLAIN, lang="en", items=items_for(queries, {"1": "```\nx\n```", "2": "So."}))
    row = collection_sizes(collection)
    assert (row["queries with code"], row["answers with code"]) == ("33%", "50%")


def test_a_corpus_is_read_once() -> None:
    reads = []

    def chunks() -> Iterator[object]:
        reads.append(1)
        yield document("1", "en", "x")

    collection_sizes(replace(PLAIN, chunks=chunks))  # type: ignore[arg-type]
    assert reads == [1]


def test_types_of_queries(sample: Path) -> None:
    (row,) = query_types(load_collections(sample, langs=["zh"]))
    assert (row["lang"], row["unanswerable"], row["multi-hop"]) == ("zh", "26", "21")
    assert sum(int(value) for key, value in row.items() if key not in ("lang", "unanswerable")) >= 148
