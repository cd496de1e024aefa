"""Wrong input, as a user gives it: one line that says what to do, exit code 2, and nothing is touched."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ragaliq.cli import main
from small import write_small

ROOT = Path(__file__).resolve().parents[3]
NOTE = "differs from the hash in bench.json"
UPSTREAM_ROWS = [{"question": "Which colour has the roof?", "answer": "Blue."}]


class Case(NamedTuple):
    """Options of eval.py, words of the message, and what to prepare in the working directory."""

    name: str
    options: str
    says: tuple[str, ...]
    prepare: Callable[[Path], object] = lambda folder: None


class Done(NamedTuple):
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str


RunIn = Callable[..., Done]


@pytest.fixture
def run_in(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunIn:
    """`ragaliq run` in a working directory, without any variable that it reads."""
    for name in ("TOKEN", "JUDGE_API_LINK", "JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)

    def run(cwd: Path, *options: str) -> Done:
        monkeypatch.chdir(cwd)
        try:
            code = main(["run", *options])
        except SystemExit as stop:
            code = int(str(stop.code))
        return Done(code, *capsys.readouterr())

    return run


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if path.name != "__pycache__" and path.parent.name != "__pycache__"
    }


def assert_refused(done: Done, says: tuple[str, ...], name: str) -> None:
    lines = [line for line in done.err.splitlines() if NOTE not in line and "asked once in every language" not in line]
    assert done.code == 2, (name, done.err)
    assert len(lines) == 1, (name, done.err)
    assert [word for word in says if word not in lines[0]] == [], (name, lines[0])
    assert done.out == "", name


def file(name: str, text: str) -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    return write


def small_with(name: str, number: int, old: str | None, new: str) -> Callable[[Path], object]:
    """Write the small benchmark to `bench`, with one text of a line replaced; None replaces the line."""

    def copy(folder: Path) -> None:
        path = write_small(folder / "bench") / name
        lines = path.read_text(encoding="utf-8").split("\n")
        line = lines[number - 1]
        assert old is None or old in line
        lines[number - 1] = new if old is None else line.replace(old, new, 1)
        path.write_text("\n".join(lines), encoding="utf-8")

    return copy


def upstream(questions: str, orientation: str = "The roof is blue.\n") -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        file("up/questions_en.json", questions)(folder)
        file("up/orientation_en.md", orientation)(folder)

    return write


CASES = [
    Case("unknown language", "--lang en,xx", ("--lang", "unknown language 'xx'", "zh")),
    Case("no language", "--lang ,", ("--lang", "at least one")),
    Case("data missing", "--data nowhere", ("nowhere", "no such folder", "--data")),
    Case("data is a file", "--data here.txt", ("here.txt", "is a file"), file("here.txt", "x")),
    Case("data is no benchmark", "--data empty", ("empty", "no benchmark here", "--data"), file("empty/a.txt", "x")),
    Case("malformed head", "--data b", ("b/bench.json", "not valid JSON", "line 2"),
         file("b/bench.json", '{\n"name": }\n')),
    Case("malformed row", "--data bench", ("bench/corpus/de.jsonl:5:", "not valid JSON"),
         small_with("corpus/de.jsonl", 5, '"doc_id"', "doc_id")),
    Case("a row that is no object", "--data bench", ("bench/queries/zh.jsonl:4:", "a JSON object is expected"),
         small_with("queries/zh.jsonl", 4, None, "[]")),
    Case("malformed upstream file", "--data up", ("up/questions_en.json", "not valid JSON", "line 3"),
         upstream('[\n{"question": "Q?", "answer": "A"},\n{"question": }\n]')),
    Case("upstream row without answer", "--data up", ("up/questions_en.json: row 1", "'answer'"),
         upstream('[{"question": "Q?"}]')),
    Case("duplicate query id", "--data bench", ("bench/queries/en.jsonl:2:", "'q1' stands already in line 1"),
         small_with("queries/en.jsonl", 2, '"q2"', '"q1"')),
    Case("duplicate doc id", "--data bench", ("bench/corpus/ru.jsonl:2:", "'stay-01' stands already"),
         small_with("corpus/ru.jsonl", 2, "stay-02", "stay-01")),
    Case("empty upstream knowledge base", "--data up", ("up", "knowledge base for 'en' holds no text"),
         upstream(json.dumps(UPSTREAM_ROWS), "\n \n")),
    Case("empty knowledge base", "--lang en --knowledge_base kb.md", ("kb.md", "holds no text"),
         file("kb.md", " \n\n")),
    Case("missing knowledge base", "--lang en --knowledge_base kb.md", ("kb.md", "cannot be read")),
    Case("one knowledge base for all", "--knowledge_base kb.md", ("kb.md", "one language", "--lang", "{lang}"),
         file("kb.md", "The roof is blue.\n")),
    Case("one knowledge base for two", "--lang en,de --knowledge_base kb.md", ("kb.md", "one language"),
         file("kb.md", "The roof is blue.\n")),
    Case("missing config", "none.yaml", ("none.yaml", "cannot be read")),
    Case("unknown key", "c.yaml", ("c.yaml:3:", "unknown key 'topk'", "did you mean 'top_k'?"),
         file("c.yaml", "name: x\n# sizes\ntopk: 5\n")),
    Case("wrong type", "c.yaml", ("c.yaml:1:", "'top_k' must be of type int"), file("c.yaml", "top_k: five\n")),
    Case("no YAML", "c.yaml", ("c.yaml", "not valid YAML"), file("c.yaml", "reader: {kind: [\n")),
    Case("a list as config", "c.yaml", ("c.yaml", "a mapping of keys is expected"), file("c.yaml", "- reader\n")),
    Case("nothing to retrieve", "c.yaml", ("'top_k' must be at least 1",), file("c.yaml", "top_k: 0\n")),
    Case("sampling missing", "--sampling_params s.json", ("s.json", "cannot be read")),
    Case("sampling is a folder", "--sampling_params s", ("s: cannot be read",), file("s/x", "x")),
    Case("sampling is no JSON", "--sampling_params s.json", ("s.json", "not valid JSON"), file("s.json", "top_p=1\n")),
    Case("sampling is a list", "--sampling_params s.json", ("s.json", "a JSON object, not list"),
         file("s.json", "[1]")),
    Case("judge without token", "--judge openai", ("judge 'openai'", "TOKEN is not set", ".env")),
    Case("judge without link", "--judge openai:m", ("JUDGE_API_LINK is not set",), file(".env", "TOKEN=t\n")),
    Case("judge without model", "--judge openai", ("JUDGE_MODEL is not set",),
         file(".env", "TOKEN=t\nJUDGE_API_LINK=http://127.0.0.1:9/v1\n")),
    Case("judge with a broken link", "--judge openai:m", ("the API link is no http:// or https:// address",),
         file(".env", "TOKEN=t\nJUDGE_API_LINK=localhost:80\n")),
    Case("reader without token", "--reader_model_id openai:m", ("reader 'openai'", "READER_TOKEN or TOKEN is not set")),
    Case("reader without model", "--reader_model_id openai", ("name its model",),
         file(".env", "TOKEN=t\nJUDGE_API_LINK=http://127.0.0.1:9/v1\n")),
    Case("reader's sampling", "--reader_model_id openai:m --sampling_params s.json",
         ("sampling: 'temperature' must be a number", "'warm'"),
         lambda f: [file(".env", "TOKEN=t\nJUDGE_API_LINK=http://127.0.0.1:9/v1\n")(f),
                    file("s.json", '{"temperature": "warm"}')(f)]),
    Case("max cost", "--max-cost five", ("--max-cost", "an amount in US dollars", "'five'")),
    Case("max cost without a price", "--max-cost 1 --judge openai:m", ("--max-cost", "does not know 'm'", "--prices"),
         file(".env", "TOKEN=t\nJUDGE_API_LINK=http://127.0.0.1:9/v1\n")),
    Case("price file", "--prices p.yaml", ("p.yaml", "'gpt'", "per million tokens"),
         file("p.yaml", "date: 2026-01-01\nmodels: {gpt: 3}\n")),
    Case("knowledge base that is not there", "--kb_lang xx", ("--kb_lang: unknown language 'xx'", "same", "all")),
    Case("decoder as embedder", "--use_decoder_as_embedder", ("--use_decoder_as_embedder", "transformers:ID")),
    Case("unknown retriever", "c.yaml", ("unknown kind 'spars'", "'sparse'"), file("c.yaml", "retriever: spars\n")),
    Case("unknown judge", "--judge ofline", ("unknown kind 'ofline'", "did you mean 'offline'?")),
    Case("unknown reader", "--reader_model_id extractiv", ("unknown kind 'extractiv'", "did you mean 'extractive'?")),
    Case("unknown reranker", "c.yaml", ("unknown kind 'lexicl'", "'lexical'"), file("c.yaml", "reranker: lexicl\n")),
    Case("unknown option", "c.yaml", ("reranker 'lexical'", "unknown option 'wieght'", "'weight'"),
         file("c.yaml", "reranker: {kind: lexical, wieght: 1}\n")),
    Case("a model too many", "--judge offline:m", ("takes no model",)),
    Case("unknown object", "--reader_model_id python:nowhere:Reader",
         ("python:nowhere:Reader", "ModuleNotFoundError", "check module and object")),
    Case("an object without the method", "--reader_model_id python:mine:x", ("no method 'read'",),
         file("mine.py", "x = 1\n")),
    Case("out is a file", "--out run", ("run: is a file", "--out"), file("run", "text\n")),
    Case("out is below a file", "--out file/run", ("file/run", "cannot be written"), file("file", "text\n")),
    Case("out holds other things", "--out mine", ("mine", "neither empty nor a run", "--out"), file("mine/a.txt", "x")),
    Case("out holds other things, anew", "--out mine --fresh", ("neither empty nor a run",), file("mine/a.txt", "x")),
    Case("out holds another config", "--out mine", ("mine/config.json",),
         file("mine/config.json", '{"model_type": "x"}')),
    Case("out holds a broken config", "--out mine", ("mine/config.json", "not valid JSON"),
         file("mine/config.json", "{")),
    Case("limit of zero", "--limit 0", ("--limit", "at least 1", "--help")),
    Case("coverage in per cent", "--min-coverage 95", ("--min-coverage", "between 0 and 1")),
    Case("unknown flag", "--frobnicate --langs en", ("--frobnicate", "--help")),
]  # fmt: skip


@pytest.mark.slow
def test_wrong_input_is_one_line_and_exit_code_2(tmp_path: Path, small: Path, run_in: RunIn) -> None:
    for number, case in enumerate(CASES):
        cwd = tmp_path / str(number)
        cwd.mkdir()
        case.prepare(cwd)
        before = tree(cwd)
        options = case.options.split()
        done = run_in(cwd, *options, *([] if "--data" in options else ["--data", str(small)]))
        assert_refused(done, case.says, case.name)
        assert tree(cwd) == before, case.name


def test_a_process_says_no_more(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "eval.py"), "--data", "nowhere"]
    done = subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True, timeout=120, check=False)
    assert_refused(Done(done.returncode, done.stdout, done.stderr), ("nowhere", "no such folder"), "process")


@pytest.fixture
def finished(tmp_path: Path, small: Path, run_in: RunIn) -> Path:
    """A working directory with a finished run of two queries."""
    shutil.copytree(small, tmp_path / "bench")
    done = run_in(tmp_path, *RUN)
    assert done.code == 0, done.err
    return tmp_path


RUN = ("--data", "bench", "--lang", "en", "--limit", "2", "--out", "runs/one")


def test_a_run_of_another_configuration_is_left_as_it_is(finished: Path, run_in: RunIn) -> None:
    cases: list[tuple[str, str, str]] = [
        ("top_k: 5\n", "", "system.top_k: 100 then, 5 now"),
        ("reranker: lexical\n", "", "system.reranker.kind: 'none' then, 'lexical' now"),
        ("seed: 1\n", "", "system.seed: 0 then, 1 now"),
        ("sampling: {top_p: 0.5}\n", "--no-judge", "system.sampling.top_p: None then, 0.5 now"),
        ("name: other\n", "--data up", "data: '"),
    ]
    upstream(json.dumps(UPSTREAM_ROWS))(finished)
    for config, options, difference in cases:
        file("c.yaml", config)(finished)
        before = tree(finished)
        done = run_in(finished, "c.yaml", *RUN, *options.split())
        says = ("runs/one/config.json", "another configuration", difference, "--out", "--fresh")
        assert_refused(done, says, config)
        assert tree(finished) == before, config


def test_a_damaged_run_is_named_and_kept(finished: Path, run_in: RunIn) -> None:
    cases: list[tuple[str, str, str]] = [
        ("answers.jsonl", '{"query_id": "q1"}\n', "answers.jsonl:3: not a row of this file"),
        ("verdicts.jsonl", "nonsense\n", "verdicts.jsonl:3: not valid JSON"),
    ]
    for name, text, says in cases:
        path = finished / "runs/one" / name
        whole = path.read_text(encoding="utf-8")
        path.write_text(whole + text, encoding="utf-8")
        before = tree(finished)
        assert_refused(run_in(finished, *RUN), (says,), name)
        assert tree(finished) == before, name
        path.write_text(whole, encoding="utf-8")
