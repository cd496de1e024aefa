"""Checks of a template's parts against one another, so that no seed meets a fault that another passes by."""

from __future__ import annotations

from ragaliq.benchmark.chunking import paragraphs
from ragaliq.build.edition.ranges import SlotType
from ragaliq.build.edition.slots import POOLED, Slot
from ragaliq.build.edition.template import Pages, Template
from ragaliq.build.edition.wording import POOLS
from ragaliq.errors import InputError, nearest


def check_template(template: Template) -> None:
    """Refuse a template some of whose editions could not be made.

    Raises:
        InputError: if a plan names a chunk that a language lacks, the pools of two languages hold other words, or a
            slot may take a word that is in no pool.
    """
    first = next(iter(template.pages.values()))
    for page in template.pages.values():
        _check_chunks(template, page)
        for name in POOLS:
            for word in sorted(set(page.wording.pools[name]) ^ set(first.wording.pools[name])):
                raise InputError(
                    f"{template.folder / page.lang}/pools.yaml: '{word}' of '{name}' is in one of '{first.lang}' and "
                    f"'{page.lang}' alone"
                )
    for slot in template.slots.values():
        if slot.type in POOLED:
            _check_words(template, slot)


def _check_chunks(template: Template, page: Pages) -> None:
    known = {
        chunk.doc_id
        for chapter, text in page.chapters.items()
        for chunk in paragraphs(text, f"{chapter}.md", page.lang)
    }
    for plan in template.plans:
        named = [doc for group in (*plan.gold, *(nugget.doc_ids for nugget in plan.nuggets)) for doc in group]
        for doc in (*named, *([plan.near_miss] if plan.near_miss else [])):
            if doc not in known:
                raise InputError(
                    f"{template.folder / 'items' / plan.chapter}.yaml: '{plan.query_id}' names '{doc}', which is no "
                    f"paragraph of '{page.lang}'"
                )


def _check_words(template: Template, slot: Slot) -> None:
    words = [(str(slot.type), str(word)) for word in (slot.value, *slot.choices)]
    if slot.type in (SlotType.WOMAN, SlotType.MAN):
        given, _, last = str(slot.value).rpartition(" ")
        words = [(str(slot.type), given), ("surname", last)]
    for pool, word in words:
        known = template.pools[pool]
        if word not in known:
            where = f"{template.folder / 'slots' / slot.chapter}.yaml: '{slot.name}'"
            raise InputError(f"{where}: '{word}' is not in the pool '{pool}'; {nearest(word, known)}")
