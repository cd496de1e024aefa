"""Pool: which documents are judged for each query, found by several query texts and several retrievers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ragaliq.build.context import BuildContext
from ragaliq.build.plan import draw
from ragaliq.build.stage_row import StageRow, content_hash
from ragaliq.build.stages import closed_book, nuggets
from ragaliq.build.stages.chunk import chunks_of
from ragaliq.build.update.pools import EarlierPools, pool_entry
from ragaliq.components import make
from ragaliq.config import Component, slug
from ragaliq.errors import InputError
from ragaliq.formats.trec.run import run_lines
from ragaliq.retrieve import Retriever, TopDocs
from ragaliq.retrieve.fusion import fuse
from ragaliq.storage.files import write_lines
from ragaliq.types import Chunk, Hit, Query

NAME = "pool"
# The query texts. A system under test has only the first; the last two contain the answer (oracle).
QUERY_KINDS = ("question", "subquestions", "closed-book", "reference", "nuggets")
ORACLE_KINDS = ("reference", "nuggets")
# Kind of query text and retriever → query id → hits, best first.
_Lists = Mapping[tuple[str, str], Mapping[str, Sequence[Hit]]]


@dataclass(frozen=True, slots=True)
class _Pooled:
    """A query with its texts by kind."""

    row: StageRow
    texts: Mapping[str, str]

    @property
    def query_id(self) -> str:
        return self.row.item_id


def pool(context: BuildContext) -> None:
    """Write a row for each query: the documents to be judged, and at which ranks which kinds and retrievers found them.

    For each kind of query text the lists of all retrievers are fused (scores divided by the list's greatest, summed
    over the best `depth`), and the best `judged` of each fused list are pooled, with the documents that the query was
    written from and random others. The lists themselves are TREC runs below `DIR/build/pool/`. A kind without a text
    for a query adds nothing to its pool. A query without documents in its language is removed.

    In an update, a query that stays keeps its documents, also where they would no longer be found (`earlier`), and of
    the others only those get in that are new in the corpus.
    """
    corpora, pooled = chunks_of(context), _pooled(context)
    for run in (context.workspace.build / NAME).glob("*.trec"):
        # Of retrievers and languages that the settings may no longer name.
        run.unlink()
    earlier = EarlierPools(context)
    rows = []
    for lang in sorted({one.row.lang for one in pooled}):
        queries = [one for one in pooled if one.row.lang == lang]
        if lang in corpora:
            rows += _rows(context, lang, corpora[lang], queries, earlier)
        else:
            rows += [_row(one, {}, "no documents", f"no chunk is in the language '{lang}'") for one in queries]
    context.workspace.write_rows(NAME, rows)


def query_texts(row: StageRow, book: StageRow) -> dict[str, str]:
    """Return a query's texts by kind."""
    answers = book.value["answers"]
    texts = {
        "question": row.value["text"],
        "subquestions": " ".join(book.value["subquestions"]),
        "closed-book": answers[0]["answer"] if answers else "",
        "reference": row.value["reference"],
        "nuggets": " ".join(one["text"] for one in row.value["nuggets"]),
    }
    return {kind: text for kind, text in texts.items() if text.strip()}


def run_file(context: BuildContext, lang: str, kind: str, retriever: str) -> Path:
    """Return the TREC run of one kind of query text and one retriever."""
    return context.workspace.build / "pool" / f"{lang}.{kind}.{slug(retriever)}.trec"


def fused(
    lists: Mapping[str, Sequence[Hit]], numbers: Mapping[str, int], doc_ids: Sequence[str], top_k: int
) -> list[str]:
    """Return the best documents of several lists of one query, fused as `retrieve.fusion` does."""
    channels = [
        TopDocs(np.array([numbers[hit.chunk.doc_id] for hit in hits], np.int32), _evidence(hits))
        for hits in lists.values()
        if hits
    ]
    return [doc_ids[number] for number in fuse(channels, top_k).docs.tolist()] if channels else []


def _evidence(hits: Sequence[Hit]) -> Any:
    """Return scores above 0 in the same order.

    Fusion takes a score of 0 or less for no evidence. For a retriever with such scores (logits, negative distances),
    each hit is evidence: the lowest of n hits counts 1/n.
    """
    scores = np.array([hit.score for hit in hits], np.float64)
    if scores.min() <= 0:
        spread = float(scores.max() - scores.min()) or 1.0
        scores = (scores - scores.min()) / spread * (1 - 1 / len(hits)) + 1 / len(hits)
    return scores.astype(np.float32)


def _pooled(context: BuildContext) -> list[_Pooled]:
    rows = {(row.lang, row.item_id): row for row in context.workspace.kept(nuggets.NAME)}
    books = context.workspace.kept(closed_book.NAME)
    return [_Pooled(rows[book.lang, book.item_id], query_texts(rows[book.lang, book.item_id], book)) for book in books]


