"""Rendering: the files of one edition, from a template and a seed."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import regex

from ragaliq.benchmark.chunking import paragraphs
from ragaliq.build.edition.commitment import commitment
from ragaliq.build.edition.draw import draw_facts
from ragaliq.build.edition.exam import exam_rows
from ragaliq.build.edition.fill import Filler
from ragaliq.build.edition.template import ItemPlan, ItemWords, Template
from ragaliq.storage.files import Row, dump_row
from ragaliq.types import Chunk

_TOKEN = regex.compile(r"[\p{L}\p{Nd}]+(?:[.-][\p{L}\p{Nd}]+)*")


@dataclass(frozen=True, slots=True)
class Edition:
    """Which edition is made.

    Attributes:
        head: the template's `template/bench.json`: name, version, title, licence, languages.
        private: whether `bench.json` names the seed's hash in place of the seed.
    """

    head: Mapping[str, Any]
    seed: int
    private: bool = False


def render_edition(template: Template, edition: Edition) -> dict[str, bytes]:
    """Return the content of every file of an edition but `bench.json`, by name.

    The same template and edition give the same bytes everywhere.
    """
    facts = draw_facts(template.slots, template.pools, edition.seed, frozenset(taken_words(template)))
    fillers = {lang: Filler(template.slots, facts, page.wording) for lang, page in template.pages.items()}
    anchors = anchor_queries(template)
    files: dict[str, bytes] = {}
    for lang in template.pages:
        filler = fillers[lang]
        chunks: list[Chunk] = []
        for chapter, text in template.pages[lang].chapters.items():
            name = f"sources/{lang}/{chapter}.md"
            source = filler.fill(text, f"{template.folder / lang / chapter}.md")
            files[name] = source.encode()
            chunks += paragraphs(source, name, lang)
        files[f"corpus/{lang}.jsonl"] = _lines(_chunk_row(chunk) for chunk in chunks)
        files[f"queries/{lang}.jsonl"] = _lines(
            _query_row(template, filler, lang, plan) | ({"anchor": True} if plan.query_id in anchors else {})
            for plan in template.plans
        )
        files[f"nuggets/{lang}.jsonl"] = _lines(_nugget_rows(template, filler, lang))
        files[f"qrels/{lang}.tsv"] = "".join(
            f"{plan.query_id} 0 {doc_id} 1\n" for plan in template.plans for doc_id in sorted(plan.relevant)
        ).encode()
        if any(plan.exam for plan in template.plans):
            files[f"exam/{lang}.jsonl"] = _lines(iter(exam_rows(template, fillers, lang)))
    return files


def head_of(edition: Edition, hashes: Mapping[str, str]) -> bytes:
    """Return `bench.json`: the template's head with the edition, its canary and the hashes of its files.

    The canary is made of the template's own and the edition, so that every edition has another. Of a private edition
    the head tells the hash of the seed, by which a seed can be checked that is told later.
    """
    head = dict(edition.head)
    root = uuid.UUID(str(head.pop("canary")))
    told = commitment(edition.head, edition.seed)
    own = root if edition.seed == 0 else uuid.uuid5(root, told)
    name, version = head["name"], head["version"]
    label = "private-" + told[:8] if edition.private else str(edition.seed)
    head["version"] = version if edition.seed == 0 else f"{version}+{label}"
    head["edition"] = edition_of(edition)
    head["canary"] = f"ragaliq-{name} benchmark data, not for training: {own}"
    head["hashes"] = dict(sorted(hashes.items()))
    return (json.dumps(head, ensure_ascii=False, indent=2) + "\n").encode()


def edition_of(edition: Edition) -> dict[str, object]:
    """Return what `bench.json` tells of an edition: its seed, or the seed's hash."""
    if edition.private:
        return {"seed_sha256": commitment(edition.head, edition.seed)}
    return {"seed": edition.seed}


def anchor_queries(template: Template) -> frozenset[str]:
    """Return the queries that are the same in every edition.

    Their words and the chunks that are relevant to them, or nearest if none is, hold no slot, titles included.
    """
    slotted: set[str] = set()
    for lang, page in template.pages.items():
        for chapter, text in page.chapters.items():
            blocks = paragraphs(text, f"{chapter}.md", lang)
            slotted |= {block.doc_id for block in blocks if "{" in block.text + block.title}
    anchors = set()
    for plan in template.plans:
        texts = [text for page in template.pages.values() for text in _texts(page.words[plan.query_id])]
        if not any("{" in text for text in texts) and slotted.isdisjoint({*plan.relevant, plan.near_miss}):
            anchors.add(plan.query_id)
    return frozenset(anchors)


def _texts(words: ItemWords) -> tuple[str, ...]:
    return (words.text, words.reference, *words.aliases, *words.nuggets, *words.exam.values())


def taken_words(template: Template) -> Iterator[str]:
    """Yield the words of the chapters, which no drawn code may repeat."""
    for page in template.pages.values():
        for text in page.chapters.values():
            yield from _TOKEN.findall(text)


def _chunk_row(chunk: Chunk) -> Row:
    return {key: getattr(chunk, key) for key in ("doc_id", "source_id", "start", "end", "text", "lang", "title")}


def _query_row(template: Template, filler: Filler, lang: str, plan: ItemPlan) -> Row:
    words = template.pages[lang].words[plan.query_id]
    row: Row = {
        "query_id": plan.query_id,
        "lang": lang,
        "text": filler.fill(words.text, words.where),
        "reference": filler.fill(words.reference, words.where),
        "answerable": plan.answerable,
        "type": plan.type,
        "gold": [list(group) for group in plan.gold],
    }
    aliases = [filler.fill(alias, words.where) for alias in words.aliases]
    optional = {"aliases": aliases, "difficulty": plan.difficulty, "near_miss": plan.near_miss}
    return row | {key: value for key, value in optional.items() if value}


def _nugget_rows(template: Template, filler: Filler, lang: str) -> Iterator[Row]:
    for plan in template.plans:
        words = template.pages[lang].words[plan.query_id]
        for number, (nugget, text) in enumerate(zip(plan.nuggets, words.nuggets, strict=True), start=1):
            yield {
                "nugget_id": f"{plan.query_id}-{number}",
                "query_id": plan.query_id,
                "text": filler.fill(text, words.where),
                "importance": nugget.importance.value,
                "doc_ids": list(nugget.doc_ids),
            }


def _lines(rows: Iterator[Row]) -> bytes:
    return b"".join(dump_row(row) + b"\n" for row in rows)
