"""Which items a person judges, and in which order: every prefix is a fair sample."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

Thing = TypeVar("Thing")
# Places whose kind a rater must not guess move by at most this many ranks; else the kinds would take turns.
_MOVED = 8


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """Where a judgement belongs: one query, asked of one system in one language, or an item of a benchmark.

    `run` is empty in a benchmark. `item` is empty where a query is judged as a whole; else it is what is judged of it:
    `NUGGET_ID DOC_ID` or `RECORD ID`.
    """

    run: str
    lang: str
    query_id: str
    item: str = ""


def drawn(
    places: Iterable[Place],
    seed: int,
    count: int | None = None,
    kind_of: Callable[[Place], str] = lambda place: "",
) -> list[Place]:
    """Return a sample of `count` places in the order in which they are judged; None takes all.

    Strata are language × run. Within a stratum of size m the places are put into an order that the seed decides, and
    the one at rank r = 0, 1, … stands at (r + u) / m, u in [0, 1) being the stratum's own offset; all places are sorted
    by that number. So the first n places, for any n, hold each stratum's share of n to within one place, every place
    of a stratum is equally likely to be among them, and a greater sample contains a smaller one: a rater who stops
    early has judged a stratified random sample. The order depends only on the seed and the places.

    Where `kind_of` names kinds, these are strata, too, and nobody can tell a kind from those before: u is another
    number for each place, in [0, 8). A stratum's share of n holds to within 8 places then.
    """
    strata: dict[tuple[str, str, str], list[tuple[int, Place]]] = {}
    for place in places:
        key = place.lang, place.run, kind_of(place)
        strata.setdefault(key, []).append((place_number(seed, place), place))
    positions = []
    for (lang, run, kind), stratum in strata.items():
        offset = _number(seed, lang, run) / 2**64
        for rank, (number, place) in enumerate(sorted(stratum)):
            moved = _MOVED * place_number(seed, place, "moved") / 2**64 if kind else offset
            positions.append(((rank + moved) / len(stratum), number, place))
    return [place for _, _, place in sorted(positions)][:count]


def place_number(seed: int, place: Place, use: str = "") -> int:
    """Return 64 random bits of a place; for each use others, so that two choices do not depend on each other."""
    parts = (place.lang, place.run, place.query_id, *([place.item] if place.item else []))
    return _number(seed, *parts) if not use else _number(seed, *parts, use)


def spread_queries(things: Iterable[Thing], query_of: Callable[[Thing], str]) -> list[Thing]:
    """Return the things in nearly the same order, those of one query not side by side where that can be avoided.

    Parallel queries share their id over the languages; what was just read in one must not decide the next.
    """
    out: list[Thing] = []
    waiting: deque[Thing] = deque()

    def put_next() -> bool:
        last = query_of(out[-1]) if out else None
        for thing in waiting:
            if query_of(thing) != last:
                waiting.remove(thing)
                out.append(thing)
                return True
        return False

    for thing in things:
        waiting.append(thing)
        while put_next():
            pass
    # What is left is of the last one's query: each goes into the last gap between two others.
    for thing in waiting:
        queries = [query_of(one) for one in out]
        query = query_of(thing)
        gaps = (place for place in range(len(out), -1, -1) if query not in queries[max(0, place - 1) : place + 1])
        out.insert(next(gaps, len(out)), thing)
    return out


def _number(seed: int, *parts: str) -> int:
    """Return 64 bits that seed and parts decide, the same on every machine and Python."""
    text = "\0".join((str(seed), *parts))
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
