"""Measure how well unequal items are found, and how often equal ones are flagged.

    python studies/parity/study.py --out studies/parity/figures.json

In each batch 20 of the sample's items are made unequal in one language (`planting.py`): five kinds, six languages, so
600 planted items; two milder kinds beside them. Power is the share of the planted items that are flagged as harder.
False alarms are the flagged ones among all pairs of item and language that the batch left alone: the other items of
the language, and all items of the other languages. `found elsewhere` are planted items that the retrievers find in the
other languages (mean RR of .5 or more, before planting): an item that none finds anywhere cannot become harder. Then
all six batches of a kind at once: 20 unequal items in each language. `statistics` compares what else could be tested,
each with the same empirical null. XQuAD, whose texts are translations by professionals, takes the last part.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from parity.planting import KINDS, MILD, UNEQUAL, Batch, plant
from ragaliq.benchmark.judgements import gold_of
from ragaliq.benchmark.load import Benchmark, load_benchmark
from ragaliq.build.parity.across_languages import counterpart_margins, document_margins
from ragaliq.build.parity.item_parity import LEVEL, ItemScores, item_scores
from ragaliq.build.parity.shifts import chance_p, local_shifts, stronger
from ragaliq.build.validity.certificate import relevant_documents
from ragaliq.build.validity.configurations import ConfigurationScores
from ragaliq.metrics.statistics.intervals import share_interval
from ragaliq.types import Query
from record import write

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "velmora"
FOUND = 0.5
Array = NDArray[Any]


@dataclass(frozen=True)
class Scored:
    """A benchmark's scores, and the RR of each language, retriever and item."""

    scores: ItemScores
    rr: Array


@dataclass(frozen=True)
class Outcome:
    """For each planted item of a batch whether it is flagged as harder and found elsewhere; what is flagged else."""

    hits: Array
    found: Array
    alarms: Array


def scored(benchmark: Benchmark, clean: Scored | None = None, changed: Sequence[str] = ()) -> Scored:
    """Score all items of a benchmark; languages that are not among the changed ones have the clean retrieval scores."""
    parts = {lang: _within(benchmark, lang) for lang in (benchmark.languages if clean is None else changed)}
    if clean is not None:
        parts = {lang: parts.get(lang) or _row(clean, row) for row, lang in enumerate(clean.scores.langs)}
    langs, ids = benchmark.languages, next(iter(parts.values())).query_ids
    margins, ranks, rr = (np.array([getattr(one, name) for one in parts.values()]) for name in ("margin", "rank", "rr"))
    texts = {lang: [query.text for query in _queries(benchmark, lang, ids)] for lang in langs}
    gold = gold_of(benchmark.collections[langs[0]])
    documents = document_margins(benchmark.chunks, langs, [gold[query_id] for query_id in ids])
    return Scored(ItemScores(langs, ids, margins, ranks, counterpart_margins(texts), documents), rr)


@dataclass(frozen=True)
class _Within:
    """A language's part of the scores."""

    query_ids: tuple[str, ...]
    margin: Array
    rank: Array
    rr: Array


def _within(benchmark: Benchmark, lang: str) -> _Within:
    chunks = {lang: benchmark.chunks[lang]}
    scores = item_scores(replace(benchmark, collections={lang: benchmark.collections[lang]}, chunks=chunks))
    queries = _queries(benchmark, lang, scores.query_ids)
    values = ConfigurationScores(lang, benchmark.chunks[lang]).scores(queries, relevant_documents(benchmark, lang))
    return _Within(scores.query_ids, scores.margins[0], scores.ranks[0], values["RR"])


def _row(one: Scored, row: int) -> _Within:
    return _Within(one.scores.query_ids, one.scores.margins[row], one.scores.ranks[row], one.rr[row])


def _queries(benchmark: Benchmark, lang: str, ids: Sequence[str]) -> list[Query]:
    queries = {item.query.query_id: item.query for item in benchmark.items[lang]}
    return [queries[query_id] for query_id in ids]


def shipped(one: Scored) -> Array:
    """The shift that `item_parity` takes."""
    scores = one.scores
    assert scores.queries is not None and scores.documents is not None
    return retrievers_alone(one) + stronger(local_shifts(scores.queries), local_shifts(scores.documents))


def retrievers_alone(one: Scored) -> Array:
    """The same without the encoder."""
    return (local_shifts(one.scores.margins) + local_shifts(one.scores.ranks)) / 2


def _logit(values: Array) -> Array:
    clipped = np.clip(values, 0.005, 0.99)
    odds: Array = np.log(clipped / (1 - clipped))
    return odds


def _global(values: Array) -> Array:
    """Differences from the other languages' median, scaled in each language by its MAD, whatever the difficulty."""
    centred = values - np.median(values, axis=1, keepdims=True)
    levels = np.array([np.median(np.delete(centred, row, axis=0), axis=0) for row in range(len(centred))])
    apart = centred - levels
    scaled: Array = apart / (np.median(np.abs(apart), axis=1, keepdims=True) + 1e-9)
    return scaled


def _mantel_haenszel(one: Scored) -> Array:
    """Log odds ratio of success at 10 in a language against the others, retrievers as strata."""
    success = (one.rr >= 0.1).astype(float)
    rows = []
    for row in range(len(success)):
        here, there = success[row], np.delete(success, row, axis=0)
        others = len(there)
        better = (here * (1 - there).sum(axis=0)).sum(axis=0) / (others + 1)
        worse = ((1 - here) * there.sum(axis=0)).sum(axis=0) / (others + 1)
        rows.append(np.log((better + 0.5) / (worse + 0.5)))
    return np.array(rows)


