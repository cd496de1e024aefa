"""Reranking to a depth: the first hits change places among themselves, and nothing else happens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ragaliq.errors import InputError
from ragaliq.types import Hit

RERANK_DEPTH = 50


def merge_reranked(hits: Sequence[Hit], reranked: Sequence[Hit], depth: int, name: str = "reranker") -> list[Hit]:
    """Return `hits` with their first `depth` in the order of a reranker, and all others below as they were.

    What the reranker dropped of the first `depth` follows behind what it kept, in its old order: no document is lost,
    so Recall@k cannot change for any k ≥ `depth`. The texts are those of `hits`. Kept hits have the reranker's scores
    where these are finite and descend, else 1/rank; all others have scores below them, so that sorting by score
    descending and doc id descending, as measures do, gives this very order. `name` is the reranker's, for the error.

    Raises:
        InputError: if a reranked document is none of the first `depth` hits, or occurs twice.
    """
    left = {hit.chunk.doc_id: hit for hit in hits[:depth]}
    kept = []
    for hit in reranked:
        retrieved = left.pop(hit.chunk.doc_id, None)
        if retrieved is None:
            raise InputError(
                f"{name}: returned document '{hit.chunk.doc_id}', which is none of the {min(depth, len(hits))} that it "
                "was given or occurs twice; a reranker orders what it gets"
            )
        kept.append(retrieved)
    ordered = [*kept, *left.values(), *hits[depth:]]
    scores = [float(hit.score) for hit in reranked]
    if not all(map(math.isfinite, scores)) or any(a < b for a, b in pairwise(scores)):
        scores = [1 / rank for rank in range(1, len(scores) + 1)]
    return as_ordered(ordered, scores)


def as_ordered(hits: Sequence[Hit], scores: Sequence[float], strict: bool = False) -> list[Hit]:
    """Return hits with scores and ranks 1, 2, …, scores lowered where the order of `hits` would not follow from them.

    The order is by score descending, then doc id descending. A hit beyond `scores` gets 1 less than the hit before. If
    `strict`, no two scores are equal.
    """
    placed: list[Hit] = []
    for place, hit in enumerate(hits):
        if not placed:
            score = scores[0] if scores else hit.score
        else:
            before = placed[-1]
            score = scores[place] if place < len(scores) else before.score - 1.0
            tie_holds = not strict and place < len(scores) and hit.chunk.doc_id < before.chunk.doc_id
            # Far from 0, less by 1 is no less.
            most = before.score if tie_holds else math.nextafter(before.score, -math.inf)
            score = min(score, most)
        placed.append(replace(hit, score=score, rank=place + 1))
    return placed
