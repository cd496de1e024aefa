"""What a translation must keep: terms that stay as they are, and the glossary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a benchmark.

    Attributes:
        keep: terms that stay as they are in every language.
        glossary: per target language, the translation of a term of the source.
    """

    keep: frozenset[str] = frozenset()
    glossary: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
