"""A chatbot of one's own: what it overrides counts in `answer()` and in a run."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragaliq import Chatbot, Query, evaluate, load_benchmark
from ragaliq.cli import main
from ragaliq.config import Component, RunConfig
from ragaliq.errors import ConfigError, InputError, Stopped
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.runs.folder import RunFolder
from ragaliq.types import Answer

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = (ROOT / "docs" / "config.md").read_text(encoding="utf-8").split("## A Chatbot of your own")[1]

# Stage → the body of a class, plain or coroutine; each leaves a mark of its own on the answer.
STAGES = {
    "embed": """
    def embed(self, texts, side):
        return [[1.0, 0.0] if "{word}" in text or side == "query" else [0.0, 1.0] for text in texts]
""",
    "async embed": """
    async def embed(self, texts, side):
        return [[2.0, 0.0] if "{word}" in text or side == "query" else [0.0, 3.0] for text in texts]
""",
    "retrieve": """
    def retrieve(self, query, top_k=None):
        return [hit for hit in super().retrieve(query, top_k) if "{word}" in hit.chunk.text][:1]
""",
    "async retrieve": """
    async def retrieve(self, query, top_k=None):
        return [hit for hit in super().retrieve(query, top_k) if "{word}" in hit.chunk.text][:1]
""",
    "rerank": """
    def rerank(self, query, hits):
        return sorted(super().rerank(query, hits), key=lambda hit: "{word}" not in hit.chunk.text)
""",
    "async rerank": """
    async def rerank(self, query, hits):
        return sorted(hits, key=lambda hit: "{word}" not in hit.chunk.text)
""",
    "read": """
    def read(self, query, context):
        return "{word}: " + super().read(query, context).text
""",
    "async read": """
    async def read(self, query, context):
        return "{word}: " + context[0].chunk.text
""",
    "answer": """
    def answer(self, query):
        from dataclasses import replace
        answer = super().answer(query)
        return replace(answer, text="{word}: " + answer.text)
""",
    "async answer": """
    async def answer(self, query):
        return "{word}: " + self.retrieve(query, 1)[0].chunk.text
""",
}


@pytest.fixture
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("my_"):
            del sys.modules[name]
    importlib.invalidate_caches()


def rows(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def write_bot(body: str, word: str, name: str = "my_bot") -> None:
    head = "from ragaliq import Chatbot\n\nclass Bot(Chatbot):\n    def __init__(self):\n"
    retriever = "dense" if "def embed" in body else "char"
    config = f"        super().__init__({{'retriever': '{retriever}', 'embedder': 'char-ngrams'}})\n"
    Path(f"{name}.py").write_text(f"{head}{config}{body.replace('{word}', word)}\n\nbot = Bot()\n", encoding="utf-8")
    importlib.invalidate_caches()


@pytest.mark.parametrize("stage", STAGES)
def test_what_a_stage_of_ones_own_does_counts_in_a_run_and_in_answer(stage: str, small: Path, cwd: Path) -> None:
    chunks = load_benchmark(small, ["en"]).chunks["en"]
    word = chunks[-1].text.split()[1]
    write_bot(STAGES[stage], word)
    options = ["--data", str(small), "--lang", "en", "--limit", "2", "--out", "r", "--check", "none"]
    assert main(["run", "python:my_bot:bot", *options]) == 0
    bot = importlib.import_module("my_bot").bot.index(chunks)
    name = stage.split()[-1]
    for row in rows("r/answers.jsonl"):
        answer = bot.answer(Query(row["query_id"], "en", row["question"]))
        if isinstance(answer, Answer):
            assert (answer.text, str(answer.outcome)) == (row["answer"], row["outcome"])
            assert [hit.chunk.doc_id for hit in answer.context] == [hit["doc_id"] for hit in row["context"]]
        else:
            assert asyncio.run(answer) == row["answer"]
        if name in ("read", "answer"):
            assert row["answer"].startswith(f"{word}: ")
        else:
            assert word in row["context"][0]["text"]
    system = RunFolder(Path("r")).config()["system"]
    part = {"embed": "embedder", "retrieve": "retriever", "rerank": "reranker"}.get(name, "reader")
    assert system["chatbot"] == "python:my_bot:bot"
    assert (system[part]["kind"], system[part]["model"]) == ("python", "my_bot:bot")


@pytest.mark.parametrize("stage", ["embed", "retrieve", "rerank", "read", "answer"])
def test_what_a_stage_raises_is_the_items_failure_with_a_traceback(
    stage: str, small: Path, cwd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = {"embed": "texts, side", "rerank": "query, hits", "read": "query, context", "answer": "query"}
    first = load_benchmark(small, ["en"]).items["en"][0].query.query_id
    condition = "side == 'query'" if stage == "embed" else f"query.query_id == '{first}'"
    body = f"""
    def {stage}(self, {arguments.get(stage, "query, top_k")}):
        if {condition}:
            raise ValueError("my bug")
        return super().{stage}({arguments.get(stage, "query, top_k")})
