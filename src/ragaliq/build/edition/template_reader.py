"""Reading a template, and checking its parts against one another, so that no seed meets a fault that another misses.

template/slots/CHAPTER.yaml   the slots
template/items/CHAPTER.yaml   the queries without their words: type, gold, nuggets
template/LANG/CHAPTER.md      the text of a chapter; a paragraph is a chunk
template/LANG/CHAPTER.yaml    the words of its queries
template/LANG/pools.yaml      names, weekdays, colours, with their forms
template/LANG/phrases.yaml    `abstention`: ways to say that nothing was found, for the exam
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ragaliq.benchmark.chunking import paragraphs
from ragaliq.build.edition.slots import PEOPLE, POOLED, Slot, check_keys, read_slots
from ragaliq.build.edition.template import AUTHORED, FOLDER, ItemPlan, ItemWords, NuggetPlan, Pages, Template
from ragaliq.build.edition.wording import POOLS, read_wording
from ragaliq.errors import InputError, listed, nearest
from ragaliq.storage.files import read_text
from ragaliq.storage.yaml_files import read_mapping, read_yaml
from ragaliq.types import Importance


def read_template(folder: Path, langs: Sequence[str]) -> Template:
    """Read the template of a benchmark's folder.

    Raises:
        InputError: if there is none, a file is malformed, or a language lacks a chapter, query, nugget, exam answer or
            word of a pool.
    """
    root = folder / FOLDER
    if not (root / "items").is_dir():
        raise InputError(f"{folder}: no template of editions there (template/items); a benchmark with slots has one")
    plans = tuple(sorted((plan for path in sorted((root / "items").glob("*.yaml")) for plan in _plans(path)),
                         key=lambda plan: plan.query_id))  # fmt: skip
    for before, after in pairwise(plans):
        if before.query_id == after.query_id:
            raise InputError(f"{root / 'items' / after.chapter}.yaml: '{after.query_id}' occurs twice; ids are unique")
    pages = {lang: _pages(root, lang, plans) for lang in langs}
    first = pages[langs[0]]
    for lang, page in pages.items():
        if set(page.chapters) != set(first.chapters):
            other = sorted(set(page.chapters) ^ set(first.chapters))[0]
            raise InputError(f"{root / lang}: chapter '{other}.md' is in one of '{langs[0]}' and '{lang}' alone")
    template = Template(root, read_slots(root), plans, pages)
    _check_template(template)
    return template


def _plans(path: Path) -> list[ItemPlan]:
    rows = read_yaml(path)
    if rows is not None and not isinstance(rows, list):
        raise InputError(f"{path}: a list of queries is expected")
    return [_plan(row, path) for row in rows or []]


def _plan(row: object, path: Path) -> ItemPlan:
    if not isinstance(row, dict) or not isinstance(row.get("id"), str) or row["id"].split() != [row["id"]]:
        raise InputError(f"{path}: each query is a mapping with 'id', a text without spaces")
    where = f"{path}: '{row['id']}'"
    check_keys(row, {"id", "type", "difficulty", "gold", "nuggets", "near_miss", "exam"}, where)
    for key in ("type", "difficulty", "near_miss"):
        if not isinstance(row.get(key) or "", str) or (key == "type" and not row.get(key)):
            raise InputError(f"{where}: '{key}' is a text" + ("; it is missing" if key not in row else ""))
    gold, rows, exam = row.get("gold") or [], row.get("nuggets") or [], row.get("exam", False)
    if not isinstance(gold, list) or not all(map(_is_ids, gold)):
        raise InputError(f"{where}: 'gold' is a list of lists of doc ids (AND of ORs)")
    if not isinstance(rows, list) or not isinstance(exam, bool):
        raise InputError(f"{where}: 'nuggets' is a list, 'exam' true or false")
    nuggets = tuple(_nugget(nugget, where) for nugget in rows)
    if bool(gold) != bool(nuggets) or bool(gold) == bool(row.get("near_miss")):
        raise InputError(f"{where}: an answerable query has gold and nuggets, an unanswerable one 'near_miss' alone")
    if exam and not gold:
        raise InputError(f"{where}: an unanswerable query is in no exam, in which an abstention is graded 0")
    return ItemPlan(row["id"], path.stem, row["type"], row.get("difficulty") or "", tuple(map(tuple, gold)),
                    nuggets, row.get("near_miss") or "", exam)  # fmt: skip


def _is_ids(group: object) -> bool:
    return isinstance(group, list) and bool(group) and all(isinstance(doc, str) for doc in group)


def _nugget(row: object, where: str) -> NuggetPlan:
    docs = row.get("docs") if isinstance(row, dict) else None
    if not isinstance(row, dict) or row.get("importance") not in list(Importance) or not _is_ids(docs):
        raise InputError(f"{where}: a nugget is {{importance: vital|okay, docs: [doc ids]}}")
    return NuggetPlan(Importance(row["importance"]), tuple(docs or ()))


def _pages(root: Path, lang: str, plans: Sequence[ItemPlan]) -> Pages:
    folder = root / lang
    chapters = {path.stem: read_text(path) for path in sorted(folder.glob("*.md"))}
    if not chapters:
        raise InputError(f"{folder}: no chapter there; a template has LANG/CHAPTER.md for each of its languages")
    words: dict[str, ItemWords] = {}
    for chapter in sorted({plan.chapter for plan in plans}):
        path = folder / f"{chapter}.yaml"
        rows = read_mapping(path)
        own = [plan for plan in plans if plan.chapter == chapter]
        for query_id in sorted(set(rows) ^ {plan.query_id for plan in own}):
            raise InputError(f"{path}: '{query_id}' is in one of this file and items/{chapter}.yaml alone")
        words |= {plan.query_id: _words(plan, rows[plan.query_id], f"{path}: '{plan.query_id}'") for plan in own}
    phrases = read_mapping(folder / "phrases.yaml").get("abstention")
    if not isinstance(phrases, list) or not all(map(_is_text, phrases)) or not phrases:
        raise InputError(f"{folder / 'phrases.yaml'}: 'abstention' is a list of texts")
    return Pages(lang, chapters, words, tuple(phrases), read_wording(root, lang))


def _words(plan: ItemPlan, row: Any, where: str) -> ItemWords:
    if not isinstance(row, dict) or not all(map(_is_text, (row.get("text"), row.get("reference")))):
        raise InputError(f"{where}: 'text' and 'reference' are texts; one is missing")
    nuggets, aliases, exam = row.get("nuggets") or [], row.get("aliases") or [], row.get("exam") or {}
    for key, texts in (("nuggets", nuggets), ("aliases", aliases)):
        if not isinstance(texts, list) or not all(map(_is_text, texts)):
            raise InputError(f"{where}: '{key}' is a list of texts")
    if len(nuggets) != len(plan.nuggets):
        raise InputError(f"{where}: {len(nuggets)} nuggets here, {len(plan.nuggets)} in items/{plan.chapter}.yaml")
    wanted = set(AUTHORED) if plan.exam else set()
    if not isinstance(exam, dict) or set(exam) != wanted or not all(map(_is_text, exam.values())):
        raise InputError(f"{where}: 'exam' holds {listed(wanted) if wanted else 'nothing, since items/ says no exam'}")
    check_keys(row, {"text", "reference", "nuggets", "aliases", "exam"}, where)
    return ItemWords(where, row["text"], row["reference"], tuple(aliases), tuple(nuggets), exam)


def _is_text(given: object) -> bool:
    return isinstance(given, str) and bool(given.strip())


def _check_template(template: Template) -> None:
    """Refuse a template whose languages lack a chunk or a word of a pool that some edition needs."""
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
        for doc in sorted({*plan.relevant, plan.near_miss} - known - {""}):
            raise InputError(
                f"{template.folder / 'items' / plan.chapter}.yaml: '{plan.query_id}' names '{doc}', which is no "
                f"paragraph of '{page.lang}'"
            )


def _check_words(template: Template, slot: Slot) -> None:
    words = [(str(slot.type), str(word)) for word in (slot.value, *slot.choices)]
    if slot.type in PEOPLE:
        given, _, last = str(slot.value).rpartition(" ")
        words = [(str(slot.type), given), ("surname", last)]
    for pool, word in words:
        known = template.pools[pool]
        if word not in known:
            where = f"{template.folder / 'slots' / slot.chapter}.yaml: '{slot.name}'"
            raise InputError(f"{where}: '{word}' is not in the pool '{pool}'; {nearest(word, known)}")
