"""Every example in `cfg/` is loaded and planned, without a model, a server or a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.cli import main
from ragaliq.components import KINDS
from ragaliq.config import load_config

ROOT = Path(__file__).resolve().parents[2]
PRESETS = sorted((ROOT / "cfg").glob("*.yaml"))


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TOKEN", "JUDGE_API_LINK", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JUDGE_MODEL", "gpt-4o-mini")
    monkeypatch.chdir(ROOT)


@pytest.mark.slow
def test_every_preset_is_loaded_and_planned(small: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    before = sorted((ROOT / "results").rglob("*"))
    options = ["--data", str(small), "--lang", "en,ru", "--limit", "3", "--out", str(tmp_path / "r")]
    for path in PRESETS:
        config = load_config(path)
        assert main(["plan", str(path), *options]) == 0, path.stem
        rows = [line.split("|") for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
        reader = next(row for row in rows if row[1].strip() == "reader")
        assert [cell.strip() for cell in reader[2:5]] == [
            str(config.reader), "6", "6" if config.reader.kind == "openai" else "0",
        ], path.stem  # fmt: skip
    assert sorted((ROOT / "results").rglob("*")) == before and not list(tmp_path.iterdir())


def test_there_is_a_preset_for_each_kind() -> None:
    # Who checks matches nuggets and judges the context, too.
    keys = {stage: "check" if stage in ("nuggets", "context") else stage for stage in KINDS}
    shown = {stage: {getattr(load_config(path), key).kind for path in PRESETS} for stage, key in keys.items()}
    for stage, kinds in KINDS.items():
        # `sentence-transformers` and `transformers` differ in who pools, `char`, `dense` and `hybrid` in channels;
        # `gold` is an oracle; `lexical` is worth no preset, see docs/method.md.
        assert set(kinds) - shown[stage] <= {"char", "dense", "gold", "lexical"}, stage


def test_d11_the_reference_preset_has_the_constants_of_the_sources() -> None:
    config = load_config(ROOT / "cfg" / "reference.yaml")
    assert (config.chunking, config.top_k, config.context_k) == ("lines", 10, 6)
    assert config.sampling == {"max_tokens": 512, "temperature": 0.0, "top_p": 0.9, "logprobs": 5}
    assert (config.retriever.kind, config.embedder.model) == ("dense", "sentence-transformers/all-MiniLM-L6-v2")
    assert config.embedder.options["pooling"] == "mean"
    assert (config.reranker.kind, config.reranker.model) == ("cross-encoder", "BAAI/bge-reranker-base")
    assert {key: config.reranker.options[key] for key in ("calibration", "threshold", "keep")} == {
        "calibration": "none", "threshold": 0.1, "keep": 0,
    }  # fmt: skip
    assert config.reader.model == "google/gemma-2-2b-it" and config.judge.kind == "openai"