"""
    write_bot(body, "")
    options = ["--data", str(small), "--lang", "en", "--limit", "2", "--out", "r", "--check", "none"]
    assert main(["run", "python:my_bot:Bot", *options]) == 1
    outcomes = [(row["outcome"], row.get("error")) for row in rows("r/answers.jsonl")]
    assert outcomes[0] == ("error", "ValueError: my bug")
    assert stage == "embed" or outcomes[1][0] != "error"
    log = Path("r/errors.log").read_text(encoding="utf-8")
    assert 'raise ValueError("my bug")' in log and "my_bot.py" in log and log.count("Traceback") == 1
    assert "(traceback: r/errors.log)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("def retrieve(self, query, top_k):\n        return 'd1'", "retrieve: a list of Hits is wanted, not str 'd1'"),
        ("def rerank(self, query, hits):\n        return [1]", "rerank: a list of Hits is wanted, not list [1]"),
        ("def answer(self, query):\n        return 7", "answer: an Answer, a Reading or a text is wanted, not int 7"),
        ("def embed(self, texts, side):\n        return [1]", "embed: gave vectors of shape (1,)"),
    ],
)
def test_another_type_than_a_stage_returns_is_one_line_and_leaves_nothing(
    body: str, line: str, small: Path, cwd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_bot(f"    {body}", "")
    assert main(["run", "python:my_bot:bot", "--data", str(small), "--lang", "en", "--out", "r"]) == 2
    assert line in capsys.readouterr().err
    assert not Path("r").exists()


@pytest.mark.parametrize(
    "body",
    [
        """
    def rerank(self, query, hits):
        return [replace(hit, chunk=replace(hit.chunk, text=hit.chunk.text[:10])) for hit in hits]

    def read(self, query, context):
        if "BROKEN" in os.environ:
            raise ValueError("down")
        return f"Shown: {context[0].chunk.text}"
""",
        """
    def read(self, query, context):
        if "BROKEN" in os.environ:
            raise ValueError("down")
        return f"Second hop: {self.retrieve(query, 1)[0].chunk.text}"
