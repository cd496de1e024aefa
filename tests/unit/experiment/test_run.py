"""An experiment from its file to its report (B13, A5, C24)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, chat_server
from ragaliq.errors import ConfigError, InputError, Stopped
from ragaliq.experiment.figures.study import Role, Study
from ragaliq.experiment.figures.study_figures import figures
from ragaliq.experiment.run import run_experiment
from ragaliq.experiment.settings.config import load_experiment
from ragaliq.experiment.settings.system import Parts
from ragaliq.report.markdown.retrieval import write_report
from ragaliq.storage.files import read_json, write_json
from unit.experiment.small import GOLD, WordRetriever, write_beir, write_own


def carried_out(tmp_path: Path, text: str, **more: Any) -> Study:
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    experiment = load_experiment(tmp_path / "mine.yaml")
    return run_experiment(experiment, tmp_path / "out", Parts(), tell=more.pop("tell", lambda notes: None), **more)


def test_every_system_has_a_run_in_every_language_and_a_baseline_beside(tmp_path: Path) -> None:
    data = write_own(tmp_path / "data")
    study = carried_out(tmp_path, f"data: {data}\nk: 10\nsystems: [char, hybrid]\n")
    assert [(row.name, row.role) for row in study.rows] == [
        ("bm25", Role.BASELINE), ("char", Role.SYSTEM), ("hybrid", Role.SYSTEM),
    ]  # fmt: skip
    assert set(study.languages) == {"en", "ru", "zh"}
    assert study.measures == ("alpha_nDCG@10", "Coverage@20", "R@50")
    for name in ("bm25", "char", "hybrid"):
        for lang in study.languages:
            assert (tmp_path / "out" / f"{name}.{lang}.trec").is_file()
            assert json.loads((tmp_path / "out" / f"{name}.{lang}.trec.json").read_text())["finished"]
    row = study.rows[0]
    assert row.runs["zh"].measured.evaluation.query_ids == ("q1", "q2", "q3")
    assert row.runs["zh"].measured.evaluation.mean("alpha_nDCG@10") == pytest.approx(1.0)


def test_gold_is_an_oracle_and_no_system(tmp_path: Path) -> None:
    data = write_own(tmp_path / "data")
    study = carried_out(tmp_path, f"data: {data}\nk: 10\nmeasures: [R@10]\nsystems: [gold, char]\n")
    assert [(row.name, row.role) for row in study.rows] == [
        ("bm25", Role.BASELINE), ("gold", Role.ORACLE), ("char", Role.SYSTEM),
    ]  # fmt: skip
    for lang in study.languages:
        assert study.rows[1].runs[lang].measured.evaluation.mean("R@10") == 1
    text = f"data: {data}\nlanguages: [en]\nmeasures: [R@10]\noracle: true\nsystems: [gold, char]\n"
    study = carried_out(tmp_path / "asking", text)
    assert not any(row.name.startswith("gold-oracle") for row in study.rows)


def test_the_report_warns_of_a_system_of_the_family_that_built_the_data(tmp_path: Path) -> None:
    data, model = write_own(tmp_path / "data"), "unit.experiment.small:SilentRetriever"
    head = read_json(data / "bench.json")
    write_json(data / "bench.json", {**head, "built_with": {"generator": [model], "judge": ["scripted"]}})
    text = f"data: {data}\nlanguages: [en]\nsystems: [{{name: bad, retriever: {{kind: python, model: '{model}'}}}}]\n"
    study = carried_out(tmp_path, text)
    findings = {row.name: row.runs["en"].measured.findings for row in study.rows}
    assert [line for line in findings["bm25"] if "builder-family" in line] == []
    write_report(study, figures(study), tmp_path / "out")
    report = (tmp_path / "out" / "retrieval.md").read_text(encoding="utf-8")
    assert f"- warning[builder-family]: the benchmark was built with '{model}', and retriever '{model}'" in report
    assert "- warning[scripted]: the benchmark was built by rules" in report


def test_without_nuggets_the_usual_measures_are_taken_and_oracles_are_not_there(tmp_path: Path) -> None:
    told: list[str] = []
    text = f"data: {write_beir(tmp_path / 'data')}\noracle: true\nbaseline: false\nsystems: [char]\n"
    study = carried_out(tmp_path, text, tell=told.extend)
    assert study.measures == ("nDCG@10", "R@100", "AP", "RR")
    assert [row.role for row in study.rows] == [Role.SYSTEM]
    assert any("neither reference answers nor nuggets" in note for note in told)


def test_oracles_ask_with_the_best_system(tmp_path: Path) -> None:
    data = write_own(tmp_path / "data")
    silent = "{kind: python, model: 'unit.experiment.small:SilentRetriever'}"
    text = f"data: {data}\noracle: true\nlanguages: [en, zh]\nsystems: [{{name: bad, retriever: {silent}}}]\n"
    study = carried_out(tmp_path, text)
    oracles = [row for row in study.rows if row.role is Role.ORACLE]
    assert [(row.name, row.asks) for row in oracles] == [
        ("bm25-oracle-reference", "reference"), ("bm25-oracle-nuggets", "nuggets"),
    ]  # fmt: skip
    bad = next(row for row in study.rows if row.name == "bad")
    assert bad.runs["en"].measured.evaluation.n_missing == 1


def test_the_same_call_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    data = write_own(tmp_path / "data")
    words = "{kind: python, model: 'unit.experiment.small:WordRetriever'}"
    text = f"data: {data}\nlanguages: [en, ru]\nsystems: [{{name: words, retriever: {words}}}]\n"
    WordRetriever.asked.clear()
    first = carried_out(tmp_path, text)
    runs = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.trec")}
    assert len(WordRetriever.asked) == 6
    assert set(runs) == {f"{name}.{lang}.trec" for name in ("bm25", "words") for lang in ("en", "ru")}
    again = carried_out(tmp_path, text)
    assert len(WordRetriever.asked) == 6
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.trec")} == runs
    for one, two in zip(first.rows, again.rows, strict=True):
        for lang in one.runs:
            assert one.runs[lang].seconds_per_query == pytest.approx(two.runs[lang].seconds_per_query, abs=1e-6)
    carried_out(tmp_path, text, fresh=True)
    assert len(WordRetriever.asked) == 12


def test_a_stop_leaves_what_is_finished(tmp_path: Path) -> None:
    from unit.experiment.small import StoppingRetriever

    data = write_own(tmp_path / "data")
    stopping = "{kind: python, model: 'unit.experiment.small:StoppingRetriever'}"
    text = f"data: {data}\nlanguages: [en]\nsystems: [{{name: s, retriever: {stopping}}}]\n"
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    WordRetriever.asked.clear()
    StoppingRetriever.signal = (parts := Parts()).session.signal
    with pytest.raises(Stopped):
        run_experiment(load_experiment(tmp_path / "mine.yaml"), tmp_path / "out", parts, tell=lambda notes: None)
    assert json.loads((tmp_path / "out" / "bm25.en.trec.json").read_text())["finished"]
    assert not json.loads((tmp_path / "out" / "s.en.trec.json").read_text())["finished"]


def test_systems_of_every_kind_stand_in_one_report(tmp_path: Path) -> None:
    data = write_own(tmp_path / "data")
    text = f"""\
