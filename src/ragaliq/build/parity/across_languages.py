"""How well an item's texts find their counterparts in the other languages, by the embedded multilingual encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragaliq.text.sentence_encoder import encode
from ragaliq.types import Chunk

Array = NDArray[np.float64]
# An AND of ORs over doc ids, as in `Item.gold`.
Groups = Sequence[Sequence[str]]


def counterpart_margins(texts: Mapping[str, Sequence[str]]) -> Array:
    """Return a row for each language and a column for each text: how surely it and its counterparts find each other.

    For two languages a text's margin is the cosine to its counterpart less that to the nearest other text, the mean of
    both directions, less the median over the texts of the two languages. The value is the mean over the other
    languages. Texts at the same place are counterparts; with one text all values are 0.
    """
    vectors = [encode(texts[lang]).astype(np.float64) for lang in texts]
    sums = np.zeros((len(vectors), len(vectors[0])))
    for one, two in combinations(range(len(vectors)), 2):
        margins = _margins(vectors[one] @ vectors[two].T)
        for place in (one, two):
            sums[place] += margins - np.median(margins)
    means: Array = sums / max(len(vectors) - 1, 1)
    return means


def document_margins(chunks: Mapping[str, Sequence[Chunk]], langs: Sequence[str], gold: Sequence[Groups]) -> Array:
    """Return a row for each language and a column for each item: the mean of its gold's margins, among all gold."""
    names = sorted({doc_id for groups in gold for group in groups for doc_id in group})
    places = {doc_id: place for place, doc_id in enumerate(names)}
    texts = {lang: {chunk.doc_id: chunk.titled for chunk in chunks[lang] if chunk.doc_id in places} for lang in langs}
    margins = counterpart_margins({lang: [own[name] for name in names] for lang, own in texts.items()})
    columns = [sorted({places[doc_id] for group in groups for doc_id in group}) for groups in gold]
    return np.array([[row[column].mean() for column in columns] for row in margins])


def _margins(cosines: Array) -> Array:
    own = np.diag(cosines).copy()
    if len(own) < 2:
        return np.zeros(len(own))
    np.fill_diagonal(cosines, -np.inf)
    margins: Array = own - (cosines.max(axis=0) + cosines.max(axis=1)) / 2
    return margins
