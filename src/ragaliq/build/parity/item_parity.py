"""The parity of a benchmark's items: which are unequal in a language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragaliq.benchmark.judgements import gold_of
from ragaliq.benchmark.load import Benchmark
from ragaliq.build.parity.across_languages import Array, Groups, counterpart_margins, document_margins
from ragaliq.build.parity.parity_rows import ItemShift
from ragaliq.build.parity.shifts import chance_p, local_shifts, stronger
from ragaliq.build.parity.within_language import retrieval_scores
from ragaliq.build.validity.configurations import CONFIGURATIONS
from ragaliq.execution.progress import watched
from ragaliq.text.sentence_encoder import knows
from ragaliq.types import Query

# Per item and language: of equal items this share is flagged by chance.
LEVEL = 0.05
# With fewer items chance cannot be read off them.
LEAST_ITEMS = 20
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class ItemScores:
    """What is known of each item in each language: rows of languages, columns of items, greater is easier.

    Attributes:
        langs, query_ids: name the rows and columns.
        margins, ranks: as `retrieval_scores` returns them.
        queries, documents: as `counterpart_margins` returns them for the queries, and for the documents of the gold;
            None if the encoder does not know all languages.
    """

    langs: tuple[str, ...]
    query_ids: tuple[str, ...]
    margins: Array
    ranks: Array
    queries: Array | None
    documents: Array | None


def item_scores(benchmark: Benchmark) -> ItemScores:
    """Score the items that have gold in every language, with all retrievers."""
    gold = _shared_gold(benchmark)
    langs, ids = benchmark.languages, tuple(sorted(gold))
    queries = {lang: _queries(benchmark, lang, ids) for lang in langs}
    groups = [gold[query_id] for query_id in ids]
    scored = watched(langs if ids else (), "parity", len(langs) if ids else 0, "language")
    scores = [retrieval_scores(lang, queries[lang], groups, benchmark.chunks[lang]) for lang in scored]
    margins, ranks = (np.array([one[name] for one in scores]) for name in ("margin", "rank"))
    known = all(map(knows, langs)) and bool(ids)
    texts = {lang: [query.text for query in queries[lang]] for lang in langs}
    return ItemScores(
        langs,
        ids,
        margins,
        ranks,
        counterpart_margins(texts) if known else None,
        document_margins(benchmark.chunks, langs, groups) if known else None,
    )


def item_shifts(scores: ItemScores) -> list[ItemShift]:
    """Return a row for each item and language, sorted; none for fewer than two languages or `LEAST_ITEMS` items.

    The shift adds two parts: that of the retrievers within the language (mean of those of margin and rank), and, where
    the encoder knows the languages, that of the query or of the documents among their counterparts, whichever is the
    greater. Each item of two languages has the same shift in both, with other signs.
    """
    if len(scores.langs) < 2 or len(scores.query_ids) < LEAST_ITEMS:
        return []
    shifts = (local_shifts(scores.margins) + local_shifts(scores.ranks)) / 2
    if scores.queries is not None and scores.documents is not None:
        shifts = shifts + stronger(local_shifts(scores.queries), local_shifts(scores.documents))
    shifts -= np.median(shifts, axis=1, keepdims=True)
    p_values = chance_p(shifts)
    return [
        ItemShift(query_id, lang, round(float(shifts[row, column]), _DIGITS) + 0.0, p, p < LEVEL)
        for row, lang in sorted(enumerate(scores.langs), key=lambda pair: pair[1])
        for column, query_id in enumerate(scores.query_ids)
        for p in [float(f"{p_values[row, column]:.{_DIGITS}g}")]
    ]


def n_retrievers(scores: ItemScores) -> int:
    """Return how many retrievers scored each item in each language; the encoder counts as two."""
    return len(CONFIGURATIONS) + (0 if scores.queries is None else 2)


def _shared_gold(benchmark: Benchmark) -> dict[str, Groups]:
    """Return what answers each answerable query, if all of it is in every corpus and the query in every language."""
    answerable = [
        {item.query.query_id for item in items if item.answerable} for items in benchmark.items.values()
    ]  # fmt: skip
    corpora = [{chunk.doc_id for chunk in benchmark.chunks[lang]} for lang in benchmark.languages]
    shared, documents = set.intersection(*answerable), set.intersection(*corpora)
    gold = gold_of(benchmark.collections[benchmark.languages[0]])
    kept = {query_id: [[one for one in group if one in documents] for group in gold.get(query_id, ())]
            for query_id in shared}  # fmt: skip
    return {query_id: groups for query_id, groups in kept.items() if groups and all(groups)}


def _queries(benchmark: Benchmark, lang: str, ids: Sequence[str]) -> list[Query]:
    queries = {item.query.query_id: item.query for item in benchmark.items[lang]}
    return [queries[query_id] for query_id in ids]
