"""Which pairs of nugget and document a person judges, without the benchmark's label."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragaliq.formats.trec.qrels import read_nugget_qrels, read_qrels
from ragaliq.review.sampling import Place, place_number
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

    The others are a simple random draw from all of the language, whatever the query: after an unsupported pair of a
    query nobody knows what the next one is. If there are fewer of them, all are taken. The choice says nothing about
    the order in which pairs are judged.
    """
    positive: dict[str, Place] = {}
    order = sorted(pairs, key=lambda place: (place_number(seed, place, "chosen"), place))
    for place in order:
        if pairs[place]:
            positive.setdefault(place.query_id, place)
    negative = [place for place in order if not pairs[place]][: len(positive)]
    return sorted([*positive.values(), *negative])
