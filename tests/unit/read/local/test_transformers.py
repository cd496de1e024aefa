"""The reader with a model on this machine, on tiny models with random weights."""

from __future__ import annotations

import gc
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fakes import hits
from models import tiny_llama
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import ConfigError
from ragaliq.read.local.transformers import TransformersReader
from ragaliq.types import AnswerOutcome, Hit, Query, Reading

pytestmark = pytest.mark.hf

# Of very different lengths, so that a batch is padded.
ASKED = {
    "en": ("When does the supply boat leave?", ["The supply boat leaves at nine.", "Dogs must be kept on a lead."]),
    "de": ("Wann?", ["Das Versorgungsschiff verlässt den Hafen um neun."]),
    "fr": ("Quand le bateau de ravitaillement quitte-t-il le port ?", []),
    "es": ("¿Cuándo sale el barco?", ["El barco sale a las nueve."] * 3),
    "ru": ("Когда судно выходит из порта?", ["Судно снабжения выходит из порта в девять."]),
    "zh": ("补给船几点离开港口？", ["补给船九点离开港口。", "狗必须拴绳。"]),
}
QUERIES = [Query(f"q-{lang}", lang, question) for lang, (question, _) in ASKED.items()]
CONTEXTS: list[Sequence[Hit]] = [hits(*texts, lang=lang) for lang, (_, texts) in ASKED.items()]
GREEDY = {"max_tokens": 12}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(tiny_llama(tmp_path_factory.mktemp("llama")))


@pytest.fixture(scope="module")
def greedy(folder: Path) -> list[Reading]:
    return reader(folder, GREEDY).read_batch(QUERIES, CONTEXTS)


def reader(model: Path | str, sampling: dict[str, Any], **options: Any) -> TransformersReader:
    return TransformersReader(str(model), sampling, device="cpu", **options)


def texts(readings: Sequence[Reading]) -> list[str]:
    return [reading.text for reading in readings]


def settings(folder: Path, copy: Path, **changes: Any) -> Path:
    """A copy of a model with other generation settings."""
    shutil.copytree(folder, copy)
    file = copy / "generation_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    return copy


