"""The reader on vLLM. vLLM needs a GPU, so a stand-in takes its place: the same calls, on a tiny random model."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from fakes import KeptTraces, hits
from models import tiny_llama
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import ConfigError
from ragaliq.llm import LLMSession
from ragaliq.local.causal.generation import row_seed
from ragaliq.read.local.transformers import TransformersReader
from ragaliq.read.local.vllm import VllmReader
from ragaliq.types import AnswerOutcome, Query

QUERIES = [Query("a", "de", "Wann?"), Query("b", "ru", "Когда судно выходит?"), Query("c", "zh", "补给船几点离开？")]
CONTEXTS = [hits("Um neun."), hits("В девять.", "Кухня закрыта."), []]


@dataclass
class SamplingParams:
    max_tokens: int
    temperature: float
    top_p: float
    top_k: int
    stop: list[str]
    seed: int
    logprobs: int | None


@dataclass
class Logprob:
    logprob: float
    decoded_token: str


class LLM:
    """Answers greedily, one prompt after the other; its window is `max_model_len`."""

    made: list[dict[str, Any]] = []  # noqa: RUF012
    asked: list[SamplingParams] = []  # noqa: RUF012
    end_token = -1

    def __init__(self, model: str, **options: Any) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        LLM.made.append({"model": model, **options})
        self._tokenizer = AutoTokenizer.from_pretrained(model)
        self._model = AutoModelForCausalLM.from_pretrained(model)
        length = options["max_model_len"] or 2048
        self.llm_engine = SimpleNamespace(model_config=SimpleNamespace(max_model_len=length))

    def get_tokenizer(self) -> Any:
        return self._tokenizer

    def generate(
        self, prompts: Sequence[dict[str, list[int]]], sampling_params: Sequence[SamplingParams], use_tqdm: bool
    ) -> list[Any]:
        assert not use_tqdm
        LLM.asked += sampling_params
        both = zip(prompts, sampling_params, strict=True)
        return [SimpleNamespace(outputs=[self._output(p["prompt_token_ids"], s)]) for p, s in both]

    def _output(self, prompt: list[int], sampling: SamplingParams) -> Any:
        import torch

        written: list[int] = []
        steps: list[dict[int, Logprob]] = []
        reason: tuple[str, str | None] = ("length", None)
        while len(written) < sampling.max_tokens and reason[0] == "length":
            with torch.inference_mode():
                scores = self._model(input_ids=torch.tensor([prompt + written])).logits[0, -1].log_softmax(-1)
            written.append(int(scores.argmax()))
            # One more than asked for, and the best one last, as no caller may rely on their order.
            best = scores.topk((sampling.logprobs or 0) + 1).indices.tolist()[::-1]
            steps.append({i: Logprob(float(scores[i]), str(self._tokenizer.decode([i]))) for i in best})
            found = [word for word in sampling.stop if word in self._tokenizer.decode(written)]
            if found:
                reason = ("stop", found[0])
            elif written[-1] == LLM.end_token:
                reason = ("stop", None)
        logprobs = steps if sampling.logprobs else None
        return SimpleNamespace(token_ids=written, finish_reason=reason[0], stop_reason=reason[1], logprobs=logprobs)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[LLM]]:
    module = ModuleType("vllm")
    module.__spec__ = ModuleSpec("vllm", None)
    module.LLM, module.SamplingParams = LLM, SamplingParams  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", module)
    LLM.made, LLM.asked, LLM.end_token = [], [], -1
    yield LLM


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_llama(tmp_path_factory.mktemp("llama"))


@pytest.mark.hf
def test_its_readings_are_those_of_the_other_local_reader(stand_in: type[LLM], folder: str) -> None:
    cases: list[dict[str, Any]] = [{}, {"logprobs": 3}, {"stop": "e"}, {"stop": ["补", "a"], "logprobs": 2}]
    for sampling in cases:
        chosen = {"max_tokens": 10, **sampling}
        found = VllmReader(folder, chosen).read_batch(QUERIES, CONTEXTS)
        expected = TransformersReader(folder, chosen, device="cpu").read_batch(QUERIES, CONTEXTS)
        for one, other in zip(found, expected, strict=True):
            assert (one.text, one.outcome, one.usage, one.error) == (
                other.text,
                other.outcome,
                other.usage,
                other.error,
            ), sampling
            assert [[choice.token for choice in step] for step in one.logprobs] == [
                [choice.token for choice in step] for step in other.logprobs
            ], sampling
            for step, same in zip(one.logprobs, other.logprobs, strict=True):
                assert [c.prob for c in step] == pytest.approx([c.prob for c in same], abs=1e-5), sampling


@pytest.mark.hf
def test_both_local_readers_leave_the_same_traces(stand_in: type[LLM], folder: str) -> None:
    traces = []
    long = Query("d", "en", "Why? " * 700)
    for kind, options in (("vllm", {}), ("transformers", {"device": "cpu"})):
        session = LLMSession()
        session.traces = kept = KeptTraces()
        made = make("reader", Component(kind, folder, options), sampling={"max_tokens": 4}, session=session, seed=7)
        readings = made.read_batch([*QUERIES, long], [*CONTEXTS, []])
        assert [(t.query_id, t.lang, t.raw_reply.strip(), t.usage) for t in kept] == [
            (query.query_id, query.lang, reading.text, reading.usage)
            for query, reading in zip(QUERIES, readings, strict=False)
        ], "a prompt that does not fit is no call"
        assert {(t.component, t.model, t.prompt_hash) for t in kept} == {("reader", folder, made.prompt_hash)}
        assert kept[0].parameters["seed"] == 7 and kept[0].finish_reason == "length"
        traces.append(kept)
    assert traces[0] == traces[1] and len({trace.request_hash for trace in traces[0]}) == len(QUERIES)


@pytest.mark.hf
def test_both_local_readers_know_their_model_s_tokens(stand_in: type[LLM], folder: str) -> None:
    tokens = [part(folder).tokens("Wann fährt das 船?") for part in (VllmReader, TransformersReader)]
    assert tokens[0] == tokens[1] and len(tokens[0]) > 4


@pytest.mark.hf
def test_an_end_token_is_counted_and_not_shown(stand_in: type[LLM], folder: str) -> None:
    whole = VllmReader(folder, {"max_tokens": 6, "logprobs": 1}).read(QUERIES[0], CONTEXTS[0])
    tokens = [step[0].token for step in whole.logprobs]
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    stand_in.end_token = tokenizer(tokens[3], add_special_tokens=False)["input_ids"][0]
    assert tokenizer.decode([stand_in.end_token]) == tokens[3] not in tokens[:3]
    found = VllmReader(folder, {"max_tokens": 6, "logprobs": 1}).read(QUERIES[0], CONTEXTS[0])
    assert (found.text, found.outcome) == ("".join(tokens[:3]).strip(), AnswerOutcome.ANSWERED)
    assert found.usage is not None and found.usage.completion_tokens == 4
    assert len(found.logprobs) == 3


@pytest.mark.hf
def test_options_and_sampling_are_handed_over(stand_in: type[LLM], folder: str) -> None:
    sampling = {"max_tokens": 2, "temperature": 0.5, "top_p": 0.9, "top_k": 7, "stop": "x", "logprobs": 2}
    made = VllmReader(folder, sampling, dtype="float32", max_model_len=900, trust_remote_code=True, seed=4)
    made.read_batch(QUERIES[:2], CONTEXTS[:2])
    made.read(QUERIES[2], CONTEXTS[2])
    options = {"dtype": "float32", "gpu_memory_utilization": 0.85, "max_model_len": 900, "revision": None}
    assert stand_in.made == [{"model": folder, "trust_remote_code": True, **options}]
    first = stand_in.asked[0]
    assert (first.max_tokens, first.temperature, first.top_p, first.top_k) == (2, 0.5, 0.9, 7)
    assert (first.stop, first.logprobs) == (["x"], 2)
    # Each prompt has a seed of its own, whatever it is handed over with.
    seeds = [one.seed for one in stand_in.asked]
    assert len(set(seeds)) == 3
    made.read_batch(QUERIES[::-1], CONTEXTS[::-1])
    assert [one.seed for one in stand_in.asked[3:]] == seeds[::-1]
    VllmReader(folder, {"max_tokens": 2}).read(QUERIES[0], [])
    assert (stand_in.asked[-1].top_k, stand_in.asked[-1].logprobs) == (-1, None)
    assert not stand_in.made[-1]["trust_remote_code"]


def test_the_seed_of_a_prompt_depends_on_all_of_it() -> None:
    assert row_seed(1, [12, 3]) == row_seed(1, [12, 3])
    assert len({row_seed(1, [12, 3]), row_seed(2, [12, 3]), row_seed(1, [1, 23]), row_seed(11, [2, 3])}) == 4
    assert row_seed(1, [12, 3]) < 2**56


@pytest.mark.hf
def test_what_does_not_fit_is_left_out_and_told(stand_in: type[LLM], folder: str) -> None:
    reader = VllmReader(folder, {"max_tokens": 5}, max_model_len=320)
    context = hits(*[f"Text {number} of some length." for number in range(30)])
    long = Query("q", "en", "Why? " * 200)
    found = reader.read_batch([long, Query("r", "en", "Why?")], [[], context])
    assert (found[0].outcome, found[0].text) == (AnswerOutcome.ERROR, "")
    assert found[0].error == f"the prompt is longer than the 320 tokens of {folder}, even without documents"
    assert "of 30 chunks left out: the prompt is longer than the 320 tokens" in found[1].error
    assert found[1].usage is not None and found[1].usage.prompt_tokens <= 315
    assert reader.read_batch([long], [[]])[0].outcome is AnswerOutcome.ERROR


@pytest.mark.hf
def test_a_model_that_cannot_be_loaded_is_told_in_one_line(stand_in: type[LLM], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=rf"^reader 'vllm:{tmp_path}': cannot be loaded \(") as caught:
        VllmReader(str(tmp_path)).read(QUERIES[0], [])
    assert "\n" not in str(caught.value)


def test_without_vllm_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragaliq.local.causal.engine.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"^reader 'vllm:m': needs vllm: pip install vllm$"):
        VllmReader("m")


def test_wrong_options_are_told_before_anything_is_loaded(stand_in: type[LLM]) -> None:
    with pytest.raises(ConfigError, match="'batch_size' must be at least 1"):
        VllmReader("m", batch_size=0)
    with pytest.raises(ConfigError, match="unknown parameter 'best_of'"):
        VllmReader("m", {"best_of": 2})
    with pytest.raises(ConfigError, match="name its model, as in vllm:MODEL"):
        VllmReader("")
