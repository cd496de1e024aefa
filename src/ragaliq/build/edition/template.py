"""Templates: the parts of a benchmark that are the same in every edition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.build.edition.slots import Slot
from ragaliq.build.edition.wording import POOLS, Wording
from ragaliq.types import Importance

FOLDER = "template"
# What an exam holds in an author's words; the rest of its answers follow from these (`edition.exam`).
AUTHORED = ("paraphrase", "extras", "incomplete", "contradicting", "near_miss")


@dataclass(frozen=True, slots=True)
class NuggetPlan:
    """A nugget without its words."""

    importance: Importance
    doc_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """A query without its words, the same in every language and edition."""

    query_id: str
    chapter: str
    type: str
    difficulty: str
    gold: tuple[tuple[str, ...], ...]
    nuggets: tuple[NuggetPlan, ...]
    near_miss: str
    exam: bool

    @property
    def answerable(self) -> bool:
        """Whether some chunk answers it."""
        return bool(self.gold)

    @property
    def relevant(self) -> frozenset[str]:
        """The chunks that are gold or support a nugget."""
        return frozenset().union(*self.gold, *(nugget.doc_ids for nugget in self.nuggets))


@dataclass(frozen=True, slots=True)
class ItemWords:
    """The words of a query in one language, with slots."""

    where: str
    text: str
    reference: str
    aliases: tuple[str, ...]
    nuggets: tuple[str, ...]
    exam: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Pages:
    """One language of a template."""

    lang: str
    chapters: Mapping[str, str]
    words: Mapping[str, ItemWords]
    abstentions: tuple[str, ...]
    wording: Wording


@dataclass(frozen=True, slots=True)
class Template:
    """A template: its slots and plans, and its pages by language."""

    folder: Path
    slots: Mapping[str, Slot]
    plans: tuple[ItemPlan, ...]
    pages: Mapping[str, Pages]

    @property
    def pools(self) -> Mapping[str, Sequence[str]]:
        """The keys of the pools, which are the same in every language."""
        first = next(iter(self.pages.values()))
        return {name: tuple(first.wording.pools[name]) for name in POOLS}
