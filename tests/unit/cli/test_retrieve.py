"""`ragaliq retrieve`: options, files, exit codes."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from fakes import Scripted
from ragaliq.cli import _parser, main
from ragaliq.formats.trec.run import read_run
from ragaliq.storage.files import read_json, write_json
from ragaliq.types import Hit, Query
from unit.cli.endpoint import judge_server
from unit.experiment.small import ANSWER, GOLD, WordRetriever, collection, write_beir, write_own


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the small data set in two layouts."""
    monkeypatch.chdir(tmp_path)
    for name in ("TOKEN", "JUDGE_API_LINK", "JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)
    write_own(tmp_path / "own")
    write_beir(tmp_path / "beir")
    return tmp_path


def retrieve(*options: str, data: str = "beir", out: str = "r.trec") -> int:
    return main(["retrieve", "--data", data, "--out", out, *options])


def refused(capsys: pytest.CaptureFixture[str], *options: str, **more: str) -> str:
    """The one line with which a command is refused."""
    code = retrieve(*options, **more)
    captured = capsys.readouterr()
    lines = [line for line in captured.err.replace("\r", "\n").splitlines() if line.startswith("ragaliq")]
    assert code == 2, captured.err
    assert captured.out == ""
    assert len(lines) == 1
    return lines[0]


def test_one_language_is_one_file_and_its_values_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieve("--retriever", "bm25") == 0
    captured = capsys.readouterr()
    assert {query_id: docs[0].doc_id for query_id, docs in read_run(Path("r.trec")).items()} == GOLD
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in captured.out.splitlines() if "|" in line]
    assert [line[0] for line in table if not line[0].startswith(":")] == ["measure", "nDCG@10", "R@100", "AP", "RR"]
    assert table[2][1:4] == ["1.0000", "3", "—"]
    assert "run: r.trec" in captured.out
    assert sorted(os.listdir()) == ["beir", "own", "r.trec", "r.trec.json"]


@pytest.mark.parametrize(
    ("lang", "out", "files"),
    [
        ("all", "r.trec", ["r.en.trec", "r.ru.trec", "r.zh.trec"]),
        ("ru,zh", "{lang}/r.trec", ["ru/r.trec", "zh/r.trec"]),
        ("zh", "r.trec", ["r.trec"]),
        ("zh", "r.{lang}.trec", ["r.zh.trec"]),
    ],
)
def test_several_languages_are_a_file_each(lang: str, out: str, files: list[str], place: Path) -> None:
    assert retrieve("--lang", lang, "--retriever", "char", data="own", out=out) == 0
    assert sorted(str(path.relative_to(place)) for path in place.rglob("*.trec")) == files
    for file in files:
        assert {query_id: docs[0].doc_id for query_id, docs in read_run(Path(file)).items()} == GOLD


def test_a_retriever_of_the_family_that_built_the_data_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    head, model = Path("own/bench.json"), "unit.experiment.small:WordRetriever"
    write_json(head, {**read_json(head), "built_with": {"generator": [model]}})
    assert retrieve("--lang", "en", "--retriever", f"python:{model}", data="own") == 0
    captured = capsys.readouterr()
    assert "warning[builder-family]" in captured.out + captured.err
    assert retrieve("--lang", "en", "--retriever", "bm25", data="own", out="b.trec") == 0
    captured = capsys.readouterr()
    assert "warning[builder-family]" not in captured.out + captured.err


def test_nuggets_bring_their_own_measures_and_others_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieve("--lang", "ru", "--retriever", "bm25", data="own") == 0
    assert [name in capsys.readouterr().out for name in ("alpha_nDCG@10",)] == [True]
    assert retrieve("--lang", "ru", "--retriever", "bm25", "-m", "P@1", "-m", "MRR", data="own") == 0
    out = capsys.readouterr().out
    assert "| P@1 " in out
    assert "| RR " in out
    assert "alpha_nDCG" not in out


