"""Which pairs of nugget and document a person judges, without the benchmark's label."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragaliq.formats.trec.qrels import read_nugget_qrels, read_qrels
from ragaliq.review.sampling import Place, drawn
from ragaliq.review.sources.records import LanguageRecords


def judged_pairs(folder: Path, records: LanguageRecords) -> dict[Place, bool]:
    """Return the pairs that a benchmark judges, and whether it calls them supported.

    They are those of `nugget_qrels/LANG.tsv`. Without that file, a nugget's documents support it, and the other
    documents that `qrels/LANG.tsv` or gold names for its query do not. Documents and nuggets that are not in the
    benchmark are left out.

    Raises:
        InputError: if a file of judgements is malformed.
    """
    lang, nuggets = records.lang, records.nuggets
    path = folder / "nugget_qrels" / f"{lang}.tsv"
    labels: dict[tuple[str, str], bool] = {}
    if path.is_file():
        for by_nugget in read_nugget_qrels(path).values():
            for nugget_id, judged in by_nugget.items():
                labels |= {(nugget_id, doc_id): relevance > 0 for doc_id, relevance in judged.items()}
    else:
        path = folder / "qrels" / f"{lang}.tsv"
        qrels = read_qrels(path) if path.is_file() else {}
        for nugget_id, nugget in nuggets.items():
            item = records.items.get(nugget.query_id)
            gold = () if item is None else tuple(doc_id for group in item.gold for doc_id in group)
            for doc_id in {*gold, *qrels.get(nugget.query_id, ()), *nugget.doc_ids}:
                labels[nugget_id, doc_id] = doc_id in nugget.doc_ids
    return {
        Place("", lang, nuggets[nugget_id].query_id, f"{nugget_id} {doc_id}"): supported
        for (nugget_id, doc_id), supported in sorted(labels.items())
        if nugget_id in nuggets and nuggets[nugget_id].query_id in records.items and doc_id in records.chunks
    }


def sampled_pairs(pairs: Mapping[Place, bool], seed: int) -> list[Place]:
    """Return one random pair of each query that is called supported, and as many others at random; sorted.

    The others are drawn from all of the language, not one for each query: who has judged a query's first pair must not
    know what its second one is. If there are fewer of them, all are taken.
    """
    positive: dict[str, Place] = {}
    for place in drawn((place for place, supported in pairs.items() if supported), seed):
        positive.setdefault(place.query_id, place)
    negative = drawn((place for place, supported in pairs.items() if not supported), seed, len(positive))
    return sorted([*positive.values(), *negative])
