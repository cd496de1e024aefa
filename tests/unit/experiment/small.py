"""A small parallel data set, and parts of systems that do something particular."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from ragaliq.execution.stopping import StopSignal
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.trec.qrels import write_beir_qrels
from ragaliq.rerank import RerankFailed
from ragaliq.storage.files import write_jsonl
from ragaliq.types import Chunk, Hit, Importance, Nugget, Query
from unit.formats.sets import items_for

TEXTS = {
    "en": {
        "boat": "The supply boat leaves the harbour at nine.",
        "kitchen": "The kitchen is closed on Sunday.",
        "dogs": "Dogs must be kept on a lead near the harbour.",
    },
    "ru": {
        "boat": "Судно снабжения выходит из порта в девять.",
        "kitchen": "Кухня закрыта в воскресенье.",
        "dogs": "Собак держат на поводке возле порта.",
    },
    "zh": {"boat": "补给船九点离开港口。", "kitchen": "厨房周日关门。", "dogs": "港口附近的狗必须拴绳。"},
}
QUESTIONS = {
    "en": {"q1": "When does the supply boat leave?", "q2": "Is the kitchen closed?", "q3": "Dogs near the harbour?"},
    "ru": {"q1": "Когда выходит судно?", "q2": "Кухня закрыта?", "q3": "Собаки возле порта?"},
    "zh": {"q1": "补给船几点离开？", "q2": "厨房周日开门吗？", "q3": "狗要拴绳吗？"},
}
GOLD = {"q1": "boat", "q2": "kitchen", "q3": "dogs"}
ANSWER = {"en": "SECRETGOLD at nine", "ru": "ТАЙНА в девять", "zh": "秘密九点"}


def collection(lang: str = "en", **changes: Any) -> Collection:
    """Three documents and three queries with references and nuggets; the first two may be replaced alone."""
    chunks = [document(name, lang, text, "") for name, text in TEXTS[lang].items()]
    queries = tuple(Query(query_id, lang, text) for query_id, text in QUESTIONS[lang].items())
    qrels = {query_id: {doc_id: 1} for query_id, doc_id in GOLD.items()}
    nuggets = tuple(
        Nugget(f"{query_id}_{n}", query_id, lang, f"{TEXTS[lang][doc_id]} {n}", Importance.VITAL, (doc_id,))
        for query_id, doc_id in GOLD.items()
        for n in (1, 2)
    )
    references = changes.pop("references", {query_id: f"{ANSWER[lang]} {query_id}" for query_id in GOLD})
    items = items_for(changes.pop("queries", queries), references)
    return replace(Collection("small", lang, "test", lambda: iter(chunks), items, qrels, nuggets), **changes)


def write_beir(folder: Path, lang: str = "en") -> Path:
    """The same in BEIR's layout, which has neither references nor nuggets."""
    write_jsonl(folder / "corpus.jsonl", [{"_id": k, "title": "", "text": v} for k, v in TEXTS[lang].items()])
    write_jsonl(folder / "queries.jsonl", [{"_id": k, "text": v} for k, v in QUESTIONS[lang].items()])
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    write_beir_qrels(folder / "qrels" / "test.tsv", {query_id: {doc: 1} for query_id, doc in GOLD.items()})
    return folder


def write_own(folder: Path) -> Path:
    """The same in our own layout, in three languages."""
    langs = list(TEXTS)
    folder.mkdir(parents=True, exist_ok=True)
    head = {"name": "small", "version": "1", "licence": "CC0", "languages": langs}
    (folder / "bench.json").write_text(json.dumps(head), encoding="utf-8")
    for lang in langs:
        own = collection(lang)
        rows = [{"doc_id": c.doc_id, "source_id": c.source_id, "start": c.start, "end": c.end, "text": c.text,
                 "lang": lang} for c in own.chunks()]  # fmt: skip
        write_jsonl(folder / "corpus" / f"{lang}.jsonl", rows)
        kind = {"lang": lang, "answerable": True, "type": "single"}
        queries = [{"query_id": q.query_id, "text": q.text, "reference": own.references[q.query_id],
                    "gold": [[GOLD[q.query_id]]], **kind} for q in own.queries]  # fmt: skip
        write_jsonl(folder / "queries" / f"{lang}.jsonl", queries)
        nuggets = [{"nugget_id": n.nugget_id, "query_id": n.query_id, "text": n.text, "importance": "vital",
                    "doc_ids": list(n.doc_ids)} for n in own.nuggets]  # fmt: skip
        write_jsonl(folder / "nuggets" / f"{lang}.jsonl", nuggets)
    return folder


class WordRetriever:
    """Scores a document by the characters that it shares with the query."""

    asked: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []

    def index(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = sorted(chunks, key=lambda chunk: chunk.doc_id, reverse=True)

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        self.asked.append(query.query_id)
        scored = [(float(len(set(query.text) & set(chunk.text))), chunk) for chunk in self.chunks]
        scored.sort(key=lambda pair: -pair[0])
        return [Hit(chunk, score, rank) for rank, (score, chunk) in enumerate(scored[:top_k], start=1)]


class StoppingRetriever(WordRetriever):
    """Asks for the stop when it has answered as many queries as it may."""

    signal: ClassVar[StopSignal]
    may: ClassVar[int] = 1

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        found = super().retrieve(query, top_k)
        if len(self.asked) >= self.may:
            self.signal.ask("enough")
        return found


class UnsortedRetriever(WordRetriever):
    """Returns the worst first."""

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        return super().retrieve(query, top_k)[::-1]


class SilentRetriever(WordRetriever):
    """Finds nothing for the first query."""

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        return [] if query.query_id == "q1" else super().retrieve(query, top_k)


class BrokenRetriever(WordRetriever):
    """Returns, or raises, what no retriever may."""

    fault: ClassVar[str] = ""

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        found = super().retrieve(query, top_k)
        if self.fault == "raises":
            raise ZeroDivisionError("no vector")
        if self.fault == "twice":
            return [*found, found[0]]
        if self.fault == "nan":
            return [replace(found[0], score=float("nan"))]
        return [replace(found[0], chunk=replace(found[0].chunk, doc_id="elsewhere"))]


class OneFailsReranker:
    """Cannot rank the second query at first; forgets the best hit of the others."""

    failing: ClassVar[bool] = True

    async def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        if self.failing and query.query_id == "q2":
            raise RerankFailed("the endpoint is busy")
        return [Hit(hit.chunk, 1 / rank, rank) for rank, hit in enumerate(reversed(hits[1:]), start=1)]