def test_a_run_has_the_values_that_measuring_it_gives_where_a_query_has_no_nugget(
    capsys: pytest.CaptureFixture[str],
) -> None:
    nuggets = Path("own/nuggets/ru.jsonl")
    rows = [line for line in nuggets.read_text(encoding="utf-8").splitlines() if '"q1"' not in line]
    nuggets.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    Path("own/qrels").mkdir()
    # What q1 asks for is not found, so that it matters whether it counts.
    Path("own/qrels/ru.tsv").write_text("q1 0 nowhere 1\nq2 0 kitchen 1\nq3 0 dogs 1\n", encoding="utf-8")
    for names in ("RR,P@1", "RR,alpha_nDCG@10", "alpha_nDCG@10,Coverage@20,R@50", "AllGold@10"):
        assert retrieve("--lang", "ru", "--retriever", "char", "-m", names, data="own") == 0
        printed = capsys.readouterr().out
        assert main(["measure", "--run", "r.trec", "--data", "own", "--lang", "ru", "-m", names]) == 0
        measured = capsys.readouterr().out
        assert measured.strip() in printed, names
        assert ("| 2" if "nDCG" in names else "| 3") in measured, names


def test_one_idea_has_one_visible_option_and_its_other_name_is_taken_too(capsys: pytest.CaptureFixture[str]) -> None:
    needed = {
        "retrieve": ["--data", "d", "--out", "r", "--retriever", "bm25"],
        "measure": ["--run", "r"],
        "compare": ["a", "b"],
    }
    for command, shown, hidden, value in (
        ("retrieve", "--from", "--format", "beir"),
        ("retrieve", "--rerank", "--reranker", "lexical"),
        ("retrieve", "--k", "--top_k", "7"),
        ("retrieve", "--measure", "--metric", "AP"),
        ("measure", "--measure", "--metric", "AP"),
        ("compare", "--metric", "--measure", "AP"),
        ("compare", "--metric", "-m", "AP"),
    ):
        parser = _parser("ragaliq")
        plain, other, neither = (
            parser.parse_args([command, *needed[command], *more]) for more in ([shown, value], [hidden, value], [])
        )
        assert vars(plain) == vars(other) != vars(neither), (command, hidden)
        with pytest.raises(SystemExit):
            parser.parse_args([command, "--help"])
        words = capsys.readouterr().out.replace("[", " ").split()
        assert shown in words and hidden not in words, (command, hidden)


def test_several_languages_are_one_table_with_a_line_for_what_is_remarkable(
    capsys: pytest.CaptureFixture[str],
) -> None:
    silent = ["--retriever", "python:unit.experiment.small:SilentRetriever", "--k", "20", "-m", "RR,R@50"]
    assert retrieve(*silent, data="own") == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    assert table[0] == ["language", "RR", "R@50", "n"]
    assert [(row[0], row[3]) for row in table[2:]] == [("en", "3"), ("ru", "3"), ("zh", "3")]
    assert all(row[2] == "0.6667 (—)" for row in table[2:])
    assert [line for line in lines if line.startswith("- ")] == [
        f"- {lang}: queries missing and counted 0: 1" for lang in ("en", "ru", "zh")
    ]
    assert [line.split(" (")[0] for line in lines if line.startswith("run: ")] == [
        "run: r.en.trec", "run: r.ru.trec", "run: r.zh.trec",
    ]  # fmt: skip
    assert captured.err.count("note: R@50 looks at 50 documents") == 1
    assert captured.err.count("warning[missing-queries]") == 1


def test_options_reach_their_parts() -> None:
    options = ["--option", "k1=1.2", "--option", "b=.75", "--option", "rerank.weight=2", "--rerank", "lexical"]
    assert retrieve("--retriever", "bm25", "--rerank-depth", "2", *options) == 0
    system = json.loads(Path("r.trec.json").read_text())["system"]
    assert system["retriever"]["options"] == {"k1": 1.2, "b": 0.75}
    assert system["reranker"] == {"kind": "lexical", "model": "", "options": {"weight": 2}}
    assert system["rerank_depth"] == 2


