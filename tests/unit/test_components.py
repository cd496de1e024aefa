"""A component by its kind: made, or refused with a hint."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from fakes import FixedReader, ListRetriever, hits
from ragaliq.components import KINDS, METHODS, make
from ragaliq.config import Component
from ragaliq.errors import ConfigError
from ragaliq.llm import CallOptions, LLMSession
from ragaliq.types import Query

QUERY = Query("q1", "en", "blue")
EMBEDDED = [
    ("embedder", "use-multilingual"), ("embedder", "char-ngrams"),
    ("retriever", "hybrid"), ("retriever", "bm25"), ("retriever", "char"),
    ("retriever", "dense"), ("retriever", "none"), ("reranker", "lexical"), ("reranker", "none"),
    ("reader", "extractive"), ("judge", "offline"),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "kind"), EMBEDDED)
def test_every_kind_that_needs_no_model_and_no_key_can_be_made(stage: str, kind: str) -> None:
    embedder = make("embedder", Component("char-ngrams"))
    made = make(stage, Component(kind), seed=0, sampling={}, index_dir=None, embedder=embedder)
    assert callable(getattr(made, METHODS[stage]))


@pytest.mark.parametrize(
    ("stage", "component", "message"),
    [
        ("reader", Component("extractiv"), "unknown kind 'extractiv'; did you mean 'extractive'?"),
        ("judge", Component("xyz"), "judge 'xyz': unknown kind 'xyz'; known: offline, openai"),
        ("reranker", Component("lexical", "", {"wieght": 1}), "unknown option 'wieght'; did you mean 'weight'?"),
        ("reranker", Component("none", "", {"weight": 1}), "unknown option 'weight'; it has no options"),
        ("reranker", Component("lexical", "big"), "kind 'lexical' takes no model; write 'lexical'"),
        ("reader", Component("python", "fakes"), "write python:package.module:object"),
        ("reader", Component("python", ":FixedReader"), "write python:package.module:object"),
        ("reader", Component("python", "no_such_module:x"), "ModuleNotFoundError: "),
        ("reader", Component("python", "fakes:Nobody"), "AttributeError: "),
        ("reader", Component("python", "fakes:ListRetriever"), "the object has no method 'read'"),
        ("reader", Component("python", "fakes:Scripted"), "the object has no method 'read'"),
        ("reader", Component("python", "fakes:ChatServer"), "option 'link' is needed"),
        (
            "judge",
            Component("openai", "m", {"extra_boby": {}}),
            "unknown option 'extra_boby'; did you mean 'extra_body'?",
        ),
        ("judge", Component("openai", "m", {"headers_from_env": {"X": "sk-1"}}), "must be of type str, not dict"),
        ("judge", Component("openai", "m", {"options": {}}), "unknown option 'options'"),
        ("judge", Component("openai", "m", {"extra_body": 3}), "option 'extra_body' must be a mapping of names"),
        ("judge", Component("openai", "m", {"extra_body": {"n": 3}}), "option 'extra_body': 'n' cannot be set here"),
        ("judge", Component("openai", "m", {"timeout_s": "x"}), "option 'timeout_s' must be of type float, not 'x'"),
        (
            "reader",
            Component("python", "fakes:FixedReader", {"say": "x"}),
            "unknown option 'say'; did you mean 'says'?",
        ),
    ],
)
def test_what_cannot_be_made_says_why(stage: str, component: Component, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make(stage, component)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{stage} '{component}': ")


@pytest.mark.parametrize(("weight", "best"), [(0.0, "d1"), (2.0, "d2")])
def test_options_reach_the_constructor(weight: float, best: str) -> None:
    # d1 has the whole score 1.0, d2 the half and all terms of the question: 1.0 against .5 + weight.
    reranker = make("reranker", Component("lexical", "", {"weight": weight}))
    ranked = reranker.rerank(QUERY, hits("red", "blue", scores=[2.0, 1.0]))
    assert ranked[0].chunk.doc_id == best


def test_the_options_of_a_call_are_given_beside_the_others() -> None:
    calls = {"extra_body": {"top_k": 3}, "timeout_s": 5, "headers_from_env": ""}
    judge = make("judge", Component("openai", "m", {"temperature": 0.5, **calls}), session=LLMSession(planned=True))
    assert judge.name.startswith("openai:m+") and judge.name.endswith("@0.5")
    assert judge.client.options == CallOptions(timeout_s=5, extra_body={"top_k": 3})


def test_any_class_or_object_with_the_method_fits() -> None:
    made = make("reader", Component("python", "fakes:FixedReader", {"says": "hello"}), seed=1, sampling={})
    assert isinstance(made, FixedReader)
    assert made.read(QUERY, []) == "hello"
    assert make("retriever", Component("python", "fakes:ListRetriever"), embedder=None).retrieve(QUERY, 5) == []
    assert ListRetriever().retrieve(QUERY, 5) == []


def test_the_context_cannot_be_set_as_an_option() -> None:
    with pytest.raises(ConfigError, match="unknown option 'says'"):
        make("reader", Component("python", "fakes:FixedReader", {"says": "x"}), says="y")


@pytest.mark.parametrize(("stage", "kind"), [(stage, kind) for stage in KINDS for kind in KINDS[stage]])
def test_every_kind_names_a_class_that_has_the_method(stage: str, kind: str) -> None:
    module, _, name = KINDS[stage][kind].partition(":")
    assert callable(getattr(getattr(import_module(module), name), METHODS[stage]))


@pytest.mark.parametrize("model", [".x:y", "builtins:dict", "broken_module:Thing", "no.such.module:Thing"])
def test_an_object_that_cannot_be_made_is_one_line(model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "broken_module.py").write_text("def broken(:\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigError, match="reader 'python:"):
        make("reader", Component("python", model))


def test_an_option_of_the_wrong_type_is_refused() -> None:
    with pytest.raises(ConfigError, match="option 'weight' must be of type float, not 'abc'"):
        make("reranker", Component("lexical", "", {"weight": "abc"}))
