"""The texts of the gold of one language's queries, and what the knowledge base holds of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ragaliq.benchmark.kb_language import corpus_name, knowledge_base, retrieval_units
from ragaliq.benchmark.load import Benchmark
from ragaliq.config import ALL
from ragaliq.formats.reading.stored_documents import by_doc_id
from ragaliq.metrics.retrieval.collapse import unit_id
from ragaliq.pipeline.waterfall.gold import GoldMember, single_spaced
from ragaliq.types import Chunk, Hit, Item


class GoldTexts:
    """The gold chunks of a language.

    A chunk of the benchmark's own knowledge base goes by its name; with `kb_lang: all` in any language. Where texts
    replace that knowledge base, the sentences of the gold chunks are looked for instead. If none of these chunks is in
    the texts, they are another knowledge base (`known` is false).

    Attributes:
        units: the chunks of the knowledge base by their names in rankings.
    """

    def __init__(self, benchmark: Benchmark, kb_lang: str, replaced: bool, lang: str) -> None:
        self._benchmark = benchmark
        self._kb_lang = kb_lang
        self._replaced = replaced
        self._lang = lang
        chunks = retrieval_units(knowledge_base(benchmark, kb_lang, lang), kb_lang)
        self.units = by_doc_id(chunks)
        self._members: dict[str, tuple[GoldMember, ...]] = {}

    def members(self, group: tuple[str, ...]) -> list[GoldMember]:
        """Return the texts each of which holds the gold of a group."""
        return [member for doc_id in group for member in self._members_of(doc_id)]

    def context(self, item: Item) -> tuple[Hit, ...] | None:
        """Return an item's gold in full, the first text at hand of each group; None where a group has none."""
        firsts = [next((chunk for doc_id in group for chunk in self._texts(doc_id)), None) for group in item.gold]
        chunks = {chunk.doc_id: chunk for chunk in firsts if chunk is not None}
        if not item.gold or None in firsts:
            return None
        return tuple(Hit(chunk, 1.0 / rank, rank) for rank, chunk in enumerate(chunks.values(), start=1))

    def held(self, member: GoldMember) -> bool:
        """Return whether the knowledge base holds a text in full."""
        # Of the benchmark's own knowledge base only what it holds is a member.
        return not self._replaced or all(sentence in self._text for sentence in member.sentences)

    @cached_property
    def known(self) -> bool:
        """Whether the knowledge base is the benchmark's, or holds at least one gold chunk of the language."""
        groups = (group for item in self._benchmark.items[self._lang] for group in item.gold)
        return not self._replaced or any(self.held(member) for group in groups for member in self.members(group))

    def _members_of(self, doc_id: str) -> tuple[GoldMember, ...]:
        if doc_id not in self._members:
            texts = self._texts(doc_id)
            self._members[doc_id] = tuple(GoldMember.of(c.text, "" if self._replaced else c.doc_id) for c in texts)
        return self._members[doc_id]

    def _texts(self, doc_id: str) -> list[Chunk]:
        """Return a gold chunk in the languages of the knowledge base, that of the query first."""
        if self._replaced:
            return [texts[doc_id] for texts in self._corpora if doc_id in texts]
        if self._kb_lang != ALL:
            return [self.units[doc_id]] if doc_id in self.units else []
        units = (unit_id(doc_id, lang) for lang in self._own_first(self._benchmark.chunks))
        return [self.units[unit] for unit in units if unit in self.units]

    @cached_property
    def _corpora(self) -> list[Mapping[str, Chunk]]:
        """The gold chunks of the benchmark's corpus that was replaced, that of the query's language first.

        The corpus of another language is at hand where that language's queries are answered, too.
        """
        collections = self._benchmark.collections
        name = corpus_name(self._kb_lang, self._lang)
        langs = self._own_first(collections) if name == ALL else [name if name in collections else self._lang]
        gold = {doc_id for item in self._benchmark.items[self._lang] for group in item.gold for doc_id in group}
        return [{c.doc_id: c for c in collections[lang].chunks() if c.doc_id in gold} for lang in langs]

    def _own_first(self, langs: Mapping[str, object]) -> list[str]:
        return sorted(langs, key=lambda lang: (lang != self._lang, lang))

    @cached_property
    def _text(self) -> str:
        """All chunks of the knowledge base that replaced the benchmark's, a line each."""
        return "\n".join(single_spaced(unit.text) for unit in self.units.values())