def test_c33_the_oracle_and_no_retrieval_at_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieve("--retriever", "gold") == 0
    assert {query_id: docs[0].doc_id for query_id, docs in read_run(Path("r.trec")).items()} == GOLD
    assert retrieve("--retriever", "none", out="none.trec") == 0
    assert Path("none.trec").read_text() == ""
    assert capsys.readouterr().out.count("0.0000") >= 4
    # Other judgements are another oracle.
    qrels = next(Path("beir").glob("qrels/*.tsv"))
    lines = qrels.read_text().splitlines()
    query_id = lines[1].split("\t")[0]
    qrels.write_text("\n".join([*lines, f"{query_id}\td-other\t1"]) + "\n")
    assert retrieve("--retriever", "gold") == 2
    assert retrieve("--retriever", "gold", "--fresh") == 0


def test_what_cannot_be_is_refused_in_one_line_before_anything_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    cases: list[tuple[list[str], str]] = [
        (["--retriever", "bm52"], "unknown kind 'bm52'; did you mean 'bm25'?"),
        (["--retriever", "gold", "--chunk-tokens", "64"], "no windows"),
        (["--retriever", "bm25", "--option", "k2=1"], "unknown option 'k2'"),
        (["--retriever", "bm25", "--option", "k1"], "write KEY=VALUE"),
        (["--retriever", "bm25", "--option", "k1=[1"], "the value is no YAML"),
        (["--retriever", "bm25", "--option", "queries.prompt=x"], "'question' takes no options"),
        (["--retriever", "bm25", "--rerank", "lexicla"], "did you mean 'lexical'?"),
        (["--retriever", "dense", "--embedder", "char-gram"], "did you mean 'char-ngrams'?"),
        (["--retriever", "bm25", "--queries", "refrence"], "did you mean 'reference'?"),
        (["--retriever", "bm25", "--queries", "missing.jsonl"], "missing.jsonl: cannot be read"),
        (["--retriever", "bm25", "--queries", "nuggets"], "'beir' has none in 'en'"),
        (["--retriever", "bm25", "-m", "nDGC@10"], "did you mean 'nDCG'?"),
        (["--retriever", "bm25", "--format", "bier"], "did you mean 'beir'?"),
        (["--retriever", "bm25", "--lang", ","], "--lang"),
        (["--retriever", "bm25", "--split", "dev"], "dev"),
    ]
    for options, says in cases:
        assert says in refused(capsys, *options), options
        assert sorted(os.listdir()) == ["beir", "own"], options


def test_a_folder_is_no_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert "name a file, such as beir/run.trec" in refused(capsys, "--retriever", "bm25", out="beir")
    assert "no such folder" in refused(capsys, "--retriever", "bm25", data="nowhere")


