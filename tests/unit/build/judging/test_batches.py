"""Batches hold at most twenty documents, and stay what they are when the pool grows."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.judging.batches import document_batches


def ids(n: int) -> list[str]:
    return [f"doc{number}" for number in range(n)]


@given(st.integers(0, 130), st.integers(0, 3), st.integers(1, 20), st.randoms())
def test_every_document_is_in_one_batch_whatever_the_order(n: int, seed: int, most: int, random: Random) -> None:
    batches = document_batches(ids(n), "q", seed, most)
    assert sorted(name for batch in batches.values() for name in batch) == sorted(ids(n))
    sizes = [len(batch) for batch in batches.values()]
    assert all(round(0.75 * most) <= size <= most for size in sizes[:-1]) and all(0 < s <= most for s in sizes[-1:])
    shuffled = ids(n)
    random.shuffle(shuffled)
    assert document_batches(shuffled, "q", seed, most) == batches


def test_the_order_is_drawn_for_each_query_and_seed() -> None:
    chosen = [(query, seed) for query in ("q1", "q2") for seed in (0, 1)]
    orders = {tuple(batch) for one in chosen for batch in document_batches(ids(20), *one, 20).values()}
    assert len(orders) == 4 and tuple(ids(20)) not in orders


def test_one_more_document_changes_few_batches() -> None:
    changed = []
    for number in range(100):
        before = document_batches(ids(100), f"q{number}", 0, 20)
        after = document_batches([*ids(100), "new"], f"q{number}", 0, 20)
        changed.append(len(after.keys() - before.keys()))
    # Of six batches; with batches cut at every twentieth document it would be 3.5 in the mean.
    assert min(changed) == 1 and sum(changed) / len(changed) < 2


def test_the_batches_of_an_earlier_version_stay_as_far_as_their_documents_do() -> None:
    docs = [f"d{number}" for number in range(30)]
    earlier = document_batches(docs, "q", 0, 10)
    now = document_batches([*docs[1:], "new1", "new2"], "q", 0, 10, earlier)
    assert {name: [one for one in batch if one != "d0"] for name, batch in earlier.items()} == {
        name: now[name] for name in earlier
    }
    assert [sorted(batch) for name, batch in now.items() if name not in earlier] == [["new1", "new2"]]
    assert "only" not in document_batches(["d1"], "q", 0, 10, {"only": ["d0"]})
