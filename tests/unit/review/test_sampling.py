"""The sample and the order of a review."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.review.sampling import Place, drawn, spread_queries


def places(run: str, lang: str, count: int) -> list[Place]:
    return [Place(run, lang, f"q{number}") for number in range(count)]


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["en", "ru", "zh"])), st.integers(1, 12), min_size=1
    ),
    st.integers(0, 50),
    st.data(),
)
def test_every_prefix_has_each_stratum_by_its_size(
    sizes: dict[tuple[str, str], int], seed: int, data: st.DataObject
) -> None:
    everything = [place for (run, lang), size in sizes.items() for place in places(run, lang, size)]
    order = drawn(everything, seed)
    assert sorted(order) == sorted(everything)
    count = data.draw(st.integers(0, len(everything)))
    part = drawn(reversed(everything), seed, count)
    assert part == order[:count]
    found = Counter((place.run, place.lang) for place in part)
    # All strata go round at the same pace: none is a whole place further than another.
    rounds = [(found[key] - 1) / size for key, size in sizes.items() if found[key]]
    behind = [(found[key] + 1) / size for key, size in sizes.items() if found[key] < size]
    if rounds and behind:
        assert max(rounds) < min(behind)


def test_thirty_of_two_strata_of_60_and_30_are_20_and_10() -> None:
    part = drawn(places("a", "en", 60) + places("a", "ru", 30), 5, 30)
    counts = Counter(place.lang for place in part)
    assert abs(counts["en"] - 20) <= 1
    assert abs(counts["ru"] - 10) <= 1


def test_each_place_of_a_stratum_is_drawn_equally_often() -> None:
    own = places("a", "zh", 10)
    runs = 1000
    counts = Counter(place for seed in range(runs) for place in drawn([*own, *places("b", "zh", 10)], seed, 6))
    # 3 of 10 each; five standard deviations of a binomial share.
    assert all(abs(counts[place] / runs - 0.3) < 5 * (0.3 * 0.7 / runs) ** 0.5 for place in own)


def test_the_order_is_the_seeds_alone() -> None:
    own = places("a", "de", 8)
    assert drawn(own, 1) == drawn(own, 1)
    assert drawn(own, 1) != drawn(own, 2)
    # No generator of a Python version: a session goes on in the same order on any machine.
    by_hash = sorted(own, key=lambda place: hashlib.sha256(f"1\0de\0a\0{place.query_id}".encode()).hexdigest())
    assert drawn(own, 1) == by_hash


@given(st.lists(st.sampled_from("abcd"), max_size=14))
def test_parallel_items_stand_apart_unless_there_are_too_many_of_them(queries: list[str]) -> None:
    order = spread_queries(queries, lambda query: query)
    assert Counter(order) == Counter(queries)
    touching = sum(one == two for one, two in pairwise(order))
    most = max(Counter(queries).values(), default=0)
    assert touching == max(0, most - (len(queries) - most) - 1)