STATISTICS: Mapping[str, Callable[[Scored], Array]] = {
    "shipped": shipped,
    "retrievers alone": retrievers_alone,
    "margin alone": lambda one: local_shifts(one.scores.margins),
    "log rank": lambda one: local_shifts(one.scores.ranks),
    "log rank, one scale": lambda one: _global(one.scores.ranks),
    "mean RR": lambda one: local_shifts(one.rr.mean(axis=1)),
    "mean logit RR": lambda one: local_shifts(_logit(one.rr).mean(axis=1)),
    "success at 10, Mantel-Haenszel": _mantel_haenszel,
}


def flags(shifts: Array) -> Array:
    """Return whether each is flagged, and −1 or 1 for harder or easier."""
    centred = shifts - np.median(shifts, axis=1, keepdims=True)
    return np.where(chance_p(centred) < LEVEL, np.sign(centred), 0.0)


def outcome(shifts: Array, batches: Mapping[str, Batch], one: Scored, clean: Scored) -> Outcome:
    """Return what a test finds of the batches, by the language that each is planted in."""
    found, ids = flags(shifts), one.scores.query_ids
    elsewhere = np.array([np.delete(clean.rr.mean(axis=1), row, axis=0).mean(axis=0) for row in range(len(clean.rr))])
    planted, alone = np.zeros(found.shape, dtype=bool), np.ones(found.shape, dtype=bool)
    for lang, batch in batches.items():
        row = one.scores.langs.index(lang)
        planted[row] = [query_id in batch.planted for query_id in ids]
        alone[row] = [query_id not in batch.touched for query_id in ids]
    return Outcome(found[planted] < 0, elsewhere[planted] >= FOUND, found[alone] != 0)


def share(values: Array) -> dict[str, object]:
    """Return a share with n and its Wilson interval."""
    hits, n = int(np.sum(values)), len(values)
    ends = share_interval(hits, n) if n else None
    return {"n": n, "share": round(hits / n, 4) if n else None, "ci": [round(end, 4) for end in ends] if ends else None}


def summary(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """Return power and false alarms over batches."""
    hits, found, alarms = (np.concatenate([getattr(one, key) for one in outcomes])
                           for key in ("hits", "found", "alarms"))  # fmt: skip
    return {"power": share(hits), "power, found elsewhere": share(hits[found]), "false alarms": share(alarms)}


def batch_outcomes(
    benchmark: Benchmark, clean: Scored, kinds: Sequence[str], langs: Sequence[str], seed: int
) -> dict[str, dict[str, list[Outcome]]]:
    """Return statistic → kind → outcomes of its batches, one for each language."""
    outcomes: dict[str, dict[str, list[Outcome]]] = {name: {kind: [] for kind in kinds} for name in STATISTICS}
    for kind in kinds:
        for lang in langs:
            batch = plant(benchmark, lang, kind, seed)
            one = scored(batch.benchmark, clean, [lang])
            for name, statistic in STATISTICS.items():
                outcomes[name][kind].append(outcome(statistic(one), {lang: batch}, one, clean))
            print(f"{kind}, {lang}: {outcomes['shipped'][kind][-1].hits.mean():.2f}", file=sys.stderr, flush=True)
    return outcomes


def everywhere(benchmark: Benchmark, clean: Scored, kind: str, seed: int) -> Outcome:
    """Return what the shipped test finds with 20 items planted in every language."""
    batches = {lang: plant(benchmark, lang, kind, seed) for lang in benchmark.languages}
    whole = replace(
        benchmark,
        collections={lang: batch.benchmark.collections[lang] for lang, batch in batches.items()},
        chunks={lang: batch.benchmark.chunks[lang] for lang, batch in batches.items()},
    )
    one = scored(whole)
    return outcome(shipped(one), batches, one, clean)


def study(benchmark: Benchmark, kinds: Sequence[str], seed: int) -> dict[str, object]:
    """Return the figures of a benchmark."""
    clean = scored(benchmark)
    outcomes = batch_outcomes(benchmark, clean, kinds, benchmark.languages, seed)
    unequal = [kind for kind in kinds if kind in UNEQUAL]
    return {
        "items": len(clean.scores.query_ids),
        "flagged without planting": share(flags(shipped(clean)).ravel() != 0),
        "unequal": summary([one for kind in unequal for one in outcomes["shipped"][kind]]),
        "by kind": {kind: summary(outcomes["shipped"][kind]) for kind in kinds},
        "by language": {
            lang: summary([outcomes["shipped"][kind][place] for kind in unequal])
            for place, lang in enumerate(benchmark.languages)
        },
        "statistics": {
            name: summary([one for kind in unequal for one in rows[kind]]) for name, rows in outcomes.items()
        },
        "planted in every language at once": summary([everywhere(benchmark, clean, kind, seed) for kind in unequal]),
    }


def main() -> None:
    """Run the study and write its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--xquad", type=Path, help="XQuAD's folder; without it the sample alone")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    figures = {"sample": study(load_benchmark(SAMPLE), list(KINDS), arguments.seed)}
    if arguments.xquad:
        figures["xquad"] = study(load_benchmark(arguments.xquad), list(UNEQUAL), arguments.seed)
    write(arguments.out, {"kinds": list(UNEQUAL), "mild": list(MILD), "level": LEVEL, **figures})


if __name__ == "__main__":
    main()
