"""What each family of retrievers adds to the pool: the pool without it, and the ranking of systems by that pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragaliq.build.quality.built import Built, Scores
from ragaliq.build.stages import pool
from ragaliq.config import Component
from ragaliq.metrics.agreement.rank_correlation import kendall_tau
from ragaliq.metrics.retrieval.ranking import evaluate_run
from ragaliq.retrieve.hybrid import CHANNELS
from ragaliq.types import Chunk, Hit, Qrels

MEASURE = "nDCG@10"
_Lists = Mapping[tuple[str, str], Scores]
_FAMILY = {"bm25": "words", "char": "chars", "dense": "vectors"}


@dataclass(frozen=True, slots=True)
class LeftOutFamily:
    """The pool without every retriever that uses a family of signals: words, characters, vectors, learned weights.

    Attributes:
        lang: the language.
        family: the signal.
        left_out: the retrievers that use it, a hybrid among them.
        rest: the other retrievers, which make this pool.
        queries: answerable queries.
        relevant: pairs of a query and a relevant document, as far as known.
        lost: share of them that only retrievers of the family found; documents that a query was written from and
            random ones are in every pool. None without any.
        systems: retrieval systems ranked: each retriever with each query text that a system under test could have.
        tau: Kendall's τ_b of their mean `MEASURE` by all judgements and by those of the rest; None where all tie.
        rank_moved: most ranks that a system moves.
    """

    lang: str
    family: str
    left_out: list[str]
    rest: list[str]
    queries: int
    relevant: int
    lost: float | None
    systems: int
    tau: float | None
    rank_moved: int


def families_left_out(built: Built) -> list[LeftOutFamily]:
    """Return, for each language and family, the pool without it."""
    names = built.settings.pool.retrievers
    families = sorted({family for name in names for family in retriever_families(name)})
    figures = []
    for lang in built.corpora:
        if built.answerable(lang):
            lists = built.lists(lang)
            figures += [_without(built, lang, family, lists) for family in families]
    return figures


def retriever_families(name: str) -> frozenset[str]:
    """Return the families of signals that a retriever uses; a hybrid has those of its channels."""
    component = Component.parse(name, "pool.retrievers")
    if component.kind != "hybrid":
        return frozenset({_FAMILY.get(component.kind, component.kind)})
    families: set[str] = set()
    for channel in component.options.get("channels", CHANNELS):
        families |= {channel} if channel in CHANNELS else retriever_families(channel)
    return frozenset(families)


def _without(built: Built, lang: str, family: str, lists: _Lists) -> LeftOutFamily:
    names = list(built.settings.pool.retrievers)
    rest = [name for name in names if family not in retriever_families(name)]
    qrels = built.qrels(lang)
    pooled = _pooled(lists, rest, built.corpora[lang], built.settings.pool.judged)
    kept = {
        query_id: {doc_id: rel for doc_id, rel in docs.items()
                   if not rel or doc_id in pooled.get(query_id, ()) or doc_id in _always(built, lang, query_id)}
        for query_id, docs in qrels.items()
    }  # fmt: skip
    relevant, left = _relevant(qrels), _relevant(kept)
    systems = [lists[kind, name] for kind in pool.QUERY_KINDS if kind not in pool.ORACLE_KINDS for name in names]
    whole, values = _values(systems, qrels), _values(systems, kept)
    moved = max(abs(one - two) for one, two in zip(_places(whole), _places(values), strict=True))
    return LeftOutFamily(
        lang,
        family,
        [name for name in names if name not in rest],
        rest,
        len(qrels),
        relevant,
        1 - left / relevant if relevant else None,
        len(systems),
        kendall_tau(whole, values),
        moved,
    )


def _always(built: Built, lang: str, query_id: str) -> set[str]:
    """Return the documents of a query that no retriever had to find: random ones, and those it was written from."""
    row = built.pooled[lang, query_id]
    return {one["doc_id"] for one in row.value["documents"] if one.get("negative") or one.get("gold")}


def _pooled(lists: _Lists, names: Sequence[str], corpus: Sequence[Chunk], depth: int) -> dict[str, set[str]]:
    """Return the documents of each query that a pool of some retrievers contains."""
    chunks = {chunk.doc_id: chunk for chunk in corpus}
    doc_ids = sorted(chunks)
    numbers = {doc_id: number for number, doc_id in enumerate(doc_ids)}
    pooled: dict[str, set[str]] = {}
    for kind in pool.QUERY_KINDS:
        by_name = {name: lists[kind, name] for name in names}
        for query_id in sorted({query_id for scores in by_name.values() for query_id in scores}):
            hits = {name: _hits(scores.get(query_id, {}), chunks) for name, scores in by_name.items()}
            pooled.setdefault(query_id, set()).update(pool.fused(hits, numbers, doc_ids, depth))
    return pooled


def _hits(scores: Mapping[str, float], chunks: Mapping[str, Chunk]) -> list[Hit]:
    return [Hit(chunks[doc_id], score, rank) for rank, (doc_id, score) in enumerate(scores.items(), start=1)]


def _relevant(qrels: Qrels) -> int:
    return sum(rel > 0 for docs in qrels.values() for rel in docs.values())


def _values(systems: Sequence[Scores], qrels: Qrels) -> list[float]:
    # Rounded, so that the order of a sum decides no rank.
    return [round(evaluate_run(scores, qrels, [MEASURE]).mean(MEASURE) or 0.0, 9) for scores in systems]


def _places(values: Sequence[float]) -> list[int]:
    """Return how many values are greater than each."""
    return [sum(other > value for other in values) for value in values]
