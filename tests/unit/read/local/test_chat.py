"""Rendering prompts with the templates of real tokenizers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakes import hits
from models import CHAT_TEMPLATE, tiny_llama
from ragaliq.errors import ConfigError
from ragaliq.read.local.chat import ChatRenderer
from ragaliq.read.local.window import Window
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.types import Hit, Query

pytestmark = pytest.mark.hf
QUERY = Query("q", "de", "Wann?")
# Passes over a system message without a word.
DEAF_TEMPLATE = CHAT_TEMPLATE.replace("in messages %}", "in messages if message['role'] != 'system' %}")
BROKEN_TEMPLATE = "{{ raise_exception('no chat today') }}"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    def made(**options: Any) -> Any:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(tiny_llama(tmp_path_factory.mktemp("model"), **options))

    return made


@pytest.fixture
def prompt(tmp_path: Path) -> ReaderPrompt:
    file = tmp_path / "p.yaml"
    file.write_text("version: 1\nsystem: Sei kurz.\nuser: $context | $question\n", encoding="utf-8")
    return ReaderPrompt(str(file))


def shown(tokenizer: Any, prompt: ReaderPrompt, context: list[Hit], n_tokens: int = 2048) -> tuple[str, str] | None:
    rendered = ChatRenderer(tokenizer, prompt, Window("m", n_tokens, 10), "m").render(QUERY, context)
    return None if rendered is None else (tokenizer.decode(rendered.ids), rendered.note)


def test_the_system_text_reaches_every_model(tokenizer: Callable[..., Any], prompt: ReaderPrompt) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "<|system|>Sei kurz.</s><|user|>[1] Ü船. | Wann?</s><|assistant|>"),
        # The template writes the first token itself; it stands there once.
        ({"system_role": False}, "<s><|user|>Sei kurz.\n\n[1] Ü船. | Wann?</s><|assistant|>"),
        ({"chat_template": DEAF_TEMPLATE}, "<|user|>Sei kurz.\n\n[1] Ü船. | Wann?</s><|assistant|>"),
        ({"chat_template": None}, "<s>Sei kurz.\n\n[1] Ü船. | Wann?\n\n"),
    ]
    for options, text in cases:
        assert shown(tokenizer(**options), prompt, hits("Ü船.")) == (text, ""), text


def test_a_template_that_refuses_everything_is_told(tokenizer: Callable[..., Any], prompt: ReaderPrompt) -> None:
    with pytest.raises(ConfigError, match=r"^m: its chat template cannot be rendered \(no chat today\)$"):
        ChatRenderer(tokenizer(chat_template=BROKEN_TEMPLATE), prompt, Window("m", 99, 1), "m")


def test_the_lowest_ranked_chunks_are_left_out_wherever_they_stand(
    tokenizer: Callable[..., Any], prompt: ReaderPrompt
) -> None:
    model = tokenizer()
    first, second, third = hits("Eins.", "Zwei.", "Drei.")
    context = [third, first, second]
    whole = "<|system|>Sei kurz.</s><|user|>[1] Drei.\n\n[2] Eins.\n\n[3] Zwei. | Wann?</s><|assistant|>"
    two = "<|system|>Sei kurz.</s><|user|>[1] Eins.\n\n[2] Zwei. | Wann?</s><|assistant|>"
    none = "<|system|>Sei kurz.</s><|user|>| Wann?</s><|assistant|>"
    n_whole, n_two, n_none = (len(model(text, add_special_tokens=False)["input_ids"]) for text in (whole, two, none))
    # 10 of the window's tokens are the answer's.
    assert shown(model, prompt, context, n_whole + 10) == (whole, "")
    for n_tokens in (n_whole + 9, n_two + 10):
        note = f"1 of 3 chunks left out: the prompt is longer than the {n_tokens} tokens of m"
        assert shown(model, prompt, context, n_tokens) == (two, note)
    note = f"3 of 3 chunks left out: the prompt is longer than the {n_none + 10} tokens of m"
    assert shown(model, prompt, context, n_none + 10) == (none, note)
    assert shown(model, prompt, context, n_none + 9) is None
