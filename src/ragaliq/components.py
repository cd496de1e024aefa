"""The kinds of components by name, and how one is made.

A component's kind is looked up in one literal table; its module is imported only then. `python:package.module:object`
takes any object, or any class without required arguments, that has the stage's one method.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from typing import Any

from ragaliq.config import Component
from ragaliq.errors import ConfigError, listed, nearest

KINDS: dict[str, dict[str, str]] = {
    "embedder": {"char-ngrams": "ragaliq.retrieve.char_ngrams:CharNgramEmbedder"},
    "retriever": {
        "hybrid": "ragaliq.retrieve.hybrid:HybridRetriever",
        "bm25": "ragaliq.retrieve.hybrid:Bm25Retriever",
        "dense": "ragaliq.retrieve.hybrid:DenseRetriever",
    },
    "reranker": {"lexical": "ragaliq.rerank.lexical:LexicalReranker", "none": "ragaliq.rerank.none:NoReranker"},
    "reader": {"extractive": "ragaliq.read.extractive:ExtractiveReader", "openai": "ragaliq.read.openai:OpenAIReader"},
    "judge": {"offline": "ragaliq.judge.offline:OfflineJudge", "openai": "ragaliq.judge.openai:OpenAIJudge"},
}
# Named in the interface, built in a later version: the message says so instead of "unknown".
PLANNED: dict[str, tuple[str, ...]] = {
    "embedder": ("sentence-transformers", "transformers", "openai"),
    "retriever": ("char", "sparse"),
    "reranker": ("cross-encoder", "llm"),
    "reader": ("transformers", "vllm", "http"),
    "judge": (),
}
# What a value in YAML may be for a parameter of a simple type.
_SIMPLE: dict[object, tuple[type, ...]] = {int: (int,), float: (int, float), str: (str,), bool: (bool,)}
METHODS = {"embedder": "embed", "retriever": "retrieve", "reranker": "rerank", "reader": "read", "judge": "grade"}


def make(stage: str, component: Component, **context: Any) -> Any:
    """Return the object that a component names.

    Args:
        stage: one of `embedder, retriever, reranker, reader, judge`.
        component: kind, model and options.
        context: values offered to the constructor (`seed`, `sampling`, …); it gets those that it has parameters for.

    Raises:
        ConfigError: if the kind, the model or an option is unknown, or the object lacks the stage's method.
    """
    made = _import_object(stage, component) if component.kind == "python" else _import_kind(stage, component)
    if inspect.isclass(made):
        made = made(**_arguments(stage, component, made, context))
    if not callable(getattr(made, METHODS[stage], None)):
        raise ConfigError(f"{stage} '{component}': the object has no method '{METHODS[stage]}'")
    return made


def _import_kind(stage: str, component: Component) -> Any:
    known = KINDS[stage]
    if component.kind in PLANNED[stage]:
        raise ConfigError(f"{stage} '{component}': kind '{component.kind}' comes with a later version; {listed(known)}")
    if component.kind not in known:
        raise ConfigError(f"{stage} '{component}': unknown kind '{component.kind}'; {nearest(component.kind, known)}")
    module, _, name = known[component.kind].partition(":")
    return getattr(importlib.import_module(module), name)


def _import_object(stage: str, component: Component) -> Any:
    module_name, _, path = component.model.partition(":")
    if not module_name or not path:
        raise ConfigError(f"{stage} '{component}': write python:package.module:object")
    # As with `python -m`, a module in the working directory can be named.
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(module_name)
        for name in path.split("."):
            found = getattr(found, name)
    except Exception as error:  # The module is the user's own; whatever its import raises is told.
        raise ConfigError(f"{stage} '{component}': {type(error).__name__}: {error}; check module and object") from None
    return found


def _arguments(stage: str, component: Component, made: type, context: dict[str, Any]) -> dict[str, Any]:
    """Match model, options and context with the parameters of the constructor."""
    try:
        signature = inspect.signature(made, eval_str=True)
    except (NameError, TypeError, ValueError) as error:
        raise ConfigError(f"{stage} '{component}': its constructor cannot be read ({error})") from None
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = {name: p for name, p in signature.parameters.items() if p.kind not in variable}
    arguments = {key: value for key, value in context.items() if key in parameters}
    for key, value in component.options.items():
        if key not in parameters or key in context or key == "model":
            offered = [name for name in parameters if name not in context and name != "model"]
            hint = nearest(key, offered) if offered else "it has no options"
            raise ConfigError(f"{stage} '{component}': unknown option '{key}'; {hint}")
        expected = parameters[key].annotation
        if expected in _SIMPLE and not isinstance(value, _SIMPLE[expected]):
            needed = expected.__name__
            raise ConfigError(f"{stage} '{component}': option '{key}' must be of type {needed}, not {value!r}")
        arguments[key] = value
    if "model" in parameters:
        if component.model or parameters["model"].default is inspect.Parameter.empty:
            arguments["model"] = component.model
    elif component.model and component.kind != "python":
        raise ConfigError(f"{stage} '{component}': kind '{component.kind}' takes no model; write '{component.kind}'")
    missing = [n for n, p in parameters.items() if p.default is inspect.Parameter.empty and n not in arguments]
    if missing:
        raise ConfigError(f"{stage} '{component}': option '{missing[0]}' is needed")
    return arguments
