"""Whether the benchmark separates systems: random, BM25 and hybrid, on the filtered and on the unfiltered set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from ragaliq.build.plan import draw
from ragaliq.build.quality.built import FILTERED, UNFILTERED, Built, Scores
from ragaliq.build.stages import pool
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.metrics.retrieval.ranking import evaluate_run
from ragaliq.metrics.statistics.intervals import mean_interval
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.power import detectable_difference
from ragaliq.metrics.statistics.significance import paired_bootstrap, sign_flip
from ragaliq.types import Chunk, Query

MEASURE = "nDCG@10"
RANDOM = "random"
SYSTEMS = (RANDOM, "bm25", "hybrid")
_DEPTH = 100


@dataclass(frozen=True, slots=True)
class SystemFigure:
    """A system on the answerable queries of a set.

    Attributes:
        lang: the language.
        set_name: `filtered`, the benchmark, or `unfiltered`, with the queries that the two rules removed.
        system: `random`, `bm25` or `hybrid`; the one that uses no information comes first.
        queries: answerable queries of the set.
        mean: mean `MEASURE`; unjudged documents and queries without relevant documents count 0.
        interval: its 95 % interval over queries; None for fewer than two.
        difference: to the system before; `difference_interval` is its 95 % bootstrap interval.
        p: two-sided sign-flip test of the difference, by Holm over the languages; None for the first system.
        detectable: least true difference that as many queries detect with a chance of 80 %; None where all differences
            are equal.
    """

    lang: str
    set_name: str
    system: str
    queries: int
    mean: float
    interval: tuple[float, float] | None
    difference: float | None
    difference_interval: tuple[float, float] | None
    p: float | None
    detectable: float | None


def discriminability(built: Built) -> list[SystemFigure]:
    """Return the figures of each system in each language and set; a set without answerable queries has none."""
    figures = []
    for lang, corpus in built.corpora.items():
        rows = built.answerable(lang, UNFILTERED)
        queries = [Query(row.item_id, lang, row.value["text"]) for row in rows]
        runs = {system: _run(built, system, corpus, queries) for system in SYSTEMS} if queries else {}
        for set_name in (FILTERED, UNFILTERED):
            qrels = built.qrels(lang, set_name)
            before: list[float] = []
            for system, run in runs.items() if qrels else ():
                asked = {query_id: run.get(query_id, {}) for query_id in qrels}
                values = [float(value) for value in evaluate_run(asked, qrels, [MEASURE]).values[MEASURE]]
                figures.append(_figure(lang, set_name, system, values, before))
                before = values
    return _corrected(figures)


def _figure(lang: str, set_name: str, system: str, values: Sequence[float], before: Sequence[float]) -> SystemFigure:
    spread = mean_interval(values)
    interval = spread and (spread.low, spread.high)
    if not before:
        return SystemFigure(lang, set_name, system, len(values), fmean(values), interval, None, None, None, None)
    differences = [one - two for one, two in zip(values, before, strict=True)]
    resampled = paired_bootstrap(before, values)
    return SystemFigure(
        lang,
        set_name,
        system,
        len(values),
        fmean(values),
        interval,
        fmean(differences),
        (resampled.interval.low, resampled.interval.high) if resampled else None,
        sign_flip(before, values),
        (detectable_difference(stdev(differences), len(values)) or None) if len(values) > 1 else None,
    )


def _corrected(figures: Sequence[SystemFigure]) -> list[SystemFigure]:
    """Return figures with the p values of each set and system corrected for the number of languages."""
    corrected = list(figures)
    for key in {(one.set_name, one.system) for one in figures}:
        places = [place for place, one in enumerate(figures) if (one.set_name, one.system) == key]
        for place, p in zip(places, holm([figures[place].p for place in places]), strict=True):
            corrected[place] = replace(figures[place], p=p)
    return corrected


def _run(built: Built, system: str, corpus: Sequence[Chunk], queries: Sequence[Query]) -> Scores:
    context = built.context
    if system == RANDOM:
        return {query.query_id: _shuffled(corpus, query.query_id, context.settings.seed) for query in queries}
    if system in context.settings.pool.retrievers:
        # The pool has its lists for the questions already.
        question = pool.QUERY_KINDS[0]
        return built.lists(queries[0].lang, [question])[question, system]
    embedder = make(
        "embedder",
        Component.parse(context.settings.pool.embedder, "pool.embedder"),
        seed=context.settings.seed,
        session=context.session,
    )
    retriever = make("retriever", Component(system), embedder=embedder, index_dir=None)
    retriever.index(corpus)
    lists = retriever.retrieve_batch(queries, _DEPTH)
    return {
        query.query_id: {hit.chunk.doc_id: hit.score for hit in hits}
        for query, hits in zip(queries, lists, strict=True)
    }


def _shuffled(corpus: Sequence[Chunk], query_id: str, seed: int) -> dict[str, float]:
    order = sorted((chunk.doc_id for chunk in corpus), key=lambda doc_id: draw(seed, f"random\0{query_id}\0{doc_id}"))
    return {doc_id: -float(place) for place, doc_id in enumerate(order[:_DEPTH])}
