"""Faults planted in a system that answers the sample: each is named, in its language, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import ReversingReranker
from ragaliq import Chatbot, Hit, Query, Reading, RunConfig, evaluate, load_benchmark
from ragaliq.benchmark.load import Benchmark
from ragaliq.config import Component
from ragaliq.metrics.answers.waterfall import KNOWN
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.types import AnswerOutcome, LossStage

pytestmark = pytest.mark.slow

LANGS = ("en", "de", "fr", "es", "ru", "zh")
# So many queries of each language: six runs and six pairs of faults are twelve runs.
LIMIT = 60
# Fault → the stage that it is, and its language: in one language it stands apart, in all it is their main stage.
FAULTS = {
    "retriever drops ru": ("retriever", "ru"),
    "reranker inverts": ("reranker", "all"),
    "reader answers es in English": ("language", "es"),
    "knowledge base of zh lacks chunks": ("knowledge_base", "zh"),
    "context of 200 characters": ("context_cut", "all"),
}
DROPS, INVERTS, FOREIGN, LACKS, CUT = FAULTS
# A reranker that inverts, and a context of 200 characters, leave no gold for a later stage to lose.
PAIRS = [(DROPS, FOREIGN), (DROPS, LACKS), (FOREIGN, LACKS), (DROPS, INVERTS), (LACKS, INVERTS), (LACKS, CUT)]


class FaultyBot(Chatbot):
    """The embedded parts, with faults."""

    def __init__(self, config: RunConfig, faults: Iterable[str], benchmark: Benchmark) -> None:
        super().__init__(config, reranker=ReversingReranker() if INVERTS in faults else None)
        self._faults = set(faults)
        self._english = {item.query.query_id: item.reference for item in benchmark.items["en"]}

    def retrieve(self, query: Query | str, top_k: int | None = None) -> list[Hit]:
        assert isinstance(query, Query)
        return [] if DROPS in self._faults and query.lang == "ru" else super().retrieve(query, top_k)

    def read(self, query: Query, context: Sequence[Hit]) -> Any:
        if FOREIGN in self._faults and query.lang == "es":
            return Reading(self._english[query.query_id], AnswerOutcome.ANSWERED)
        return super().read(query, context)


def write_knowledge_bases(folder: Path, benchmark: Benchmark, lacking: str) -> str:
    """Write the corpora as plain texts, every second chunk of one language left out, and return their path."""
    for lang, chunks in benchmark.chunks.items():
        kept = [chunk.text for number, chunk in enumerate(chunks) if lang != lacking or number % 2]
        (folder / lang).mkdir(parents=True)
        (folder / lang / "handbook.md").write_text("\n\n".join(kept), encoding="utf-8")
    return str(folder / "{lang}")


def measured(faults: Iterable[str], folder: Path, sample: str) -> dict[str, Any]:
    """Return the waterfall of a run with these faults."""
    config = RunConfig(data=sample, retriever=Component("bm25"), check=Component("none"))
    benchmark = load_benchmark(sample)
    if CUT in faults:
        config = replace(config, context_chars=200)
    if LACKS in faults:
        texts = write_knowledge_bases(folder / "texts", benchmark, "zh")
        config = replace(config, knowledge_base=texts)
        benchmark = load_benchmark(sample, knowledge_base=texts)
    run = evaluate(FaultyBot(config, faults, benchmark), benchmark, folder / "run", RunOptions(limit=LIMIT))
    assert run is not None
    waterfall: dict[str, Any] = run.metrics["waterfall"]
    return waterfall


def named(waterfall: dict[str, Any]) -> dict[str, tuple[str, list[str]]]:
    """Return for each language its main stage, and the stages that stand apart."""
    return {lang: (waterfall[lang]["main"], [one["stage"] for one in waterfall[lang]["apart"]]) for lang in LANGS}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, sample: Path) -> dict[str, Any]:
    return measured((), tmp_path_factory.mktemp("sound"), str(sample))


def test_a_sound_system_has_no_stage_apart(sound: dict[str, Any]) -> None:
    assert all(apart == [] for _, apart in named(sound).values())
    assert all(sound[lang]["n"] == sound[lang]["n_expected"] == 52 for lang in LANGS)


@pytest.mark.parametrize("faults", [*((fault,) for fault in FAULTS), *PAIRS], ids=" and ".join)
def test_planted_faults_are_named_in_their_language(
    faults: tuple[str, ...], sound: dict[str, Any], sample: Path, tmp_path: Path
) -> None:
    waterfall = measured(faults, tmp_path, str(sample))
    for lang in (*LANGS, "all"):
        stages = waterfall[lang]["stages"]
        assert abs(sum(one["value"] for one in stages.values()) - waterfall[lang]["loss"]["value"]) < 1e-12
        known = [str(stage) for stage in KNOWN if stage is not LossStage.RERANKER or INVERTS in faults]
        assert list(stages) == known, "nothing is unknown, and there is a reranker only where one inverts"
    in_one = {FAULTS[fault][1]: FAULTS[fault][0] for fault in faults if FAULTS[fault][1] != "all"}
    in_all = [FAULTS[fault][0] for fault in faults if FAULTS[fault][1] == "all"]
    for lang, (main, apart) in named(waterfall).items():
        assert apart == ([in_one[lang]] if lang in in_one else []), f"{lang}: {apart}"
        if lang in in_one:
            assert main == in_one[lang]
        elif in_all:
            assert main == in_all[0]
            # The sound system has no reranker that could lose anything.
            usual = 0.0 if main == "reranker" else sound[lang]["stages"][main]["ci"][1]
            assert waterfall[lang]["stages"][main]["ci"][0] > usual, "more than in the sound system, beyond doubt"
