import json
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ragaliq.benchmark.load import Benchmark
from ragaliq.build.parity.across_languages import counterpart_margins
from ragaliq.build.parity.item_parity import ItemScores, item_scores, item_shifts, n_retrievers
from ragaliq.build.parity.parity_file import benchmark_parity
from ragaliq.build.parity.within_language import retrieval_scores
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.types import Item, Query

# Languages that the encoder does not know: only the retrievers within each language count.
LANGS = ("da", "fi", "sv")


def made(
    items: int, questions: Mapping[tuple[str, int], str] | None = None, langs: tuple[str, ...] = LANGS
) -> Benchmark:
    """A benchmark whose words are the same in all languages but for a prefix, as are the questions but for one word."""
    draw = random.Random(0)
    texts = [[f"{draw.randrange(80)}" for _ in range(14)] for _ in range(items)]
    asked = [draw.sample(text, 4) for text in texts]
    collections, chunks = {}, {}
    for lang in langs:
        own = [" ".join(f"{lang}word{word}" for word in text) for text in texts]
        chunks[lang] = tuple(document(f"d{place:02}", lang, text) for place, text in enumerate(own))
        rows = [[*words, str(draw.randrange(80))] for words in asked]
        collections[lang] = Collection(
            "made", lang, "", lambda: iter(()),
            tuple(
                Item(Query(f"q{place:02}", lang, (questions or {}).get(
                    (lang, place), " ".join(f"{lang}word{word}" for word in words))), "r", gold=((f"d{place:02}",),))
                for place, words in enumerate(rows)
            ),
            {},
        )  # fmt: skip
    return Benchmark("made", "1", collections, chunks, f"hash {questions}")


def test_an_item_that_is_asked_for_another_thing_in_one_language_is_harder_there() -> None:
    benchmark = made(30, {("fi", 7): "fiword1 fiword2 fiword3"})
    scores = item_scores(benchmark)
    rows = item_shifts(scores)
    assert n_retrievers(scores) >= 20
    assert len(rows) == 3 * 30
    assert [(row.lang, row.query_id) for row in rows] == sorted((row.lang, row.query_id) for row in rows)
    planted = next(row for row in rows if (row.lang, row.query_id) == ("fi", "q07"))
    assert planted.flagged
    assert planted.shift < -2
    assert sum(row.flagged for row in rows) <= 9


def test_rows_are_kept_as_long_as_the_benchmark_is_the_same(tmp_path: Path) -> None:
    benchmark = made(20)
    first = benchmark_parity(tmp_path, benchmark)
    file = tmp_path / "build" / "parity.jsonl"
    lines = file.read_text().splitlines()
    assert len(lines) == 60
    assert set(json.loads(lines[0])) == {"query_id", "lang", "shift", "p", "flagged"}
    time = file.stat().st_mtime_ns
    assert benchmark_parity(tmp_path, benchmark) == first
    assert file.stat().st_mtime_ns == time
    file.write_text("\n".join(lines[1:]) + "\n")
    assert benchmark_parity(tmp_path, benchmark) == first, "an edited file is made again"
    benchmark_parity(tmp_path, replace(benchmark, hash="another"))
    assert json.loads((tmp_path / "build" / "parity.json").read_text())["benchmark"] == "another"


def test_few_items_one_language_or_other_texts_are_not_compared(tmp_path: Path) -> None:
    assert benchmark_parity(tmp_path, made(5)).reason == "5 items have gold in every language, too few to compare"
    assert benchmark_parity(tmp_path, made(5, langs=("da",))).reason == "the benchmark has one language"
    (tmp_path / "bench.json").write_text('{"parallel": false}')
    assert benchmark_parity(tmp_path, made(5)).reason == 'bench.json says "parallel": false'


def test_items_without_gold_everywhere_are_left_out() -> None:
    benchmark = made(6)
    without = replace(benchmark, chunks={**benchmark.chunks, "sv": benchmark.chunks["sv"][1:]})
    assert item_scores(without).query_ids == ("q01", "q02", "q03", "q04", "q05")


def test_scores_of_a_question_are_those_of_its_best_document_in_each_group() -> None:
    chunks = [document("a", "da", "rug brød"), document("b", "da", "salt vand"), document("c", "da", "fisk salt")]
    queries = [Query("q1", "da", "rug brød"), Query("q2", "da", "salt vand"), Query("q3", "da", "hest")]
    scores = retrieval_scores("da", queries, [[["a", "c"]], [["a"]], [["b"]]], chunks)
    assert scores["rank"][0] == 0
    assert scores["rank"][1] == pytest.approx(-np.log(3), abs=0.2), "found last or not at all"
    assert scores["margin"][0] > 0.5 > 0 > scores["margin"][1]


def test_counterparts_of_texts_find_each_other_less_where_one_is_another_text() -> None:
    english = ["The gate opens at seven.", "Dogs must be kept on a lead.", "A night costs fourteen euros."]
    german = ["Das Tor öffnet um sieben.", "Hunde sind an der Leine zu führen.", "Das Tor öffnet um sieben."]
    margins = counterpart_margins({"en": english, "de": german})
    assert margins.shape == (2, 3)
    assert margins[:, 2].max() < margins[:, :2].min()


def test_the_encoder_adds_the_greater_of_query_and_documents() -> None:
    draws = np.random.default_rng(0).normal(size=(4, 3, 40))
    draws[2, 1, 5], draws[3, 2, 6] = -9, -9
    names = tuple(f"q{place:02}" for place in range(40))
    rows = item_shifts(ItemScores(("en", "de", "fr"), names, *draws))
    least = sorted(rows, key=lambda row: row.shift)[:2]
    assert {(row.lang, row.query_id) for row in least} == {("de", "q05"), ("fr", "q06")}
