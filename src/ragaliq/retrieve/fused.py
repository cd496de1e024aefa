"""Several channels of one corpus, weighted and fused into one; other channels for queries in another language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import Channel, TopDocs
from ragaliq.retrieve.fusion import Fusion, fuse
from ragaliq.types import Query

# How many of the channels' best passages a scorer scores. Of 20 to 100 on the sample, XQuAD and Cranfield 30 lose up
# to .011 nDCG@10, 50 up to .004, and more than 75 change nothing; each costs the encoder 20 ms the first time.
SCORED = 50


class Scorer(Protocol):
    """Anything that scores passages of channels and searches for none itself."""

    def score(self, queries: Sequence[Query], candidates: Sequence[NDArray[np.int32]]) -> list[TopDocs]:
        """Return for each query its candidates that score above 0, as a channel returns its best."""
        ...


@dataclass(frozen=True, slots=True)
class Weighted:
    """A channel and what its evidence weighs in the sum."""

    channel: Channel
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Mixture:
    """Channels, and a scorer of what they find, if there is one, with its weight."""

    channels: Sequence[Weighted]
    scorer: Scorer | None = None
    scorer_weight: float = 1.0

    def prepare(self, queries: Sequence[Query]) -> None:
        """Tell the members which queries will come."""
        for member in (*(weighted.channel for weighted in self.channels), self.scorer):
            ahead = getattr(member, "prepare", None)
            if callable(ahead):
                ahead(queries)

    def search(self, queries: Sequence[Query], k: int, depth: int, fusion: Fusion) -> list[TopDocs]:
        """Return for each query the `k` best of what the channels find, `depth` each."""
        rankings = list(zip(*(one.channel.search(queries, depth) for one in self.channels), strict=True))
        weights = [one.weight for one in self.channels]
        if self.scorer is not None:
            candidates = [np.sort(fuse(row, SCORED, fusion, weights).docs) for row in rankings]
            scored = self.scorer.score(queries, candidates)
            rankings = [(*row, best) for row, best in zip(rankings, scored, strict=True)]
            weights.append(self.scorer_weight)
        return [fuse(row, k, fusion, weights) for row in rankings]


class FusedChannel:
    """What several channels find together."""

    def __init__(
        self,
        near: Mixture,
        far: Callable[[], Mixture] | None,
        is_far: Callable[[Query], bool],
        fusion: Fusion,
        depth: int,
    ) -> None:
        """Take the channels.

        Args:
            near: for queries in the language of the documents.
            far: opens those for queries in another language, with the first of these; None takes `near` for all.
            is_far: whether a query is one for `far`.
            fusion: how they become one.
            depth: how many of each channel's best count; more, if more passages are asked for.
        """
        self._near, self._open_far, self._is_far = near, far, is_far
        self._fusion, self._depth = fusion, depth

    @cached_property
    def _far(self) -> Mixture:
        return self._near if self._open_far is None else self._open_far()

    def prepare(self, queries: Sequence[Query]) -> None:
        """Tell the channels which queries will come."""
        for mixture, places in self._grouped(queries):
            mixture.prepare([queries[place] for place in places])

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` passages of the greatest fused score."""
        best: dict[int, TopDocs] = {}
        for mixture, places in self._grouped(queries):
            group = [queries[place] for place in places]
            best |= zip(places, mixture.search(group, k, max(self._depth, k), self._fusion), strict=True)
        return [best[place] for place in range(len(queries))]

    def _grouped(self, queries: Sequence[Query]) -> list[tuple[Mixture, list[int]]]:
        """Return the channels of each kind of query, with the places of these."""
        far = [place for place, query in enumerate(queries) if self._is_far(query)]
        near = sorted(set(range(len(queries))) - set(far))
        return [*([(self._near, near)] if near else []), *([(self._far, far)] if far else [])]