def test_another_configuration_in_the_same_file_is_refused_and_fresh_begins_anew(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert retrieve("--retriever", "bm25") == 0
    capsys.readouterr()
    line = refused(capsys, "--retriever", "char")
    assert "system.retriever.kind: 'bm25' then, 'char' now" in line
    assert "--fresh" in line
    assert retrieve("--retriever", "char", "--fresh") == 0


class Interrupted(WordRetriever):
    """Presses Ctrl-C while the first query is answered."""

    pressed = False

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        if not Interrupted.pressed:
            Interrupted.pressed = True
            os.kill(os.getpid(), signal.SIGINT)
        return super().retrieve(query, top_k)


def test_after_ctrl_c_the_same_command_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragaliq.experiment.retrieving.BATCH", 1)
    Interrupted.pressed = False
    WordRetriever.asked.clear()
    command = ["--retriever", "python:unit.cli.test_retrieve:Interrupted"]
    assert retrieve(*command) == 3
    captured = capsys.readouterr()
    assert "the same command goes on" in captured.err
    assert captured.out == ""
    assert retrieve(*command) == 0
    assert WordRetriever.asked == ["q1", "q2", "q3"]
    assert set(read_run(Path("r.trec"))) == set(GOLD)


def test_warnings_are_told_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with Path("beir/corpus.jsonl").open("a") as file:
        file.write('{"_id": "q3", "title": "", "text": "Dogs near the harbour"}\n{"_id": "e", "text": " "}\n')
    silent = ["--retriever", "python:unit.experiment.small:SilentRetriever"]
    assert retrieve(*silent, "--max-docs", "4") == 0
    err = capsys.readouterr().err
    for name in ("truncated-corpus", "self-match", "missing-queries"):
        assert f"warning[{name}]" in err
    assert "q3" not in {doc.doc_id for doc in read_run(Path("r.trec"))["q3"]}
    assert retrieve(*silent, "--keep-self-match", out="k.trec") == 0
    err = capsys.readouterr().err
    assert "warning[empty-documents]" in err
    assert "q3" in {doc.doc_id for doc in read_run(Path("k.trec"))["q3"]}


def test_a_measure_that_looks_further_than_the_run_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieve("--retriever", "bm25", "--k", "20") == 0
    assert "note: R@100 looks at 100 documents, and a ranking has 20" in capsys.readouterr().err


def test_only_judged_queries_are_asked_and_the_counts_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("beir/qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq2\tkitchen\t1\n")
    assert retrieve("--retriever", "bm25") == 0
    assert set(read_run(Path("r.trec"))) == {"q2"}


def test_oracle_modes_are_asked_for_by_name() -> None:
    for mode in ["reference", "nuggets"]:
        assert retrieve("--lang", "zh", "--retriever", "char", "--queries", mode, "--fresh", data="own") == 0, mode
        assert json.loads(Path("r.trec.json").read_text())["system"]["queries"] == mode, mode


def test_made_texts_are_stored_beside_the_run_and_the_answer_is_not_sent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
    command = ["--lang", "ru", "--retriever", "bm25", "--queries", "closed-book:openai:m"]
    with judge_server(lambda request, number: Scripted("Судно выходит из порта.")) as server:
        assert retrieve(*command, data="own") == 0
        assert len(server.requests) == 3
        assert retrieve(*command, "--fresh", "--no-cache", data="own") == 0
        assert len(server.requests) == 6
        assert retrieve(*command, data="own") == 0
        assert len(server.requests) == 6
    sent = json.dumps(server.requests, ensure_ascii=False)
    assert ANSWER["ru"] not in sent
    assert not any(nugget.text in sent for nugget in collection("ru").nuggets)
    rows = [json.loads(line) for line in Path("r.trec.queries.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["texts"] for row in rows] == [["Судно выходит из порта."]] * 3
    assert {docs[0].doc_id for docs in read_run(Path("r.trec")).values()} == {"boat"}
    manifest = json.loads(Path("r.trec.json").read_text())
    assert len(manifest["system"]["queries_prompt_hash"]) == 12
    # Three calls of 7 + 3 tokens; no price list knows the model.
    assert manifest["spent"] == {"calls": 3, "tokens": 30, "cost_usd": None}
    assert "queries: 3 calls" in capsys.readouterr().err


def test_an_endpoint_that_is_gone_stops_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
    command = ["--retriever", "bm25", "--queries", "subquestions:openai:m"]
    with judge_server(lambda request, number: Scripted("no", status=500)):
        assert retrieve(*command) == 3
    assert "queries have no text" in capsys.readouterr().err
    with judge_server(lambda request, number: Scripted("kitchen closed")):
        assert retrieve(*command) == 0
    assert {docs[0].doc_id for docs in read_run(Path("r.trec")).values()} == {"kitchen"}