def by_hand(folder: Path, query: Query, context: Sequence[Hit], n_tokens: int) -> tuple[Any, list[int], list[Any]]:
    """The most probable tokens one by one, without batch, padding, cache or the library's generation."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from ragaliq.read.prompting import ReaderPrompt

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    messages = ReaderPrompt().messages(query, context)
    text = f"<|system|>{messages[0]['content']}</s><|user|>{messages[1]['content']}</s><|assistant|>"
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    written: list[int] = []
    probs = []
    for _ in range(n_tokens):
        with torch.inference_mode():
            scores = model(input_ids=torch.tensor([ids + written])).logits[0, -1]
        probs.append(scores.softmax(-1))
        written.append(int(scores.argmax()))
    assert tokenizer.eos_token_id not in written
    return tokenizer, written, probs


def test_each_answer_is_the_most_probable_one(folder: Path, greedy: list[Reading]) -> None:
    assert len(set(texts(greedy))) == len(QUERIES)
    for query, context, reading in zip(QUERIES, CONTEXTS, greedy, strict=True):
        tokenizer, written, _ = by_hand(folder, query, context, 12)
        assert reading.text == tokenizer.decode(written, skip_special_tokens=True).strip()
        assert reading.usage is not None and reading.usage.completion_tokens == 12
        assert reading.outcome is AnswerOutcome.TRUNCATED


def test_a_batch_gives_the_same_answers_as_one_by_one(folder: Path) -> None:
    cases: list[dict[str, Any]] = [{}, {"temperature": 0.7, "top_p": 0.9, "top_k": 40}]
    for sampling in cases:
        whole = reader(folder, {**GREEDY, **sampling}, batch_size=8).read_batch(QUERIES, CONTEXTS)
        single = reader(folder, {**GREEDY, **sampling})
        assert [single.read(query, context) for query, context in zip(QUERIES, CONTEXTS, strict=True)] == whole, (
            sampling
        )
        pairs = reader(folder, {**GREEDY, **sampling}, batch_size=2)
        assert pairs.read_batch(QUERIES[::-1], CONTEXTS[::-1]) == whole[::-1], sampling


def test_drawn_answers_depend_on_the_seed_alone(folder: Path, greedy: list[Reading]) -> None:
    def drawn(**options: Any) -> list[str]:
        return texts(reader(folder, {**GREEDY, "temperature": 1.0}, **options).read_batch(QUERIES, CONTEXTS))

    first = drawn(seed=1)
    assert drawn(seed=1) == first
    assert drawn(seed=2) != first
    assert texts(greedy) != first


def test_drawing_from_the_best_token_alone_is_greedy(folder: Path, greedy: list[Reading]) -> None:
    for narrow in ({"top_k": 1}, {"top_p": 0.0001}):
        found = reader(folder, {**GREEDY, "temperature": 2.0, **narrow}).read_batch(QUERIES, CONTEXTS)
        assert texts(found) == texts(greedy)


def test_rows_are_drawn_with_their_probabilities() -> None:
    import torch

    from ragaliq.local.causal.generation import RowSampling
    from ragaliq.local.causal.sampling import Sampling

    probs, n = torch.tensor([0.5, 0.3, 0.2]), 4000
    scores = probs.log().expand(n, 3)
    prompts = [[number] for number in range(n)]

    def shares(sampling: Sampling) -> list[float]:
        drawn = RowSampling(sampling, prompts, "cpu")(torch.zeros(n, 1, dtype=torch.long), scores).argmax(-1)
        return [float((drawn == token).float().mean()) for token in range(3)]

    # Four standard errors of a share of 4000 are at most 4 * sqrt(.25 / 4000) = .032.
    assert shares(Sampling(temperature=1.0)) == pytest.approx([0.5, 0.3, 0.2], abs=0.032)
    # Half the temperature squares the odds: 25 : 9 : 4.
    assert shares(Sampling(temperature=0.5)) == pytest.approx([25 / 38, 9 / 38, 4 / 38], abs=0.032)
    assert shares(Sampling(temperature=1.0, top_k=2)) == pytest.approx([0.5 / 0.8, 0.3 / 0.8, 0], abs=0.032)
    assert shares(Sampling(temperature=1.0, top_p=0.7)) == pytest.approx([0.5 / 0.8, 0.3 / 0.8, 0], abs=0.032)


def test_the_best_candidates_are_those_of_the_model(folder: Path) -> None:
    cases: list[float] = [0.0, 1.5]
    for temperature in cases:
        found = reader(folder, {"max_tokens": 3, "logprobs": 4, "temperature": temperature}).read_batch(
            QUERIES, CONTEXTS
        )
        for query, context, reading in zip(QUERIES, CONTEXTS, found, strict=True):
            tokenizer, _, probs = by_hand(folder, query, context, 1)
            best = probs[0].topk(4)
            assert [choice.token for choice in reading.logprobs[0]] == [tokenizer.decode([i]) for i in best.indices], (
                temperature
            )
            assert [choice.prob for choice in reading.logprobs[0]] == pytest.approx(best.values.tolist(), abs=1e-5), (
                temperature
            )
            assert [len(choices) for choices in reading.logprobs] == [4, 4, 4], temperature


def test_without_log_probabilities_there_are_none(greedy: list[Reading]) -> None:
    assert all(reading.logprobs == () for reading in greedy)


def test_an_end_token_ends_the_answer(folder: Path, tmp_path: Path) -> None:
    query, context = QUERIES[4], CONTEXTS[4]
    tokenizer, written, _ = by_hand(folder, query, context, 12)
    ending = settings(folder, tmp_path / "m", eos_token_id=[tokenizer.eos_token_id, written[5]])
    assert written.index(written[5]) == 5
    found = reader(ending, {**GREEDY, "logprobs": 2}).read(query, context)
    assert found.text == tokenizer.decode(written[:5], skip_special_tokens=True).strip()
    assert found.outcome is AnswerOutcome.ANSWERED
    assert found.usage is not None and found.usage.completion_tokens == 6
    assert len(found.logprobs) == 5
    # Beside others that go on, it is the same.
    assert reader(ending, {**GREEDY, "logprobs": 2}).read_batch(QUERIES, CONTEXTS)[4].text == found.text


def test_an_answer_of_nothing_is_empty(folder: Path, tmp_path: Path) -> None:
    tokenizer, written, _ = by_hand(folder, QUERIES[0], CONTEXTS[0], 1)
    silent = settings(folder, tmp_path / "m", eos_token_id=[tokenizer.eos_token_id, written[0]])
    found = reader(silent, GREEDY).read(QUERIES[0], CONTEXTS[0])
    assert (found.text, found.outcome) == ("", AnswerOutcome.EMPTY)


def test_a_stop_text_ends_the_answer_before_it(folder: Path, greedy: list[Reading]) -> None:
    stop = greedy[0].text[4:7]
    found = reader(folder, {**GREEDY, "stop": stop}).read_batch(QUERIES, CONTEXTS)
    assert found[0].text == greedy[0].text[: greedy[0].text.index(stop)].strip()
    assert found[0].outcome is AnswerOutcome.ANSWERED
    assert found[0].usage is not None and found[0].usage.completion_tokens < 12
    others = [n for n, reading in enumerate(greedy) if stop not in reading.text]
    assert [found[n] for n in others] == [greedy[n] for n in others]


def test_settings_that_come_with_the_model_do_not_decide(folder: Path, tmp_path: Path, greedy: list[Reading]) -> None:
    shipped = settings(folder, tmp_path / "m", repetition_penalty=9.0, do_sample=True, temperature=3.0, top_k=3)
    assert reader(shipped, GREEDY).read_batch(QUERIES, CONTEXTS) == greedy


def test_models_without_system_role_or_template_answer(tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [{"system_role": False}, {"chat_template": None}]
    for options in cases:
        model = tiny_llama(tmp_path, **options)
        found = reader(model, GREEDY).read_batch(QUERIES, CONTEXTS)
        assert [reading.outcome for reading in found] == [AnswerOutcome.TRUNCATED] * len(QUERIES), options


def test_what_does_not_fit_is_left_out_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = reader(tiny_llama(tmp_path, max_length=360), {"max_tokens": 5})
    context = hits(*[f"Text {number} of some length." for number in range(30)])
    long = Query("q", "en", "Why? " * 200)
    found = small.read_batch([QUERIES[0], long, QUERIES[0]], [context, context, context[:1]])
    assert [reading.outcome for reading in found] == [
        AnswerOutcome.TRUNCATED,
        AnswerOutcome.ERROR,
        AnswerOutcome.TRUNCATED,
    ]
    kept = next(n for n in range(30, -1, -1) if found[0].error.startswith(f"{30 - n} of 30 chunks left out: "))
    assert 1 < kept < 30
    assert found[0].text == small.read(QUERIES[0], context[:kept]).text
    assert found[0].usage is not None and found[0].usage.prompt_tokens <= 355
    assert found[1] == Reading(
        "", AnswerOutcome.ERROR, error=f"the prompt is longer than the 360 tokens of {tmp_path}, even without documents"
    )
    assert found[2].error == ""
    capsys.readouterr()
    del small
    gc.collect()
    # Once beside the batch of three, and read again.
    assert capsys.readouterr().err.startswith("note: 1 of 4 prompts were too long for the 360 tokens of")


def test_a_window_that_the_answer_would_fill_is_refused(tmp_path: Path) -> None:
    model = tiny_llama(tmp_path, max_length=64)
    with pytest.raises(ConfigError, match=r"max_tokens 64 fills the 64 tokens of "):
        reader(model, {"max_tokens": 64}).read(QUERIES[0], [])


def test_a_batch_too_large_for_the_memory_is_halved(
    folder: Path, greedy: list[Reading], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from transformers import LlamaForCausalLM

    sizes: list[int] = []
    generate = LlamaForCausalLM.generate

    def small_memory(self: Any, *args: Any, **inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 2 or inputs["input_ids"].shape[1] > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return generate(self, *args, **inputs)

    monkeypatch.setattr(LlamaForCausalLM, "generate", small_memory)
    most = 10_000
    assert reader(folder, GREEDY).read_batch(QUERIES, CONTEXTS) == greedy
    assert sizes == [6, 3, 1, 2, 3, 1, 2]
    usages = [reading.usage.prompt_tokens for reading in greedy if reading.usage]
    most = max(usages) - 1
    found = reader(folder, GREEDY).read_batch(QUERIES, CONTEXTS)
    at = usages.index(max(usages))
    assert found[at] == Reading("", AnswerOutcome.ERROR, error="the GPU's memory is too small for this prompt")
    assert found[:at] + found[at + 1 :] == greedy[:at] + greedy[at + 1 :]


def test_it_is_made_from_a_configuration(folder: Path, greedy: list[Reading]) -> None:
    options = {"device": "cpu", "dtype": "float32", "batch_size": 4, "prompt_language": "en"}
    component = Component("transformers", str(folder), options)
    made = make("reader", component, seed=3, sampling=GREEDY, index_dir=None)
    assert made.batch_size == 4
    assert made.prompt_hash != reader(folder, GREEDY).prompt_hash
    found = made.read_batch(QUERIES, CONTEXTS)
    assert found[0] == greedy[0]
    assert found[1] != greedy[1]


def test_no_queries_give_no_readings(folder: Path) -> None:
    assert reader(folder, GREEDY).read_batch([], []) == []


def test_wrong_options_are_told_before_anything_is_loaded() -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("", {}, "reader 'transformers': name its model, as in transformers:MODEL"),
        ("m", {"dtype": "bf16"}, "reader 'transformers:m': unknown dtype 'bf16'; did you mean 'bfloat16'?"),
        ("m", {"batch_size": 0}, "reader 'transformers:m': option 'batch_size' must be at least 1, not 0"),
        ("m", {"sampling": {"n": 2}}, "sampling: unknown parameter 'n'"),
    ]
    for model, options, message in cases:
        with pytest.raises(ConfigError) as caught:
            TransformersReader(model, **options)
        assert str(caught.value).startswith(message), model


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragaliq.local.causal.engine.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"reader 'transformers:m': needs torch: pip install torch"):
        TransformersReader("m")


def test_a_model_that_cannot_be_loaded_is_told_in_one_line(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=rf"^reader 'transformers:{tmp_path}/no': cannot be loaded \(") as caught:
        reader(tmp_path / "no", GREEDY).read(QUERIES[0], [])
    assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match=r"cannot be loaded \(.+\); "):
        TransformersReader(str(folder), device="warp").read(QUERIES[0], [])
    torn = shutil.copytree(folder, tmp_path / "torn")
    (torn / "model.safetensors").write_bytes(b"torn")
    with pytest.raises(ConfigError, match="cannot be loaded"):
        reader(torn, GREEDY).read(QUERIES[0], [])


def test_code_that_comes_with_a_model_is_not_run_unasked(folder: Path, tmp_path: Path) -> None:
    foreign = shutil.copytree(folder, tmp_path / "m")
    file = foreign / "config.json"
    changes = {"model_type": "mine", "auto_map": {"AutoConfig": "code.C", "AutoModelForCausalLM": "code.M"}}
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    (foreign / "code.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    with pytest.raises(ConfigError, match=r"trust_remote_code: true to run it$"):
        reader(foreign, GREEDY).read(QUERIES[0], [])
    assert not (tmp_path / "ran").exists()


@pytest.mark.gpu
def test_on_a_gpu_the_answers_are_those_of_the_processor(folder: Path, greedy: list[Reading]) -> None:
    found = TransformersReader(str(folder), GREEDY, device="cuda", dtype="float32").read_batch(QUERIES, CONTEXTS)
    assert found == greedy