data: {data}
languages: [ru, zh]
oracle: true
measures: [R@10]
systems:
  - retriever: bm25
    chunk_tokens: [2, 100]
  - {{name: untitled, retriever: hybrid, title: false}}
  - {{name: reranked, retriever: hybrid, rerank: lexical, rerank_depth: 2}}
  - {{name: plain, retriever: hybrid}}
"""
    study = carried_out(tmp_path, text)
    rows = {row.name: row for row in study.rows}
    assert rows["reranked"].reranked == 2
    assert rows["reranked"].first_stage == "plain"
    assert rows["bm25"].is_bm25
    assert not rows["bm25-2-tokens"].is_bm25
    assert rows["reranked"].parts == "hybrid (embedder use-multilingual), the first 2 reranked by lexical"
    lines = write_report(study, figures(study), tmp_path / "out")
    assert [line.split()[0] for line in lines] == ["ru", "zh"]
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text(encoding="utf-8"))
    assert set(metrics["languages"]) == {"ru", "zh"}
    assert len(metrics["languages"]["ru"]["rows"]) == len(study.rows)
    page = (tmp_path / "out" / "retrieval.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page or f"| {name}" in page for name in rows)


def test_systems_that_ask_the_same_made_texts_share_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
    text = f"""\
data: {write_own(tmp_path / "data")}
languages: [ru]
baseline: false
systems: [{{retriever: [bm25, char], queries: ["closed-book:openai:m", "subquestions:openai:m"]}}]
"""
    with chat_server(lambda request, number: Scripted("Судно выходит из порта.")) as server:
        monkeypatch.setenv("READER_API_LINK", server.link)
        study = carried_out(tmp_path, text)
        assert len(server.requests) == 2 * 3
        carried_out(tmp_path, text)
        assert len(server.requests) == 2 * 3
        carried_out(tmp_path, text, fresh=True)
        assert len(server.requests) == 4 * 3
    assert [row.asks for row in study.rows] == ["closed-book", "subquestions", "closed-book", "subquestions"]
    assert [row.runs["ru"].tokens_per_query for row in study.rows] == [10.0, 10.0, None, None]
    assert sorted(path.name for path in (tmp_path / "out").glob("*.jsonl")) == [
        "queries.closed-book-openai-m.ru.jsonl", "queries.subquestions-openai-m.ru.jsonl",
    ]  # fmt: skip


def test_max_docs_marks_everything_as_truncated(tmp_path: Path) -> None:
    data = write_beir(tmp_path / "data")
    (data / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\nq1\t{GOLD['q1']}\t1\n")
    study = carried_out(tmp_path, f"data: {data}\nmax_docs: 2\nsystems: [bm25]\n")
    assert study.truncated
    write_report(study, figures(study), tmp_path / "out")
    page = (tmp_path / "out" / "retrieval.md").read_text(encoding="utf-8")
    assert page.startswith("# Retrieval: mine — TRUNCATED CORPUS")
    assert "## en — TRUNCATED CORPUS" in page


def test_data_without_judgements_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "questions_en.json").write_text(json.dumps([{"question": "Which colour?", "answer": "Blue."}]))
    (folder / "orientation_en.md").write_text("The roof is blue.\n")
    with pytest.raises(InputError, match="no judgements for 'en'"):
        carried_out(tmp_path, f"data: {folder}\nsystems: [bm25]\n")


def test_a_missing_variable_is_told_before_the_data_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("TOKEN", "READER_TOKEN", "OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    systems = "[{retriever: bm25}, {retriever: dense, embedder: 'openai:m'}]"
    (tmp_path / "mine.yaml").write_text(f"data: nosuch\nsystems: {systems}\n")
    with pytest.raises(ConfigError, match="embedder 'openai': READER_TOKEN or TOKEN is not set"):
        run_experiment(load_experiment(tmp_path / "mine.yaml"), tmp_path / "out", Parts(), tell=lambda notes: None)
