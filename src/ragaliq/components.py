"""The kinds of components by name, and how one is made; its module is imported only then.

An option goes to the constructor's parameter of its name, or into the record that it takes as `options`.
`python:package.module:object` takes any object, or any class without required arguments, that has the stage's method.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from operator import attrgetter
from types import NoneType
from typing import Any, TypeVar, get_type_hints

from ragaliq.config import Component
from ragaliq.errors import ConfigError, RagaliqError, nearest
from ragaliq.storage.redaction import error_line

Options = TypeVar("Options")
KINDS: dict[str, dict[str, str]] = {
    "embedder": {
        "char-ngrams": "ragaliq.retrieve.embed.char_ngrams:CharNgramEmbedder",
        "openai": "ragaliq.retrieve.embed.openai:OpenAIEmbedder",
        "sentence-transformers": "ragaliq.retrieve.embed.sentence_transformers:SentenceTransformersEmbedder",
        "transformers": "ragaliq.retrieve.embed.sentence_transformers:TransformersEmbedder",
        "use-multilingual": "ragaliq.retrieve.embed.use_multilingual:UseMultilingualEmbedder",
    },
    "retriever": {
        "hybrid": "ragaliq.retrieve.hybrid:HybridRetriever",
        "bm25": "ragaliq.retrieve.hybrid:Bm25Retriever",
        "char": "ragaliq.retrieve.hybrid:CharRetriever",
        "dense": "ragaliq.retrieve.hybrid:DenseRetriever",
        "sparse": "ragaliq.retrieve.sparse.retriever:SparseRetriever",
        "none": "ragaliq.retrieve.none:NoRetriever",
        "gold": "ragaliq.retrieve.gold:GoldRetriever",
    },
    "reranker": {
        "cross-encoder": "ragaliq.rerank.cross_encoder:CrossEncoderReranker",
        "lexical": "ragaliq.rerank.lexical:LexicalReranker",
        "llm": "ragaliq.rerank.llm:LLMReranker",
        "none": "ragaliq.rerank.none:NoReranker",
    },
    "reader": {
        "extractive": "ragaliq.read.extractive:ExtractiveReader",
        "http": "ragaliq.read.http:HttpReader",
        "openai": "ragaliq.read.openai:OpenAIReader",
        "transformers": "ragaliq.read.local.transformers:TransformersReader",
        "vllm": "ragaliq.read.local.vllm:VllmReader",
    },
    "judge": {
        "offline": "ragaliq.judge.offline.judge:OfflineJudge",
        "openai": "ragaliq.judge.openai:OpenAIJudge",
        "panel": "ragaliq.judge.panel:PanelJudge",
        "transformers": "ragaliq.judge.transformers:TransformersJudge",
    },
    "check": {
        "offline": "ragaliq.judge.checks.offline:OfflineChecker",
        "openai": "ragaliq.judge.checks.openai:OpenAIChecker",
    },
    "context": {"openai": "ragaliq.judge.checks.context_openai:OpenAIContextJudge"},
    "nuggets": {
        "offline": "ragaliq.judge.nuggets.offline:OfflineMatcher",
        "openai": "ragaliq.judge.nuggets.openai:OpenAIMatcher",
    },
}
# Stage → what an object of LangChain, or a plain function, is known by → the class that gives it the stage's method.
ADAPTERS: dict[str, dict[str, str]] = {
    "embedder": {"embed_documents": "ragaliq.retrieve.langchain:LangChainEmbedder"},
    "retriever": {"similarity_search_with_score": "ragaliq.retrieve.langchain:VectorStoreRetriever"},
    "reranker": {"compress_documents": "ragaliq.rerank.langchain:CompressorReranker"},
    "reader": {
        "ainvoke": "ragaliq.read.langchain:RunnableReader",
        "__call__": "ragaliq.read.function:FunctionReader",
    },
    "judge": {},
    "check": {},
    "context": {},
    "nuggets": {},
}
# What a value in YAML may be for a parameter of a simple type.
_SIMPLE: dict[object, tuple[type, ...]] = {
    int: (int,),
    float: (float, int),
    str: (str,),
    str | None: (str, NoneType),
    bool: (bool,),
    bool | None: (bool, NoneType),
}
# The retriever that gets the gold; nothing else does.
ORACLE = "gold"
METHODS = {
    "embedder": "embed",
    "retriever": "retrieve",
    "reranker": "rerank",
    "reader": "read",
    "judge": "grade",
    "check": "check",
    "context": "judge",
    "nuggets": "match",
}


def make(stage: str, component: Component, **context: Any) -> Any:
    """Return the object that a component names.

    Args:
        stage: one of the keys of `KINDS`.
        component: kind, model and options.
        context: values offered to the constructor (`seed`, `sampling`, …); it gets those that it has parameters for.

    Raises:
        ConfigError: if the kind, the model or an option is unknown, or the object lacks the stage's method.
    """
    part = _import(stage, component)
    if inspect.isclass(part):
        arguments = _arguments(stage, component, part, context)
        try:
            part = part(**arguments)
        except RagaliqError:
            raise
        except Exception as error:  # The class may be the user's own; whatever it raises is reported.
            raise ConfigError(f"{stage} '{component}': {error_line(error)}; check its options") from None
    return adapt(stage, part, str(component))


def check(stage: str, component: Component, **context: Any) -> None:
    """Check kind, model and options of a component without making it, so that no model needs to be at hand.

    Raises:
        ConfigError: as `make`, as far as that can be known without making it.
    """
    part = _import(stage, component)
    if inspect.isclass(part):
        _arguments(stage, component, part, context)


def adapt(stage: str, part: Any, name: str = "") -> Any:
    """Return a part with the stage's method: the part itself, or an adapter around a LangChain object or a function.

    Raises:
        ConfigError: if the object has neither the method nor an adapter.
    """
    if callable(getattr(part, METHODS[stage], None)):
        return part
    for method, adapter in ADAPTERS[stage].items():
        if callable(getattr(part, method, None)):
            return _load(adapter)(part)
    raise ConfigError(f"{stage} '{name or type(part).__name__}': the object has no method '{METHODS[stage]}'")


def _options_of(record: Callable[..., Options], options: Mapping[str, Any], where: str) -> Options:
    """Return the options that a dataclass has fields for as one record of it; `where` names the component in errors.

    Raises:
        ConfigError: if a value cannot be.
    """
    mine = {key: value for key, value in options.items() if key in get_type_hints(record)}
    try:
        return record(**mine)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def resolved(**parts: Any) -> dict[str, str]:
    """Return what the models of parts turned out to be, such as the hub's commit, once they are loaded."""
    return {name: str(part.resolved) for name, part in parts.items() if getattr(part, "resolved", "")}


