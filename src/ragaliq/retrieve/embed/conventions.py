"""How a model wants to be embedded: pooling, prefixes and length, taken from its files or a table, never from its name.

A model that is pooled or prefixed in another way than it was trained gives vectors that look right and rank wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from ragaliq.errors import ConfigError
from ragaliq.storage.files import read_json

_Value = TypeVar("_Value")
_PACKAGE = "sentence_transformers."
# The older layout has one switch for each way, the newer one key `pooling_mode`.
_SWITCHES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
PASSAGE_PROMPTS = ("document", "passage", "corpus")


class Pooling(StrEnum):
    """Which vector stands for a text: the mean over its tokens, that of the first token, or that of the last."""

    MEAN = "mean"
    CLS = "cls"
    LAST = "last"


_POOLINGS = {"mean": Pooling.MEAN, "cls": Pooling.CLS, "lasttoken": Pooling.LAST}


@dataclass(frozen=True, slots=True)
class Conventions:
    """How a model is to be used.

    Attributes:
        pooling: which vector stands for a text.
        normalise: whether vectors are brought to unit length.
        query_prefix: stands before every query.
        passage_prefix: stands before every passage.
        max_length: tokens of a text that are read, prefix and special tokens included; None if nothing limits them.
    """

    pooling: Pooling
    normalise: bool
    query_prefix: str
    passage_prefix: str
    max_length: int | None


@dataclass(frozen=True, slots=True)
class StatedConventions:
    """What one source says of the conventions; None where it is silent."""

    pooling: Pooling | None = None
    normalise: bool | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None
    max_length: int | None = None


def read_conventions(folder: Path, model: str, overrides: StatedConventions | None = None) -> Conventions:
    """Return a model's conventions: each from the overrides, else from its own files, else from the shipped table.

    Prompts that are all empty in the files say nothing: many models keep theirs in the model card alone. What nobody
    states is: no prefix, unit length, no limit.

    Args:
        folder: the model's files (the weights are not needed).
        model: full id on the model hub, under which the table may list it.
        overrides: what the user has set.

    Raises:
        ConfigError: if nobody states the pooling, or the files ask for more than pooling.
    """
    given = overrides or StatedConventions()
    sources = (
        given,
        _stated_by_files(folder, model, given.pooling is not None),
        _table().get(model, StatedConventions()),
    )
    pooling = _first(source.pooling for source in sources)
    if pooling is None:
        raise ConfigError(
            f"embedder '{model}': neither its files nor the table says how its vectors are pooled; "
            f"set option 'pooling' ({', '.join(Pooling)}) as its model card says"
        )
    normalise = _first(source.normalise for source in sources)
    return Conventions(
        pooling,
        True if normalise is None else normalise,
        _first(source.query_prefix for source in sources) or "",
        _first(source.passage_prefix for source in sources) or "",
        _first(source.max_length for source in sources),
    )


def prompts_of(prompts: Mapping[str, str | None]) -> tuple[str | None, str | None]:
    """Return query and passage prefix among a model's named prompts, None for both if all prompts are empty."""
    if not any(prompts.values()):
        return None, None
    return prompts.get("query") or "", next((text for key in PASSAGE_PROMPTS if (text := prompts.get(key))), "")


def table_prefixes(model: str) -> tuple[str, str]:
    """Return query and passage prefix of a model in the shipped table, empty for one that it does not list."""
    stated = _table().get(model, StatedConventions())
    return stated.query_prefix or "", stated.passage_prefix or ""


def _first(values: Iterable[_Value | None]) -> _Value | None:
    return next((value for value in values if value is not None), None)


def _stated_by_files(folder: Path, model: str, pooling_given: bool) -> StatedConventions:
    """Return what the files in the layout of sentence-transformers say; nothing where there are none."""
    modules = _json(folder / "modules.json")
    if modules is None:
        return StatedConventions()
    kinds = {_kind(str(module.get("type", ""))): str(module.get("path", "")) for module in modules}
    pooling_config = _json(folder / kinds["Pooling"] / "config.json") if "Pooling" in kinds else None
    model_config = _json(folder / "config_sentence_transformers.json") or {}
    text_config = next((_json(path) or {} for path in sorted(folder.glob("sentence_*_config.json"))), {})
    ways = _ways(pooling_config) if pooling_config is not None else []
    beyond = _beyond_pooling(kinds, ways, pooling_config or {}, text_config)
    if beyond and not pooling_given:
        raise ConfigError(
            f"embedder '{model}': the model does more than pool ({beyond}); use sentence-transformers:{model}, or set "
            "option 'pooling' to leave that out"
        )
    query, passage = prompts_of(model_config.get("prompts") or {})
    return StatedConventions(
        _POOLINGS.get(ways[0]) if len(ways) == 1 else None,
        # Models that were trained for the plain inner product say so; cosine is the default.
        "Normalize" in kinds or model_config.get("similarity_fn_name") != "dot",
        query,
        passage,
        text_config.get("max_seq_length"),
    )


def _kind(type_name: str) -> str:
    """Return the class of a module, with its package if it is none of the library's own."""
    return type_name.rpartition(".")[2] if type_name.startswith(_PACKAGE) else type_name


def _ways(config: Mapping[str, Any]) -> list[str]:
    if "pooling_mode" in config:
        mode = config["pooling_mode"]
        return [mode] if isinstance(mode, str) else list(mode)
    return [way for switch, way in _SWITCHES.items() if config.get(switch)] or ["mean"]


def _beyond_pooling(
    kinds: Mapping[str, str], ways: list[str], pooling: Mapping[str, Any], text: Mapping[str, Any]
) -> str:
    """Return what the model does beside running, pooling and normalising; empty if nothing."""
    other = [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]
    found = [f"module {kind}" for kind in other]
    if kinds.get("Transformer"):
        found.append(f"weights in folder {kinds['Transformer']}")
    if ways and (len(ways) > 1 or ways[0] not in _POOLINGS):
        found.append(f"pooling {' and '.join(ways)}")
    if pooling.get("include_prompt") is False:
        found.append("prompts left out of the pooling")
    if text.get("do_lower_case"):
        found.append("text in lower case")
    return ", ".join(found)


def _json(path: Path) -> Any:
    return read_json(path) if path.is_file() else None


@lru_cache(maxsize=1)
def _table() -> dict[str, StatedConventions]:
    import yaml

    rows = yaml.safe_load(files("ragaliq.retrieve.embed").joinpath("conventions.yaml").read_text(encoding="utf-8"))
    return {
        model: StatedConventions(
            Pooling(row["pooling"]), True, row.get("query_prefix", ""), row.get("passage_prefix", "")
        )
        for model, row in rows.items()
    }
