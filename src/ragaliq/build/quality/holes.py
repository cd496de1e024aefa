"""What documents that nobody judged could change: measures with each of them counted not relevant, and relevant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragaliq.build.quality.built import Built
from ragaliq.build.stages import pool
from ragaliq.metrics.retrieval.ranking import evaluate_run

MEASURES = ("nDCG@10", "RR@10")
_JUDGED, _DEPTH = "Judged@10", 10


@dataclass(frozen=True, slots=True)
class Holes:
    """A retriever of the pool, asked the plain question.

    Attributes:
        lang: the language.
        retriever: its name.
        queries: answerable queries.
        judged: mean share of its first ten documents that are judged.
        measure: the measure's name.
        holes_as_0: its mean where unjudged documents count as not relevant, as in all other figures.
        holes_as_1: its mean where each of them in the first ten has relevance 1. They enter the ideal ranking, too, so
            that a normalised measure may also fall; RR@10 cannot.
    """

    lang: str
    retriever: str
    queries: int
    judged: float | None
    measure: str
    holes_as_0: float | None
    holes_as_1: float | None


def hole_figures(built: Built) -> list[Holes]:
    """Return the figures of each language, retriever and measure."""
    results = []
    for lang in built.corpora:
        qrels = built.qrels(lang)
        for (_, name), run in built.lists(lang, [pool.QUERY_KINDS[0]]).items():
            as_0 = evaluate_run(run, qrels, [*MEASURES, _JUDGED])
            filled = {
                query_id: {**dict.fromkeys(_first(run.get(query_id, {})), 1), **docs}
                for query_id, docs in qrels.items()
            }
            as_1 = evaluate_run(run, filled, MEASURES)
            results += [
                Holes(lang, name, len(qrels), as_0.mean(_JUDGED), measure, as_0.mean(measure), as_1.mean(measure))
                for measure in MEASURES
            ]
    return results


def _first(scores: Mapping[str, float]) -> list[str]:
    """Return the first ten documents of a list, in the order of the measures."""
    ranked = sorted(scores.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
    return [doc_id for doc_id, _ in ranked[:_DEPTH]]
