"""Which queries belong together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.compare.sources.clusters import joined


def test_queries_that_share_something_with_a_third_are_together() -> None:
    # b and c share y, a and b share x; d is alone, and a query may be called as a document is.
    links = [("c", "y"), ("b", "y"), ("a", "x"), ("b", "x"), ("d", "a")]
    assert joined(links) == {"a": "a", "b": "a", "c": "a", "d": "d"}


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"))), st.randoms())
def test_the_order_of_links_does_not_show(links: list[tuple[str, str]], random: object) -> None:
    shuffled = list(links)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    found = joined(links)
    assert found == joined(shuffled)
    assert all(found[one] == found[two] for one, x in links for two, y in links if x == y)
    assert all(found[name] == name for name in found.values())
