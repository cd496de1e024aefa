"""From the files of runs to the page's data: exactly what the page's script reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from graded_runs import write_graded_run
from ragaliq.aggregate.run_figures import load_run
from ragaliq.benchmark.load import load_benchmark
from ragaliq.compare.results import compare_results
from ragaliq.report.html.page_data import PageData, page_data
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import read_jsonl, write_json, write_jsonl
from small import CHUNKS, QUERIES
from unit.report.html.reading import unpacked
from unit.report.html.rich_run import ANSWER, rich_rows, write_rich_run


def data_of(*runs: RunFolder, min_coverage: float = 0.95) -> PageData:
    return page_data(compare_results([load_run(run.path) for run in runs], min_coverage, Path("nowhere")))


def details(data: PageData) -> list[dict[str, Any]]:
    return list(unpacked(data.blocks["details-0"])["items"])


def test_items_are_columns_of_numbers_into_lists(tmp_path: Path) -> None:
    data = data_of(write_rich_run(tmp_path / "r"))
    items = unpacked(data.blocks["items"])
    assert items["texts"] == ["What?", "Blue.", ANSWER, "", "I do not know."]
    assert items["queries"] == [
        {"query_id": "q1", "type": "fact", "difficulty": "hard", "answerable": True},
        {"query_id": "q2", "type": "fact", "difficulty": "hard", "answerable": True},
        {"query_id": "q3", "type": "unanswerable", "difficulty": "hard", "answerable": False},
    ]
    assert items["outcomes"] == ["answered", "abstained", "empty", "truncated", "filtered", "error"]
    assert items["verdicts"][0] == "scored"
    stages = [stage["id"] for stage in data.overview["stages"]]
    assert items["columns"] == {
        "system": [0, 0, 0],
        "lang": [0, 0, 0],
        "query": [0, 1, 2],
        "grade": [3, -1, -1],
        "outcome": [0, 5, 1],
        "verdict": [0, items["verdicts"].index("no_answer"), -1],
        "cause": [stages.index("reranker"), -1, -1],
        "question": [0, 0, 0],
        "reference": [1, 1, 1],
        "answer": [2, 3, 4],
        "supported": [0.5, -1, -1],
        "abstained": [0, 0, 1],
    }
    assert data.overview["n_items"] == 3
    assert data.overview["blocks"] == {
        "details": [{"id": "details-0", "first": 0, "n": 3}],
        "chunks": [{"id": "chunks-0", "first": 0, "n": 2}],
    }


def test_details_hold_what_is_known_and_no_more(tmp_path: Path) -> None:
    data = data_of(write_rich_run(tmp_path / "r"))
    judged, failed, abstained = details(data)
    assert judged == {
        "context": [
            {"doc_id": "d1", "rank": 1, "score": 0.5, "chunk": 0, "gold": False},
            {"doc_id": "d2", "rank": 2, "score": -0.5, "chunk": 1, "gold": True},
        ],
        "gold": [{"doc_ids": ["d2"], "retrieved": 1, "ranked": None, "lost": "reranker"}],
        "sentences": [
            {"text": "It is blue.", "support": "supported", "doc_id": "d1", "citations": ["d1"]},
            {"text": "It is big.", "support": "unsupported"},
            {"text": "Well.", "support": "none"},
        ],
        "nuggets": [{"id": "n1", "text": None, "importance": "vital", "label": "not_support"}],
        "reasoning": "hm",
        "seconds": 0.5,
        "traces": [
            {"component": "judge", "model": "m", "raw_reply": "[RESULT] 3", "finish_reason": "stop", "turn": 1,
             "attempts": 2, "prompt_tokens": 10, "completion_tokens": 2}
        ],
        "conditions": {"gold": {"text": "Blue", "outcome": "answered", "grade": 5, "verdict": "scored"}},
        "feedback": "in part",
        "judge": "judge",
        "judge_reasoning": "thought",
        "refuses": "none",
        "expected_grade": 3.25,
        "confidence": 0.5,
        "draws": [3, None],
    }  # fmt: skip
    assert failed == {
        "gold": [{"doc_ids": ["d2"], "retrieved": 1, "ranked": None, "lost": "reranker"}],
        "error": "no",
        "judge": "judge",
    }
    assert abstained == {}
    chunks = unpacked(data.blocks["chunks-0"])["chunks"]
    assert chunks == [{"doc_id": f"d{number}", "lang": "en", "text": f"chunk {number}"} for number in (1, 2)]


def test_a_run_that_is_not_judged_yet_shows_its_answers(tmp_path: Path) -> None:
    data = data_of(write_rich_run(tmp_path / "r", verdicts=False))
    columns = unpacked(data.blocks["items"])["columns"]
    assert (columns["grade"], columns["verdict"], columns["cause"]) == ([-1] * 3, [-1] * 3, [-1] * 3)
    cell = data.overview["systems"][0]["by_lang"]["en"]
    assert (cell["withheld"], cell["score"], cell["n"], cell["n_expected"]) == (True, None, 0, 2)


def test_a_run_without_an_answer_has_no_blocks(tmp_path: Path) -> None:
    run = write_rich_run(tmp_path / "r", verdicts=False)
    run.answers_file.unlink()
    data = data_of(run)
    assert list(data.blocks) == ["items"]
    assert (data.overview["n_items"], data.overview["blocks"]) == (0, {"details": [], "chunks": []})


def test_what_is_about_an_earlier_answer_is_left_out(tmp_path: Path) -> None:
    run = write_rich_run(tmp_path / "r")
    for file in (run.verdicts_file, run.checks_file, run.nuggets_file, run.waterfall_file):
        write_jsonl(file, [{**row, "answer_hash": "of another"} for _, row in read_jsonl(file)])
    data = data_of(run)
    assert unpacked(data.blocks["items"])["columns"]["verdict"] == [-1] * 3
    assert details(data)[0].keys() == {"context", "sentences", "reasoning", "seconds", "traces"}
    assert details(data)[0]["sentences"] == [{"text": "It is blue.", "citations": ["d1"]}]


def test_systems_stand_beside_each_other_query_by_query_best_first(tmp_path: Path) -> None:
    runs = [
        write_graded_run(tmp_path / "a", {"de": [2, 1], "en": [4, None]}),
        write_graded_run(tmp_path / "b", {"de": [5, 1], "en": [4, 3]}),
    ]
    data = data_of(*runs, min_coverage=0.0)
    columns = unpacked(data.blocks["items"])["columns"]
    assert [system["name"] for system in data.overview["systems"]] == ["b", "a"]
    assert [language["code"] for language in data.overview["languages"]] == ["de", "en"]
    assert columns["lang"] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert columns["query"] == [0, 0, 1, 1, 0, 0, 1, 1]
    assert columns["system"] == [0, 1] * 4
    assert columns["grade"] == [5, 2, 1, 1, 4, 4, 3, -1]


def test_figures_over_all_languages_stand_beside_those_of_each(tmp_path: Path) -> None:
    overview = data_of(*(write_graded_run(tmp_path / name, {"de": [5, 1], "en": [4, 4]}) for name in "ab")).overview
    system, everywhere = overview["systems"][0], overview["systems"][0]["all"]
    assert (system["cost"], system["seconds"], everywhere["rank"]) == (None, 0.5, [1, 2])
    # (1 + 0 + .8 + .8) / 4
    assert (everywhere["n"], everywhere["n_expected"], everywhere["counts"]) == (4, 4, [0, 1, 0, 0, 2, 1])
    assert everywhere["mean_weight"] == pytest.approx(0.65) and everywhere["seconds"]["n"] == 4
    assert overview["findings"][0].startswith("Best: a (")
    assert {entry["term"] for entry in overview["legend"]} >= {"Score", "Supported", "USD"}
    assert "`" not in str(overview["legend"])


def test_the_languages_that_all_systems_share_are_named(tmp_path: Path) -> None:
    runs = [
        write_graded_run(tmp_path / "a", {"de": [2, 1], "en": [4, 3], "ru": [4, 3]}),
        write_graded_run(tmp_path / "b", {"de": [5, 1], "en": [4, 3]}),
    ]
    overview = data_of(*runs).overview
    assert overview["pooled"] == ["de", "en"]
    assert [system["all"]["n"] for system in overview["systems"]] == [4, 4]


def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    grades = {"en": [5, 4, 3], "de": [5, 4, 1]}
    runs = [write_graded_run(tmp_path / parent / "run", grades) for parent in ("x", "y", "z")]
    overview = data_of(*runs).overview
    assert [system["name"] for system in overview["systems"]] == ["run", "run (2)", "run (3)"]
    assert [gap["system"] for gap in overview["gaps"]] == ["run", "run (2)", "run (3)"]


def test_same_runs_same_data(tmp_path: Path) -> None:
    run = write_rich_run(tmp_path / "r")
    assert data_of(run) == data_of(run)


def of_benchmark(path: Path, benchmark: Path, changed: Mapping[str, str] | None = None) -> RunFolder:
    """A run on the small benchmark whose first query has gold and a nugget there."""
    known = {"path": str(benchmark), "hash": load_benchmark(benchmark).hash, **(changed or {})}
    run = write_rich_run(path, data=known)
    rows = rich_rows("en")
    group = {"doc_ids": ["lake-01", "no-such"], "retrieved": 1, "ranked": 1, "lost": None}
    write_jsonl(run.waterfall_file, [{**rows["waterfall"][0], "groups": [group]}])
    match = {"nugget_id": "q1-1", "importance": "vital", "label": "support"}
    write_jsonl(run.nuggets_file, [{**rows["nugget_scores"][0], "assignments": [match]}])
    return run


def test_texts_of_the_benchmark_are_shown_where_it_is_at_hand(tmp_path: Path, small: Path) -> None:
    data = data_of(of_benchmark(tmp_path / "r", small))
    first = details(data)[0]
    assert first["gold_chunks"] == [2]
    chunk = unpacked(data.blocks["chunks-0"])["chunks"][2]
    assert (chunk["doc_id"], chunk["lang"], chunk["text"]) == ("lake-01", "en", CHUNKS["lake-01"][0])
    assert first["nuggets"][0]["text"] == QUERIES["q1"][2][0][2]
    # The benchmark knows better than a run's own files.
    kinds = [query["type"] for query in unpacked(data.blocks["items"])["queries"]]
    assert kinds == [QUERIES[query_id][0] for query_id in ("q1", "q2", "q3")]


@pytest.mark.parametrize("changed", [{"hash": "other"}, {"path": ""}, {"path": "nowhere"}])
def test_without_the_benchmark_the_rest_is_shown(tmp_path: Path, small: Path, changed: dict[str, str]) -> None:
    data = data_of(of_benchmark(tmp_path / "r", small, changed))
    first = details(data)[0]
    assert data.overview["n_items"] == 3
    assert "gold_chunks" not in first
    assert first["nuggets"][0]["text"] is None


@pytest.mark.parametrize("at_hand", [True, False])
def test_gold_of_a_run_without_a_waterfall_is_that_of_the_benchmark(tmp_path: Path, small: Path, at_hand: bool) -> None:
    run = of_benchmark(tmp_path / "r", small, None if at_hand else {"path": ""})
    run.waterfall_file.unlink()
    first, *rest = rich_rows("en")["answers"]
    context = [
        {"doc_id": doc_id, "score": 1.0, "rank": rank, "text": CHUNKS[doc_id][0]}
        for rank, doc_id in enumerate(("stay-01", "lake-02"), start=1)
    ]
    write_jsonl(run.answers_file, [{**first, "context": context}, *rest])
    shown = details(data_of(run))[0]
    assert [hit.get("gold") for hit in shown["context"]] == ([True, False] if at_hand else [None, None])
    # Where no waterfall was drawn nobody knows what became of it.
    assert ("gold_chunks" in shown, "gold" in shown) == (at_hand, False)


def test_gold_of_mixed_languages_goes_by_its_document(tmp_path: Path) -> None:
    run = write_rich_run(tmp_path / "r")
    config = run.config()
    write_json(run.config_file, {**config, "system": {**config["system"], "kb_lang": "all"}})
    first, *rest = rich_rows("en")["answers"]
    context = [{**hit, "doc_id": f"{hit['doc_id']}@{lang}"} for hit in first["context"] for lang in ("de", "ru")]
    write_jsonl(run.answers_file, [{**first, "context": context}, *rest])
    data = data_of(run)
    marks = {hit["doc_id"]: hit["gold"] for hit in details(data)[0]["context"]}
    assert marks == {"d1@de": False, "d1@ru": False, "d2@de": True, "d2@ru": True}
    assert [chunk["lang"] for chunk in unpacked(data.blocks["chunks-0"])["chunks"]] == ["de", "ru", "de", "ru"]


def test_gold_of_another_cut_goes_by_its_sentences(tmp_path: Path, small: Path) -> None:
    texts = tmp_path / "kb_{lang}.md"
    for lang in ("en", "de"):
        (tmp_path / f"kb_{lang}.md").write_text("Any text.", encoding="utf-8")
    known = {"knowledge_base": str(texts), "hash": load_benchmark(small, knowledge_base=str(texts), langs=["en"]).hash}
    run = of_benchmark(tmp_path / "r", small, known)
    first, *rest = rich_rows("en")["answers"]
    gold = CHUNKS["lake-01"][0].replace(" ", "\n")
    context = [
        {"doc_id": f"kb_en.md:{n}", "score": 1.0, "rank": n, "text": text}
        for n, text in enumerate(("Any text.", f"Before.\n{gold}  After."), start=1)
    ]
    write_jsonl(run.answers_file, [{**first, "context": context}, *rest])
    assert [hit["gold"] for hit in details(data_of(run))[0]["context"]] == [False, True]
    # Texts in another language are no sentences of the gold: nothing is known, which is not "no gold".
    config = run.config()
    for kb_lang in ("de", "all"):
        write_json(run.config_file, {**config, "system": {**config["system"], "kb_lang": kb_lang}})
        assert all("gold" not in hit for hit in details(data_of(run))[0]["context"])


def test_many_sentences_of_a_long_answer_are_cut(tmp_path: Path) -> None:
    run = write_rich_run(tmp_path / "r")
    check = rich_rows("en")["checks"][0]
    sentences = [{"text": "x" * 3000, "support": "not", "doc_id": None} for _ in range(1000)]
    write_jsonl(run.checks_file, [{**check, "sentences": sentences}])
    shown = details(data_of(run))[0]["sentences"]
    assert len(shown) == 7
    assert shown[-1] == {"text": "[994 more sentences; the whole is in answers.jsonl of r]"}


def test_the_items_of_a_cause_are_as_many_as_the_figures_say(small_run: Path) -> None:
    data = data_of(RunFolder(small_run))
    columns = unpacked(data.blocks["items"])["columns"]
    counts = Counter(zip(columns["lang"], columns["cause"], strict=True))
    cells = data.overview["systems"][0]["by_lang"]
    for number, language in enumerate(data.overview["languages"]):
        stages = cells[language["code"]]["waterfall"]["stages"]
        for place, stage in enumerate(data.overview["stages"]):
            assert counts[number, place] == stages.get(stage["id"], {"n": 0})["n"]
    assert sum(count for (_, cause), count in counts.items() if cause >= 0) > 0