def _rows(
    context: BuildContext, lang: str, corpus: Sequence[Chunk], pooled: Sequence[_Pooled], earlier: EarlierPools
) -> list[StageRow]:
    doc_ids = sorted(chunk.doc_id for chunk in corpus)
    numbers = {doc_id: number for number, doc_id in enumerate(doc_ids)}
    lists = _lists(context, lang, corpus, pooled)
    settings = context.settings.pool
    rows = []
    for one in pooled:
        entries = earlier.kept(lang, one.query_id, _found(one, lists, numbers, doc_ids, settings.judged), numbers)
        for doc_id in (doc_id for group in one.row.value["gold"] for doc_id in group):
            entries.setdefault(doc_id, pool_entry(doc_id))["gold"] = True
        rest = sorted(
            (doc_id for doc_id in doc_ids if doc_id not in entries),
            key=lambda doc_id: draw(context.settings.seed, f"{one.query_id}\0{doc_id}"),
        )
        n_negatives = sum("negative" in entry for entry in entries.values())
        for doc_id in rest[: max(0, settings.negatives - n_negatives)]:
            entries[doc_id] = {**pool_entry(doc_id), "negative": True}
        rows.append(_row(one, _with_ranks(entries, one.query_id, lists)))
    return rows


def _found(
    one: _Pooled, lists: _Lists, numbers: Mapping[str, int], doc_ids: Sequence[str], top_k: int
) -> dict[str, dict[str, Any]]:
    """Return the best documents of each kind of text, with their rank in the kind's fused list."""
    entries: dict[str, dict[str, Any]] = {}
    for kind in QUERY_KINDS:
        by_retriever = {name: lists[k, name].get(one.query_id, ()) for k, name in lists if k == kind}
        for rank, doc_id in enumerate(fused(by_retriever, numbers, doc_ids, top_k), start=1):
            entries.setdefault(doc_id, pool_entry(doc_id))["fused"][kind] = rank
    return entries


def _with_ranks(entries: dict[str, dict[str, Any]], query_id: str, lists: _Lists) -> dict[str, dict[str, Any]]:
    """Note for each pooled document its rank in every list that contains it, however deep."""
    for (kind, name), by_query in lists.items():
        for hit in by_query.get(query_id, ()):
            if hit.chunk.doc_id in entries:
                entries[hit.chunk.doc_id]["ranks"][f"{kind}/{name}"] = hit.rank
    return entries


def _row(one: _Pooled, entries: Mapping[str, Any], reason: str = "", detail: str = "") -> StageRow:
    documents = [entries[doc_id] for doc_id in sorted(entries)]
    inputs = content_hash([NAME, one.row.inputs, dict(one.texts)])
    value = {"texts": dict(one.texts), "documents": documents}
    return StageRow(one.query_id, one.row.lang, value, reason, detail, inputs)


def _lists(context: BuildContext, lang: str, corpus: Sequence[Chunk], pooled: Sequence[_Pooled]) -> _Lists:
    """Run every retriever on every kind of text, and write each list as a TREC run."""
    settings = context.settings.pool
    known = {chunk.doc_id for chunk in corpus}
    lists: dict[tuple[str, str], dict[str, list[Hit]]] = {}
    for name, retriever in _retrievers(context).items():
        retriever.index(corpus)
        for kind in QUERY_KINDS:
            queries = [Query(one.query_id, lang, one.texts[kind]) for one in pooled if kind in one.texts]
            rankings = _retrieve(retriever, queries, settings.depth)
            lists[kind, name] = {
                query.query_id: _best(
                    hits, settings.depth, known, f"pool.retrievers '{name}', query '{query.query_id}'"
                )
                for query, hits in zip(queries, rankings, strict=True)
            }
            _write_run(run_file(context, lang, kind, name), lists[kind, name], name)
    return lists


def _best(hits: Iterable[Hit], depth: int, known: set[str], where: str) -> list[Hit]:
    """Return the best `depth` hits, score descending, then doc id descending, in whatever order they came.

    Raises:
        InputError: if a score is no finite number, or a document occurs twice or is not in the corpus.
    """
    ordered = sorted(hits, key=lambda hit: (hit.score, hit.chunk.doc_id), reverse=True)
    doc_ids = [hit.chunk.doc_id for hit in ordered]
    if not all(math.isfinite(hit.score) for hit in ordered):
        raise InputError(f"{where}: a score is not a finite number; fix the retriever")
    if len(set(doc_ids)) < len(doc_ids) or not known.issuperset(doc_ids):
        raise InputError(f"{where}: a document occurs twice, or is not in the corpus; fix the retriever")
    return [Hit(hit.chunk, float(hit.score), rank) for rank, hit in enumerate(ordered[:depth], start=1)]


def _write_run(path: Path, lists: Mapping[str, Sequence[Hit]], name: str) -> None:
    ranked = {query_id: [(hit.chunk.doc_id, hit.score) for hit in hits] for query_id, hits in sorted(lists.items())}
    lines = (line for query_id, hits in ranked.items() for line in run_lines(query_id, hits, name))
    write_lines(path, (line.rstrip("\n").encode("utf-8") for line in lines))


def _retrievers(context: BuildContext) -> dict[str, Retriever]:
    settings, session = context.settings.pool, context.session
    part = Component.parse(settings.embedder, "pool.embedder")
    embedder = make("embedder", part, seed=context.settings.seed, session=session)
    parts = {name: Component.parse(name, "pool.retrievers") for name in settings.retrievers}
    return {
        name: make("retriever", part, embedder=embedder, index_dir=None, session=session)
        for name, part in parts.items()
    }


def _retrieve(retriever: Any, queries: Sequence[Query], depth: int) -> list[list[Hit]]:
    batch = getattr(retriever, "retrieve_batch", None)
    return batch(queries, depth) if batch else [retriever.retrieve(query, depth) for query in queries]
