"""The draw of unanswerable queries never costs another query its last support."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.withhold import Supported, withheld_queries

DOCS = st.frozensets(st.integers(0, 15).map(str), max_size=3)


def query(name: str, *nuggets: str, eligible: bool = True) -> Supported:
    """A query whose nuggets are supported by the documents of one letter each."""
    facts = tuple(frozenset(letters) for letters in nuggets)
    return Supported(name, facts, frozenset().union(*facts), eligible)


def test_the_share_is_of_all_and_never_exceeded() -> None:
    queries = [query(f"q{n}", chr(97 + n)) for n in range(20)]
    drawn = withheld_queries(queries, 0.15, 0)
    assert len(drawn) == 3 and len(withheld_queries(queries, 0, 0)) == 0
    assert withheld_queries(queries[::-1], 0.15, 0) == drawn != withheld_queries(queries, 0.15, 1)


def test_a_query_goes_with_those_that_it_would_leave_without_support() -> None:
    # Without a, q2 keeps b; without b and c, q3 has nothing left of its second nugget.
    pair = [query("q2", "ab", eligible=False), query("q3", "d", "bc", eligible=False)]
    assert withheld_queries([query("q1", "a"), *pair], 0.34, 0) == {"q1"}
    assert withheld_queries([query("q1", "a", "c"), *pair], 0.34, 0) == {"q1"}
    assert withheld_queries([query("q1", "b", "c"), *pair], 0.34, 0) == set()
    assert withheld_queries([query("q1", "abc"), query("q2", "ab")], 1, 0) == {"q1", "q2"}
    assert withheld_queries([query("q1", "abc"), query("q2", "ab", eligible=False)], 1, 0) == set()


def test_what_the_whole_corpus_holds_stays() -> None:
    assert withheld_queries([query("q1", "abcd")], 1, 0) == set()


@given(st.lists(st.tuples(st.lists(DOCS, min_size=1, max_size=3), st.booleans()), max_size=12), st.floats(0, 0.9))
def test_no_other_query_loses_a_nugget(rows: list[tuple[list[frozenset[str]], bool]], share: float) -> None:
    queries = [
        Supported(f"q{number}", tuple(facts), frozenset().union(*facts), eligible)
        for number, (facts, eligible) in enumerate(rows)
    ]
    chosen = withheld_queries(queries, share, 0)
    gone = {doc_id for one in queries if one.query_id in chosen for doc_id in one.documents}
    assert len(chosen) <= round(share * len(queries))
    assert all(one.eligible for one in queries if one.query_id in chosen)
    for one in queries:
        if one.query_id not in chosen:
            assert all(docs - gone for docs in one.nuggets if docs)


def test_queries_of_an_earlier_version_stay_what_they_were() -> None:
    queries = [query(f"q{n}", chr(97 + n)) for n in range(20)]
    drawn = withheld_queries(queries, 0.15, 0)
    known = [replace(one, earlier=one.query_id in drawn) for one in queries]
    # Another seed, more queries or a smaller share would draw others.
    assert withheld_queries(known, 0.15, 7) == drawn == withheld_queries(known, 0.05, 0)
    more = [*known, *(query(f"n{n}", chr(65 + n)) for n in range(20))]
    both = withheld_queries(more, 0.15, 0)
    assert len(both) == 6 and drawn < both and all(one.startswith("n") for one in both - drawn)


def test_an_answerable_query_goes_only_with_an_unanswerable_one_that_it_depends_on() -> None:
    gone = replace(query("q1", "a"), earlier=True)
    left = replace(query("q2", "a"), earlier=False)
    assert withheld_queries([gone, left], 0.5, 0) == {"q1", "q2"}
    assert withheld_queries([gone, replace(left, eligible=False)], 0.5, 0) == set()
    assert withheld_queries([query("q1", "a"), left, query("q3", "c")], 0.7, 0) == {"q3"}
