"""A run as logs of the RAGaliq sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from fakes import answered, verdict, write_run_folder
from ragaliq.aggregate.summary import summarise_path
from ragaliq.cli import main
from ragaliq.runs.rows import run_answer_to_row, verdict_to_row
from ragaliq.storage.files import Row, read_json, write_json, write_jsonl

WEIGHTS = {5: 1.0, 4: 0.8, 3: 0.6, 2: 0.2, 1: 0.0, 0: 0.4}
KEYS = [
    "question", "true_answer", "source_doc", "context", "generated_answer", "logprobs", "language_consistency_score",
]  # fmt: skip


def sources_table(logs: Path) -> dict[str, dict[str, Any]]:
    """What the script of the sources makes of its logs, written anew from its description: a row for each language."""
    table = {}
    for path in sorted((logs / "eval").glob("eval_res_*.json")):
        fields = path.stem.split("_")
        frame = pd.DataFrame(json.loads(path.read_text(encoding="utf-8")))
        scores, nonzero = frame["score"], frame["score"][frame["score"] != 0]
        summary = (logs / "res" / f"results_{'_'.join(fields[2:])}.txt").read_text(encoding="utf-8")
        assert summary.endswith("\n\n")
        table[fields[3]] = {
            "model_name": fields[4],
            "embedder_name": fields[-3],
            "reranker_name": fields[-2],
            "weighted_score": (sum(WEIGHTS[score] for score in scores) / len(scores)) ** 2,
            "language_consistency_score": frame["language_consistency_score"].mean(),
            "mean_grade": nonzero.mean(),
            "median_grade": nonzero.median(),
            "percentage": nonzero.mean() / 5 * 100,
            "percentage_with_zero": scores.mean() / 5 * 100,
            **{str(grade): int((scores == grade).sum()) for grade in range(6)},
            "generation_time": float(summary.splitlines()[-2]),
        }
    return table


def test_the_script_of_the_sources_and_ours_read_the_runs_own_figures(small_run: Path, tmp_path: Path) -> None:
    assert main(["export", str(small_run), "--to", "ragaliq", "--out", str(tmp_path)]) == 0
    theirs = sources_table(tmp_path / "logs")
    summaries = summarise_path(small_run)
    assert len(theirs) == len(summaries) == 6
    for summary in summaries:
        ours, row = summary.to_json(), theirs[summary.lang]
        expected = {
            "weighted_score": ours["weighted_score"], "mean_grade": ours["mean_nonzero"],
            "median_grade": ours["median_nonzero"], "percentage": ours["percentage"],
            "percentage_with_zero": ours["percentage_with_zero"], **ours["counts"],
        }  # fmt: skip
        assert {key: row[key] for key in expected} == pytest.approx(expected, rel=1e-12)
        assert (row["model_name"], row["reranker_name"]) == ("extractive", "none")
        (log,) = (tmp_path / "logs" / "eval").glob(f"eval_res_*_{summary.lang}.json")
        (again,) = summarise_path(log, ours["n_expected"])
        # An unanswerable query has an answer in some language, too, which the logs leave out.
        same = {key for key in ours if not key.startswith(("language_consistency", "abstention"))}
        assert {key: again.to_json()[key] for key in same} == {key: ours[key] for key in same}
        assert again.language_consistency == pytest.approx(row["language_consistency_score"])


def test_the_files_have_the_layout_of_the_sources(small_run: Path, tmp_path: Path) -> None:
    assert main(["export", str(small_run), "--to", "ragaliq", "--out", str(tmp_path)]) == 0
    (answers,) = (tmp_path / "logs" / "eval").glob("eval_ans_questions_de_*_de.json")
    text = answers.read_text(encoding="utf-8")
    rows = json.loads(text)
    assert text == json.dumps(rows, ensure_ascii=False, indent=2)
    assert [list(row) for row in rows] == [KEYS] * len(rows)
    judged = read_json(answers.with_name(answers.name.replace("_ans_", "_res_")))
    assert [list(row) for row in judged] == [[*KEYS, "feedback", "score"]] * len(judged)
    assert [row["question"] for row in judged] == [row["question"] for row in rows]
    for row in rows:
        assert row["source_doc"]
        assert all(line.startswith("Sim: ") and " - " in line for line in row["context"].splitlines())


def hand_made(path: Path) -> Path:
    """A run with one answer of each fate: graded 5, graded 0, no grade, a reader's failure, unanswerable."""
    folder = write_run_folder(path, [5, 0, None, None])
    rows: list[Row] = [
        run_answer_to_row(answered(f"q{n}", text, answerable=n < 5))
        for n, text in enumerate(["It is blue.", "none", "It is red.", "", "none"], start=1)
    ]
    rows[0] |= {
        "token_consistency": 0.25, "in_language": True, "logprobs": [[{"token": "It", "prob": 0.5}]],
        "context": [{"doc_id": "d", "score": 1.005, "rank": 1, "text": "two\nlines"},
                    {"doc_id": "e", "score": -3, "rank": 2, "text": "more"}],
    }  # fmt: skip
    rows[1] |= {"in_language": False}
    write_jsonl(folder.answers_file, rows)
    grades = [("q1", 5), ("q2", 0), ("q3", None), ("q4", None), ("q5", 5)]
    write_jsonl(folder.verdicts_file, [verdict_to_row(verdict(name, grade)) for name, grade in grades])
    config = read_json(folder.config_file)
    config["expected"]["en"] = {"answerable": 5, "unanswerable": 1}
    config["system"]["reader"] = {"kind": "openai", "model": "org/some_reader"}
    config["system"]["embedder"] = {"kind": "python", "model": "my_bot:embed"}
    write_json(folder.config_file, config)
    return path


