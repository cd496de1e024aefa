"""How a model wants to be embedded: pooling, prefixes and length, taken from its files or a table, never from its name.

A model that is pooled or prefixed in another way than it was trained gives vectors that look right and rank wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragaliq.storage.files import read_json
from ragaliq.storage.yaml_files import read_yaml

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
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


class Pooling(StrEnum):
    """Which vector stands for a text: the mean over its tokens, that of the first token, or that of the last."""

    MEAN = "mean"
    CLS = "cls"
    LAST = "last"


_POOLINGS = {"mean": Pooling.MEAN, "cls": Pooling.CLS, "lasttoken": Pooling.LAST}


@dataclass(frozen=True, slots=True)
class Conventions:
    """How a model is used, or what one source says of it; None where it is silent.

    Attributes:
        pooling: which vector stands for a text.
        normalise: whether vectors are brought to unit length.
        query_prefix: stands before every query.
        passage_prefix: stands before every passage.
        max_length: tokens of a text that are read, prefix and special tokens included.
    """

    pooling: Pooling | None = None
    normalise: bool | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None
    max_length: int | None = None


_NOBODY = Conventions(normalise=True, query_prefix="", passage_prefix="")


def read_conventions(folder: Path, model: str, options: Conventions) -> Conventions:
    """Return a model's conventions: each from the options, else from its own files, else from the shipped table.

    Prompts that are all empty in the files say nothing: many models keep theirs in the model card alone. What nobody
    states is: no prefix, unit length, no limit; the pooling then is None.

    Args:
        folder: the model's files (the weights are not needed).
        model: full id on the model hub, under which the table may list it.
        options: what the user has set.
    """
    sources = (options, _stated_by_files(folder), _table().get(model, _NOBODY), _NOBODY)
    return Conventions(
        *(
            next((value for source in sources if (value := getattr(source, field.name)) is not None), None)
            for field in fields(Conventions)
        )
    )


def beyond_pooling(folder: Path) -> str:
    """Return what a model does beside running, pooling and normalising, as its files say; empty if nothing."""
    kinds, pooling, text = _modules(folder)
    ways = _ways(pooling) if pooling is not None else []
    more = [f"module {kind}" for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]
    if kinds.get("Transformer"):
        more.append(f"weights in folder {kinds['Transformer']}")
    if ways and (len(ways) > 1 or ways[0] not in _POOLINGS):
        more.append(f"pooling {' and '.join(ways)}")
    if (pooling or {}).get("include_prompt") is False:
        more.append("prompts left out of the pooling")
    if text.get("do_lower_case"):
        more.append("text in lower case")
    return ", ".join(more)


def prompts_of(prompts: Mapping[str, str | None]) -> tuple[str | None, str | None]:
    """Return query and passage prefix among a model's named prompts, None for both if all prompts are empty."""
    if not any(prompts.values()):
        return None, None
    return prompts.get("query") or "", next((text for key in _PASSAGE_PROMPTS if (text := prompts.get(key))), "")


def _stated_by_files(folder: Path) -> Conventions:
    """Return what the files in the layout of sentence-transformers say; nothing where there are none."""
    kinds, pooling, text = _modules(folder)
    if not kinds:
        return Conventions()
    config = _json(folder / "config_sentence_transformers.json") or {}
    ways = _ways(pooling) if pooling is not None else []
    return Conventions(
        _POOLINGS.get(ways[0]) if len(ways) == 1 else None,
        # Models that were trained for the plain inner product say so; cosine is the default.
        "Normalize" in kinds or config.get("similarity_fn_name") != "dot",
        *prompts_of(config.get("prompts") or {}),
        text.get("max_seq_length"),
    )


def _modules(folder: Path) -> tuple[dict[str, str], dict[str, Any] | None, dict[str, Any]]:
    """Return module → its folder, and the settings of the pooling and of the transformer."""
    modules = _json(folder / "modules.json") or []
    kinds = {_kind(str(module.get("type", ""))): str(module.get("path", "")) for module in modules}
    pooling = _json(folder / kinds["Pooling"] / "config.json") if "Pooling" in kinds else None
    return kinds, pooling, next((_json(path) or {} for path in sorted(folder.glob("sentence_*_config.json"))), {})


def _kind(type_name: str) -> str:
    """Return the class of a module, with its package if it is none of the library's own."""
    return type_name.rpartition(".")[2] if type_name.startswith(_PACKAGE) else type_name


def _ways(config: Mapping[str, Any]) -> list[str]:
    if "pooling_mode" in config:
        mode = config["pooling_mode"]
        return [mode] if isinstance(mode, str) else list(mode)
    return [way for switch, way in _SWITCHES.items() if config.get(switch)] or ["mean"]


def _json(path: Path) -> Any:
    return read_json(path) if path.is_file() else None


@lru_cache(maxsize=1)
def _table() -> dict[str, Conventions]:
    rows = read_yaml(Path(__file__).with_name("conventions.yaml"))
    return {
        model: Conventions(Pooling(row["pooling"]), True, row.get("query_prefix", ""), row.get("passage_prefix", ""))
        for model, row in rows.items()
    }