""",
    ],
    ids=["rerank cuts texts", "read retrieves"],
)
def test_a_resumed_run_answers_as_an_unbroken_one(
    body: str, small: Path, cwd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bot(body, "")
    source = Path("my_bot.py").read_text()
    Path("my_bot.py").write_text(f"import os\nfrom dataclasses import replace\n{source}")
    options = ["--data", str(small), "--lang", "en", "--limit", "2", "--check", "none", "--out"]
    assert main(["run", "python:my_bot:Bot", *options, "unbroken"]) == 0
    monkeypatch.setenv("BROKEN", "1")
    assert main(["run", "python:my_bot:Bot", *options, "r"]) == 1
    monkeypatch.delenv("BROKEN")
    assert main(["run", "python:my_bot:Bot", *options, "r"]) == 0
    assert Path("r/answers.jsonl").read_bytes() == Path("unbroken/answers.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("returns", "n"),
    [
        ("'Yes.'", 0),
        ("Reading('Yes.', AnswerOutcome.ANSWERED)", 0),
        ("Answer(query, 'Yes.', AnswerOutcome.ANSWERED, tuple(self.retrieve(query, 1)))", 2),
    ],
)
def test_an_answer_of_unknown_context_is_not_checked(
    returns: str, n: int, small: Path, cwd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_bot(f"    def answer(self, query):\n        return {returns}", "")
    Path("my_bot.py").write_text(f"from ragaliq.types import *\n{Path('my_bot.py').read_text()}")
    options = ["--data", str(small), "--lang", "en", "--limit", "2", "--out", "r"]
    for _ in range(2):
        assert main(["run", "python:my_bot:bot", *options]) == 0
        grounded = json.loads(Path("r/metrics.json").read_text())["groundedness"]["en"]
        assert (grounded["n"], grounded["n_expected"], grounded["coverage"]) == (n, 2, n / 2)
        assert (grounded["supported"]["value"] is None) == (n == 0)
        checks = rows("r/checks.jsonl")
        assert [row["outcome"] for row in checks] == (["scored"] * 2 if n else ["no_contexts"] * 2)
        assert [row.get("context_known", True) for row in rows("r/answers.jsonl")] == [n > 0] * 2
        Path("r/metrics.json").unlink()
    assert main(["check", "r"]) == (0 if n else 1)
    said = capsys.readouterr().err
    assert " failed" not in said
    assert ("2 answers no_contexts; nobody knows what the reader saw" in said) == (n == 0)
    assert "asks again" not in said
    # The stages are the bot's, not those of the configuration that it leaves aside.
    system = RunFolder(Path("r")).config()["system"]
    assert {system[part]["model"] for part in ("embedder", "retriever", "reranker", "reader")} == {"my_bot:bot"}


def test_another_bot_is_another_run_and_another_source_is_noted(
    small: Path, cwd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_bot("    def read(self, query, context):\n        return 'One.'", "")
    write_bot("    def read(self, query, context):\n        return 'Two.'", "", "my_other")
    options = ["--data", str(small), "--lang", "en", "--out", "r", "--check", "none", "--limit"]
    assert main(["run", "python:my_bot:bot", *options, "1"]) == 0
    capsys.readouterr()
    assert main(["run", "python:my_other:bot", *options, "2"]) == 2
    assert "another configuration" in capsys.readouterr().err
    del sys.modules["my_bot"]
    Path("my_bot.py").write_text(Path("my_bot.py").read_text().replace("One.", "More."))
    importlib.invalidate_caches()
    assert main(["run", "python:my_bot:bot", *options, "2"]) == 0
    assert "the chatbot's source has changed since r began" in capsys.readouterr().err
    assert [row["answer"] for row in rows("r/answers.jsonl")] == ["One.", "More."]


def test_a_plan_knows_a_chatbot(small: Path, cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bot("    def read(self, query, context):\n        return 'One.'", "")
    assert main(["plan", "python:my_bot:bot", "--data", str(small), "--lang", "en"]) == 0
    assert "| python:my_bot:bot |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "options", "line"),
    [
        ("bot = 7", [], "python:my_bot:bot: is of type int, not a Chatbot"),
        ("class bot: pass", [], "python:my_bot:bot: is a class, not a Chatbot"),
        ("", [], "check module and object"),
        (
            "from ragaliq import Chatbot\nclass bot(Chatbot):\n    def __init__(self, k): ...",
            [],
            "it is called without arguments",
        ),
        (
            "from ragaliq import Chatbot\nclass bot(Chatbot):\n    def __init__(self): ...",
            [],
            "its __init__ does not call super().__init__()",
        ),
        (
            "from ragaliq import Chatbot as bot",
            ["--kb_lang", "de"],
            "--kb_lang: python:my_bot:bot brings its own parts",
        ),
    ],
)
def test_what_is_no_chatbot_is_refused(
    code: str, options: list[str], line: str, small: Path, cwd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("my_bot.py").write_text(code)
    assert main(["run", "python:my_bot:bot", "--data", str(small), *options]) == 2
    assert line in capsys.readouterr().err


def test_an_instance_a_class_a_dict_and_a_configuration_are_systems(small: Path, tmp_path: Path) -> None:
    benchmark, options = load_benchmark(str(small), ["de"]), RunOptions(limit=2)
    config = RunConfig(data=str(small), retriever=Component("bm25"), check=Component("none"))
    as_dict = {"data": str(small), "retriever": "bm25", "check": "none"}

    class Own(Chatbot):
        def __init__(self) -> None:
            super().__init__(as_dict)

    results: dict[str, bytes] = {}
    systems: dict[str, Any] = {"config": config, "dict": as_dict, "bot": Chatbot(config), "own": Own(), "class": Own}
    for name, system in systems.items():
        run = evaluate(system, benchmark, str(tmp_path / name), options)
        assert run is not None and list(run.to_frame().lang) == ["de", "de"]
        results[name] = (tmp_path / name / "answers.jsonl").read_bytes()
        assert ("chatbot" in run.config["system"]) == (name in ("own", "class"))
    assert len(set(results.values())) == 1
    # The run has closed its thread, not the chatbot's.
    bot = Chatbot(config)
    evaluate(bot, benchmark, tmp_path / "again")
    assert bot.answer(benchmark.items["de"][0].query).text

    given = evaluate(Chatbot(as_dict, reader=lambda question: "Ja."), benchmark, tmp_path / "given", options)
    assert given is not None and "<lambda>" in given.config["system"]["reader"]["model"]


@pytest.mark.parametrize("retriever", ["'bm25'", "{'kind': 'hybrid', 'channels': ['words', 'chars']}"])
def test_an_embed_that_no_retriever_calls_is_refused(
    retriever: str, small: Path, cwd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_bot(STAGES["embed"], "a")
    source = Path("my_bot.py").read_text().replace("'dense'", retriever)
    options = ["--data", str(small), "--lang", "en", "--limit", "1", "--out", "r", "--check", "none"]
    Path("my_bot.py").write_text(source)
    assert main(["run", "python:my_bot:Bot", *options]) == 2
    assert "ragaliq: embed: has no effect, since the retriever" in capsys.readouterr().err
    assert not Path("r").exists()
    # Another stage may call it.
    del sys.modules["my_bot"]
    Path("my_bot.py").write_text(source.replace("bot = Bot()", "") + STAGES["rerank"].replace("{word}", "a"))
    importlib.invalidate_caches()
    assert main(["run", "python:my_bot:Bot", *options]) == 0


def test_a_part_changed_in_place_stays_changed_in_a_run(small: Path, cwd: Path) -> None:
    body = """
        self.reader.tag = self.retriever.tag = self.reranker.tag = self.embedder.tag = "mine"
        self.kept = self.reader

    def read(self, query, context):
        return " ".join(getattr(part, "tag", "LOST") for part in (
            self.kept, self.reader, self.retriever, self.reranker, self.embedder))
