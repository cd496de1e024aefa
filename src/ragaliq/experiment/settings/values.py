"""The values of an experiment's file: types and least sizes, told with file and line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragaliq.errors import ConfigError, InputError
from ragaliq.metrics.retrieval.measures import parse_measure

_TYPES: dict[str, tuple[type, ...]] = {
    "name": (str,), "data": (str,), "format": (str,), "split": (str,), "k": (int,), "max_docs": (int,), "seed": (int,),
    "baseline": (bool,), "oracle": (bool,), "rerank_depth": (int,), "chunk_tokens": (int,), "title": (bool,),
    "queries": (str,), "options": (dict,), "keep_self_match": (bool,),
}  # fmt: skip
# Names that a run's file and the options of commands have for the same.
_ALIASES = {"from": "format", "top_k": "k", "reranker": "rerank"}
_MAY_BE_NULL = ("max_docs", "chunk_tokens")
_LEAST = {"k": 1, "max_docs": 1, "rerank_depth": 1, "chunk_tokens": 1, "seed": 0}


def plain_keys(values: Mapping[Any, Any], place: str) -> dict[str, Any]:
    """Return values under the names of `Experiment` and `System`; refuse a key that stands under two names."""
    plain: dict[str, Any] = {}
    for key, value in values.items():
        name = _ALIASES.get(str(key), str(key))
        if name in plain:
            raise ConfigError(f"{place}: '{key}' is another name of '{name}', which is there too; keep one of them")
        plain[name] = value
    return plain


def check_setting(key: str, value: Any, where: str) -> Any:
    """Return the value of a key as the experiment holds it; refuse a wrong type, and what is too small."""
    if key == "languages":
        return _languages(value, where)
    if key == "measures":
        return _measures(value, where)
    expected: Any = _TYPES[key]
    if value is None and key in _MAY_BE_NULL:
        return None
    if not isinstance(value, expected) or (isinstance(value, bool) and bool not in expected):
        raise ConfigError(f"{where}: '{key}' must be of type {expected[0].__name__}, not {value!r}")
    if key in _LEAST and value < _LEAST[key]:
        raise ConfigError(f"{where}: '{key}' must be at least {_LEAST[key]}, not {value}")
    if key in ("name", "data") and not value.strip():
        raise ConfigError(f"{where}: '{key}' is empty; give it a value")
    return value


def _measures(value: Any, where: str) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ConfigError(f"{where}: 'measures' must list measures, as in [nDCG@10, R@100]")
    try:
        return tuple(dict.fromkeys(str(parse_measure(name)) for name in names))
    except InputError as error:
        raise ConfigError(f"{where}: 'measures': {error}") from None


def _languages(value: Any, where: str) -> tuple[str, ...] | None:
    langs = value.replace(",", " ").split() if isinstance(value, str) else value
    if langs is None or langs == ["all"]:
        return None
    if isinstance(langs, list) and False in langs:
        # YAML reads an unquoted `no` as false.
        raise ConfigError(f"{where}: 'languages': write the code of Norwegian in quotes, \"no\"")
    if not isinstance(langs, list) or not langs or not all(isinstance(lang, str) for lang in langs):
        raise ConfigError(f"{where}: 'languages' must be 'all' or a list of codes, as in [en, de]")
    return tuple(dict.fromkeys(langs))
