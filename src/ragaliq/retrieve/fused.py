"""Several channels of one corpus as one: each weighted, all fused; others for queries in another language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragaliq.retrieve import Channel, TopDocs
from ragaliq.retrieve.fusion import Fusion, fuse
from ragaliq.types import Query


@dataclass(frozen=True, slots=True)
class Weighted:
    """A channel and what its evidence weighs in the sum."""

    channel: Channel
    weight: float = 1.0


class FusedChannel:
    """What several channels find together."""

    def __init__(
        self,
        near: Sequence[Weighted],
        far: Callable[[], Sequence[Weighted]] | None,
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
            depth: how many of each channel's best count.
        """
        self._near, self._open_far, self._is_far = near, far, is_far
        self._fusion, self._depth = fusion, depth

    @cached_property
    def _far(self) -> Sequence[Weighted]:
        return self._near if self._open_far is None else self._open_far()

    def prepare(self, queries: Sequence[Query]) -> None:
        """Tell the channels which queries will come."""
        for members, places in self._grouped(queries):
            for member in members:
                ahead = getattr(member.channel, "prepare", None)
                if callable(ahead):
                    ahead([queries[place] for place in places])

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` passages of the greatest fused score."""
        best: dict[int, TopDocs] = {}
        depth = max(self._depth, k)
        for members, places in self._grouped(queries):
            asked = [queries[place] for place in places]
            rankings = [member.channel.search(asked, depth) for member in members]
            weights = [member.weight for member in members]
            for place, of_query in zip(places, zip(*rankings, strict=True), strict=True):
                best[place] = fuse(of_query, k, self._fusion, weights)
        return [best[place] for place in range(len(queries))]

    def _grouped(self, queries: Sequence[Query]) -> list[tuple[Sequence[Weighted], list[int]]]:
        """Return the channels of each kind of query, with the places of these."""
        far = [place for place, query in enumerate(queries) if self._is_far(query)]
        near = sorted(set(range(len(queries))) - set(far))
        return [*([(self._near, near)] if near else []), *([(self._far, far)] if far else [])]
