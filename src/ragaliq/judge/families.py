"""Families of language models: a judge tends to favour answers in the manner of its own family.

The preference of models for their own output is measured in Panickssery et al. 2024 (arXiv 2404.13076) and in Zheng et
al. 2023 (arXiv 2306.05685, self-enhancement bias).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.errors import ConfigError
from ragaliq.storage.yaml_files import read_yaml

_FILE = Path(__file__).with_name("families.yaml")
# What a system has that may be a language model.
_ROLES = ("reader", "retriever", "embedder", "reranker", "queries")
_PART = regex.compile(r"[\p{L}\p{N}]+")


def model_families(model: str) -> frozenset[str]:
    """Return the families that a model id names; none for an unknown one, two for a distillate of one into another."""
    parts = _PART.findall(model.casefold())
    return frozenset(
        family for family, pattern in _patterns().items() if any(pattern.fullmatch(part) for part in parts)
    )


def same_family(judge_model: str, reader_model: str) -> str | None:
    """Return the family that two model ids share, the first in the alphabet of several; None if they share none.

    The same unknown id is a family of its own.
    """
    shared = model_families(judge_model) & model_families(reader_model)
    if shared:
        return min(shared)
    same = judge_model and judge_model.casefold() == reader_model.casefold()
    return judge_model if same else None


def family_warnings(judge_models: Iterable[str], reader_model: str) -> list[str]:
    """Return a line for each judge's model that is of the family of the reader's model."""
    lines = []
    for model in sorted(set(judge_models)):
        family = same_family(model, reader_model)
        if family is not None:
            lines.append(
                f"warning[judge-family]: judge '{model}' and reader '{reader_model}' are of one family ({family}); "
                "judges tend to favour their own, so add a judge of another family, as in --judge panel:A+B"
            )
    return lines


def builder_warnings(built_by: Iterable[str], system: Mapping[str, Any]) -> list[str]:
    """Return a line for each model of a system that is of the family of a model which its benchmark was built with.

    Args:
        built_by: the models that wrote and judged the benchmark.
        system: its parts by what they do, as in a run's `config.json`; what is no part with a model does not count.
    """
    lines = []
    for name in sorted(set(built_by)):
        for role in _ROLES:
            part = system.get(role)
            model = part.get("model") if isinstance(part, dict) else None
            family = same_family(name, model) if isinstance(model, str) and model else None
            if family is not None:
                lines.append(
                    f"warning[builder-family]: the benchmark was built with '{name}', and {role} '{model}' is of its "
                    f"family ({family}); it may be favoured, so rank it against others on questions of people, too"
                )
    return lines


@cache
def _patterns() -> dict[str, regex.Pattern[str]]:
    named = read_yaml(_FILE)["families"]
    if not all(isinstance(names, list) and names for names in named.values()):
        raise ConfigError(f"{_FILE}: each family needs a list of names")
    # `v` because of ids such as deepseekv3.
    return {family: regex.compile(rf"(?:{'|'.join(map(regex.escape, names))})(?:v?\p{{N}}.*)?")
            for family, names in named.items()}  # fmt: skip