"""
    write_bot(body, "")
    options = ["--data", str(small), "--lang", "en", "--limit", "1", "--out", "r", "--check", "none"]
    assert main(["run", "python:my_bot:bot", *options]) == 0
    assert [row["answer"] for row in rows("r/answers.jsonl")] == ["mine mine mine mine mine"]


def test_an_embedder_put_in_place_of_the_configurations_counts_in_a_run(small: Path, cwd: Path) -> None:
    class Fixed:
        n = 0

        def embed(self, texts: list[str], side: Any) -> list[list[float]]:
            self.n += 1
            return [[1.0, float(len(text))] for text in texts]

    bot = Chatbot({"retriever": "dense", "embedder": "char-ngrams", "data": str(small), "check": "none"})
    bot.embedder = Fixed()  # type: ignore[assignment]
    run = evaluate(bot, load_benchmark(small, ["en"]), cwd / "r", RunOptions(limit=1, index_dir=cwd / "index"))
    assert bot.embedder.n > 0 and run is not None  # type: ignore[union-attr]
    assert run.config["system"]["embedder"]["model"].endswith("Fixed")


def test_a_retriever_changed_in_place_keeps_its_vectors_in_the_runs_folder(small: Path, tmp_path: Path) -> None:
    def files(retriever: object, name: str) -> list[str]:
        bot = Chatbot({"retriever": retriever, "embedder": "char-ngrams", "data": str(small), "check": "none"})
        bot.retriever.tag = "mine"  # type: ignore[attr-defined]
        evaluate(bot, load_benchmark(small, ["en"]), tmp_path / name, RunOptions(limit=1, index_dir=tmp_path / "kept"))
        assert bot.retriever.tag == "mine"  # type: ignore[attr-defined]
        return sorted(path.name for path in (tmp_path / "kept").rglob("*") if path.is_file())

    kept = files("dense", "dense")
    assert kept
    for n, channels in enumerate((["words", "vectors"], ["words", "dense"])):
        assert files({"kind": "hybrid", "channels": channels}, f"hybrid{n}") == kept


def test_a_bot_that_was_stopped_goes_on(small: Path, tmp_path: Path) -> None:
    class Own(Chatbot):
        n = 0

        def read(self, query: Query, context: Any) -> str:
            self.n += 1
            if self.n == 2:
                self.session.signal.ask("enough")
            return f"Nummer {self.n}."

    bot = Own({"data": str(small), "retriever": "bm25", "check": "none"})
    benchmark = load_benchmark(small, ["de"])
    bot.session.concurrency = 1
    with pytest.raises(Stopped, match="enough"):
        evaluate(bot, benchmark, tmp_path)
    run = evaluate(bot, benchmark, tmp_path)
    assert run is not None and sorted(run.to_frame().answer) == [f"Nummer {n}." for n in range(1, 9)]


def test_a_wrong_type_at_the_door_says_what_is_wanted(small: Path, tmp_path: Path) -> None:
    benchmark: Any = load_benchmark(small, ["de"])
    with pytest.raises(ConfigError, match=r"a RunConfig, a dict, load_config\(path\) or a Chatbot is wanted, not 7"):
        evaluate(7, benchmark, tmp_path)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="config: unknown key 'reder'; did you mean 'reader'"):
        evaluate({"reder": "extractive"}, benchmark, tmp_path)
    with pytest.raises(ConfigError, match="config: 'top_k' must be of type int, not str"):
        Chatbot({"top_k": "3"})
    with pytest.raises(InputError, match=r"a benchmark as load_benchmark\(path\) returns it is wanted, not 'velmora'"):
        evaluate({}, "velmora", tmp_path)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="evaluate: out: a path is wanted, not None"):
        evaluate({}, benchmark, None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="options are a RunOptions, not 3"):
        evaluate({}, benchmark, tmp_path, 3)  # type: ignore[arg-type]
    for corpus in ("text", 7, [7]):
        with pytest.raises(InputError, match="index: a list of texts, or of Chunks"):
            Chatbot().index(corpus)  # type: ignore[arg-type]
    bot = Chatbot({"retriever": "bm25"}).index(["Das Tor ist rot.", "Das Dach ist blau."])
    assert bot.answer("Welche Farbe hat das Dach?").text == "Das Dach ist blau."
    with pytest.raises(InputError, match="a question is a text or a Query, not 7"):
        bot.answer(7)  # type: ignore[arg-type]


def test_the_example_of_the_documentation_runs(small: Path, cwd: Path) -> None:
    code = EXAMPLE.split("```python\n")[1].split("```")[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 12
    Path("my_bot.py").write_text(code, encoding="utf-8")
    command = EXAMPLE.split("```bash\n")[1].split("\n```")[0].split()
    assert command[:3] == ["ragaliq", "run", "python:my_bot:Bot"]
    assert main([*command[1:], "--data", str(small), "--limit", "2", "--out", "r"]) == 0
    assert all(row["answer"] for row in rows("r/answers.jsonl"))