def unknown_kind(stage: str, kind: str) -> str:
    """Return the message about a kind that a stage does not have; it may be the name of a model."""
    is_model = "openai" in KINDS[stage] and set(kind) & set("-/0123456789")
    return f"unknown kind '{kind}'; {nearest(kind, [*KINDS[stage], *([f'openai:{kind}'] if is_model else [])])}"


def _import(stage: str, component: Component) -> Any:
    if component.kind in KINDS[stage]:
        return _load(KINDS[stage][component.kind])
    if component.kind != "python":
        raise ConfigError(f"{stage} '{component}': {unknown_kind(stage, component.kind)}")
    module, _, path = component.model.partition(":")
    if not module or not path:
        raise ConfigError(f"{stage} '{component}': write python:package.module:object")
    return import_object(component.model, f"{stage} '{component}'")


def import_object(path: str, where: str) -> Any:
    """Return what `package.module:object` names; `where` says in errors who names it.

    Raises:
        ConfigError: if there is no such thing, or its module cannot be imported.
    """
    module, _, name = path.partition(":")
    if not module or not name:
        raise ConfigError(f"{where}: write package.module:object")
    # As with `python -m`, a module in the working directory can be named.
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return _load(path)
    except Exception as error:  # The module is the user's own; whatever its import raises is reported.
        raise ConfigError(f"{where}: {error_line(error)}; check module and object") from None


def _load(path: str) -> Any:
    """Return what `package.module:object` names."""
    module, _, name = path.partition(":")
    return attrgetter(name)(importlib.import_module(module))


def _arguments(stage: str, component: Component, part: type, context: dict[str, Any]) -> dict[str, Any]:
    """Match model, options and context with the parameters of the constructor."""
    try:
        signature = inspect.signature(part, eval_str=True)
    except (NameError, TypeError, ValueError) as error:
        raise ConfigError(f"{stage} '{component}': its constructor cannot be read ({error})") from None
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = {name: p for name, p in signature.parameters.items() if p.kind not in variable}
    arguments = {key: value for key, value in context.items() if key in parameters}
    record: Any = parameters["options"].annotation if "options" in parameters else None
    types = {name: p.annotation for name, p in parameters.items() if name not in context and name != "model"}
    if is_dataclass(record):
        del types["options"]
        types |= get_type_hints(record)
    for key, value in component.options.items():
        if key not in types:
            hint = nearest(key, list(types)) if types else "it has no options"
            raise ConfigError(f"{stage} '{component}': unknown option '{key}'; {hint}")
        expected = types[key]
        if expected in _SIMPLE and not isinstance(value, _SIMPLE[expected]):
            kind = _SIMPLE[expected][0].__name__
            # A mapping may hold a secret.
            shown = repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
            raise ConfigError(f"{stage} '{component}': option '{key}' must be of type {kind}, not {shown}")
    options = dict(component.options)
    if is_dataclass(record):
        arguments["options"] = _options_of(parameters["options"].annotation, options, f"{stage} '{component}'")
        options = {key: value for key, value in options.items() if key in parameters}
    arguments |= options
    if "model" in parameters:
        if component.model or parameters["model"].default is inspect.Parameter.empty:
            arguments["model"] = component.model
    elif component.model and component.kind != "python":
        raise ConfigError(f"{stage} '{component}': kind '{component.kind}' takes no model; write '{component.kind}'")
    missing = [n for n, p in parameters.items() if p.default is inspect.Parameter.empty and n not in arguments]
    if missing:
        raise ConfigError(f"{stage} '{component}': option '{missing[0]}' is needed")
    return arguments