def test_what_a_log_cannot_hold_is_left_out_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(hand_made(tmp_path / "run")), "--to", "ragaliq", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr()
    name = "questions_en_some-reader_my-bot-embed_fake_en"
    assert [Path(line).name for line in told.out.splitlines()] == [
        f"eval_ans_{name}.json", f"eval_res_{name}.json", f"results_{name}.txt",
    ]  # fmt: skip
    assert told.err.splitlines() == [
        "note: en: unanswerable queries, which these logs do not know, left out: 1",
        "note: en: answers without a grade, in eval_ans_… alone: 2",
        "note: en: queries without an answer, in neither file: 1",
    ]
    eval_dir = tmp_path / "logs" / "eval"
    answers = read_json(eval_dir / f"eval_ans_{name}.json")
    assert [row["generated_answer"] for row in answers] == ["It is blue.", "none", "It is red.", ""]
    assert [row["language_consistency_score"] for row in answers] == [0.25, 0.0, None, None]
    assert answers[0]["context"] == "Sim: 1.00 - two lines\nSim: -3.00 - more"
    assert answers[0]["logprobs"] == [[{"prob": 0.5, "token": "It"}]]
    assert answers[1]["logprobs"] == []
    judged = read_json(eval_dir / f"eval_res_{name}.json")
    assert [(row["question"], row["score"]) for row in judged] == [("question q1", 5), ("question q2", 0)]
    # (.25 + 0) / 2; means without the zero: 5; with it: (5 + 0) / 2 of 5; 4 timings of half a second.
    assert (tmp_path / "logs" / "res" / f"results_{name}.txt").read_text() == (
        "Eval file: tiny 1 en\nJudge model: offline\nReader Model: org/some_reader\nEmbedder model: my_bot:embed\n"
        "Reranker model: fake\nscore\n5    1\n0    1\nName: count, dtype: int64\n\n"
        "Language consistency score: \n0.125\nMean score: \n5.0\nMedian score: \n5.0\nPercentage: \n100.0\n"
        "Percentage with zero: \n50.0\nGeneration time: \n2.0\n\n"
    )
    (again,) = summarise_path(eval_dir / f"eval_res_{name}.json")
    assert (again.judge, again.language_consistency) == ("offline", 0.125)


def test_undefined_figures_are_nan_and_read_as_unknown(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [None])
    folder.timings_file.unlink()
    assert main(["export", str(folder), "--to", "ragaliq", "--out", str(tmp_path)]) == 0
    (summary,) = (tmp_path / "logs" / "res").iterdir()
    assert summary.read_text().splitlines()[-2] == "nan"


def test_files_of_another_content_are_never_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, grade in (("one", 5), ("two", 4)):
        write_run_folder(tmp_path / name, [grade])
    export = ["--to", "ragaliq", "--out", str(tmp_path / "out")]
    assert main(["export", str(tmp_path / "one"), *export]) == 0
    assert main(["export", str(tmp_path / "one"), *export]) == 0
    capsys.readouterr()
    assert main(["export", str(tmp_path / "two"), *export]) == 2
    assert "is there with another content; give another folder with --out" in capsys.readouterr().err

    assert main(["export", str(tmp_path / "none"), *export]) == 2
