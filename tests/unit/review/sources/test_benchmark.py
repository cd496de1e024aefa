"""What of a benchmark is up for review, and what of it is seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.review.page import file_page, served_page, sheet_to_json
from ragaliq.review.sampling import Place
from ragaliq.review.sheets import Choice, make_sheets
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.sources.opening import open_source, task_of
from ragaliq.review.sources.runs import Runs
from ragaliq.review.values import BENCHMARK_TASKS, ReviewTask
from ragaliq.storage.files import read_json, write_json
from small import CHUNKS, LANGS, QUERIES
from unit.review.benches import bench_session, translate_here, write_bench, write_parity
from unit.review.small import write_runs


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    return write_bench(tmp_path / "bench")


def test_a_folder_is_opened_as_what_it_is(tmp_path: Path, bench: Path) -> None:
    runs = open_source(write_runs(tmp_path / "runs"))
    assert isinstance(runs, Runs)
    assert task_of(runs, None) is ReviewTask.GRADE
    assert task_of(runs, "lgtm") is ReviewTask.LGTM
    source = open_source(bench)
    assert task_of(source, None) is ReviewTask.NUGGETS
    assert task_of(source, "translation") is ReviewTask.TRANSLATION
    with pytest.raises(InputError, match=r"--task support: .*runs holds runs; give grade or lgtm"):
        task_of(runs, "support")
    with pytest.raises(InputError, match=r"--task grade: .* holds a benchmark; give nuggets or support or translation"):
        task_of(source, "grade")
    with pytest.raises(InputError, match=r"neither a run .* nor a benchmark \(bench.json is missing\)"):
        open_source(tmp_path / "nothing")


def test_nuggets_of_answerable_queries_in_every_language(bench: Path) -> None:
    sheets = make_sheets(BenchmarkSource(bench), ReviewTask.NUGGETS, Choice())
    assert len(sheets) == 7 * len(LANGS)  # q8 is unanswerable.
    two = next(sheet for sheet in sheets if (sheet.lang, sheet.query_id) == ("zh", "q7"))
    assert [part.text for part in two.parts] == ["划艇每小时收费9欧元。", "钓鱼许可证每天12欧元。"]
    assert two.reference == "一共21欧元。"


def test_a_pair_shows_question_fact_and_document(bench: Path) -> None:
    source = BenchmarkSource(bench)
    place = Place("", "ru", "q6", "q6-1 food-02")
    sheet = source.sheet(ReviewTask.SUPPORT, place)
    assert sheet
    texts = QUERIES["q6"][2][LANGS.index("ru")]
    assert (sheet.question, sheet.answer) == (texts[0], texts[2])
    assert sheet.passages == (CHUNKS["food-02"][LANGS.index("ru")],)
    assert source.sheet(ReviewTask.SUPPORT, Place("", "ru", "q6", "q6-1 gone")) is None
    assert source.sheet(ReviewTask.SUPPORT, Place("", "xx", "q6", "q6-1 food-02")) is None


def test_a_translation_stands_beside_its_source(bench: Path) -> None:
    source = BenchmarkSource(bench)
    places = list(source.places(ReviewTask.TRANSLATION, 0))
    # 8 queries and references, 8 nuggets, 12 chunks, in 5 languages.
    assert len(places) == (8 + 8 + 8 + 12) * 5
    assert {place.lang for place in places} == set(LANGS) - {"en"}
    sheet = source.sheet(ReviewTask.TRANSLATION, Place("", "de", "q7", "nugget q7-2"))
    assert sheet
    assert (sheet.reference, sheet.answer) == ("A fishing permit costs 12 euros a day.",
                                               "Eine Angelerlaubnis kostet 12 Euro am Tag.")  # fmt: skip
    assert sheet.question == QUERIES["q7"][2][0][0]
    assert (sheet.record, sheet.source_lang) == ("nugget", "en")
    # Not translated here: an edit is one of the whole text.
    assert [(part.name, part.text) for part in sheet.parts] == [(sheet.reference, sheet.answer)]


def test_without_translations_there_is_one_line(bench: Path) -> None:
    head = read_json(bench / "bench.json")
    for change, said in (({"parallel": False}, '"parallel": false'), ({"languages": ["de"]}, "in 'de' alone")):
        write_json(bench / "bench.json", {**head, **change})
        with pytest.raises(InputError, match=said):
            make_sheets(BenchmarkSource(bench), ReviewTask.TRANSLATION, Choice())


def test_flagged_items_come_first(bench: Path) -> None:
    write_parity(bench, [("de", "q6"), ("zh", "q2")])
    source = BenchmarkSource(bench)
    for seed in range(3):
        sheets = make_sheets(source, ReviewTask.NUGGETS, Choice(seed=seed))
        assert {(sheet.lang, sheet.query_id) for sheet in sheets[:2]} == {("de", "q6"), ("zh", "q2")}
        assert len(sheets) == 7 * len(LANGS)
        pairs = make_sheets(source, ReviewTask.SUPPORT, Choice(seed=seed, sample=20))
        assert len(pairs) == 20
        assert ("de", "q6") in {(sheet.lang, sheet.query_id) for sheet in pairs[:8]}
        first = make_sheets(source, ReviewTask.TRANSLATION, Choice(seed=seed, sample=8))
        # Each with its question, its reference, its nugget and the chunk that answers it; q2 is answered by stay-02.
        wanted = {("de", f"{kind} q6") for kind in ("query", "reference")} | {
            ("de", "nugget q6-1"),
            ("de", "chunk food-02"),
        }
        wanted |= {("zh", f"{kind} q2") for kind in ("query", "reference")} | {
            ("zh", "nugget q2-1"),
            ("zh", "chunk stay-02"),
        }
        assert {(sheet.lang, sheet.places[0].item) for sheet in first} == wanted


def test_flags_of_another_version_of_the_benchmark_do_not_count(bench: Path) -> None:
    write_parity(bench, [("zh", "q2")])
    assert ("zh", "q2") in BenchmarkSource(bench).urgent()
    path = bench / "queries" / "zh.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("？", "呢？"), encoding="utf-8")
    assert not BenchmarkSource(bench).urgent()
    (bench / "build" / "parity.json").unlink()
    assert not BenchmarkSource(bench).urgent()


@pytest.mark.parametrize("change", ["method", "rows"])
def test_flags_that_the_audit_would_make_again_do_not_count(bench: Path, change: str) -> None:
    write_parity(bench, [("ru", "q2")])
    assert ("ru", "q2") in BenchmarkSource(bench).urgent()
    head, rows = bench / "build" / "parity.json", bench / "build" / "parity.jsonl"
    if change == "method":
        known = read_json(head)
        write_json(head, known | {"method": known["method"] + 1})
    else:
        rows.write_text(rows.read_text().replace("-0.4", "-0.5", 1))
    assert not BenchmarkSource(bench).urgent()


def test_neither_page_gives_the_models_label_away(bench: Path) -> None:
    """Neither page nor sheet has more of a pair than its texts: no id of a document, no label, no importance."""
    translate_here(bench)
    write_parity(bench, [("de", "q6")])
    for task in BENCHMARK_TASKS:
        with bench_session(bench, task, rater=str(task)) as own:
            served = served_page(own)[0].decode() + file_page(own, "0a").decode()
            seen = [sheet_to_json(own, sheet) for sheet in own.sheets]
        for secret in ("supported", "vital", "flagged", "doc_ids", "lake-04", "food-01", "qrels", str(bench)):
            assert secret not in served + json.dumps(seen), (task, secret)
        keys = {"id", "lang", "question", "reference", "answer", "passages", "value", "note"}
        more = {"nuggets": {"parts"}, "support": set(), "translation": {"parts", "record", "sourceLang"}}[str(task)]
        assert {key for sheet in seen for key in sheet} - keys == more


def test_supported_pairs_and_others_look_alike(bench: Path) -> None:
    """The order gives nothing away: the same kinds of pairs come in other orders by other seeds."""
    source = BenchmarkSource(bench)
    patterns = set()
    for seed in range(8):
        sheets = make_sheets(source, ReviewTask.SUPPORT, Choice(("de",), seed=seed))
        patterns.add(tuple(source.supported("de")[sheet.places[0]] for sheet in sheets))
    assert len(patterns) == 8
