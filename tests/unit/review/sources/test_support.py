"""Pairs of nugget and document: what the benchmark says of them, and which are drawn."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import mean

from ragaliq.review.sampling import Place, drawn
from ragaliq.review.sources.records import read_records_of
from ragaliq.review.sources.support import judged_pairs, sampled_pairs
from small import write_small
from unit.review.benches import write_bench


def pairs_of(folder: Path, lang: str = "zh") -> dict[str, bool]:
    return {place.item: label for place, label in judged_pairs(folder, read_records_of(folder, lang)).items()}


def test_pairs_are_those_of_the_nugget_qrels(tmp_path: Path) -> None:
    folder = write_bench(tmp_path)
    pairs = pairs_of(folder)
    # 8 nuggets, each with its own chunk and two others; q7-1 and q7-2 are judged alike.
    assert sum(pairs.values()) == 8
    assert len(pairs) == 8 * 3
    assert pairs["q6-1 food-02"] is True
    assert pairs["q6-1 food-01"] is False
    with (folder / "nugget_qrels" / "zh.tsv").open("a") as file:
        file.write("q1 q1-1 none 0\nq9 q9-1 lake-04 1\nq1 q1-9 lake-04 1\n")
    assert pairs_of(folder) == pairs, "unknown documents, queries and nuggets are left out"


def test_without_nugget_qrels_the_other_documents_of_a_query_do_not_support(tmp_path: Path) -> None:
    pairs = pairs_of(write_small(tmp_path))
    assert {item for item, supported in pairs.items() if not supported} == {"q7-1 lake-03", "q7-2 lake-01"}
    assert sum(pairs.values()) == 8


def test_one_supported_pair_of_each_query_and_as_many_others() -> None:
    pairs = {Place("", "ru", "q1", f"q1-{n} d{n}"): True for n in range(3)}
    pairs |= {Place("", "ru", "q2", "q2-1 d0"): True}
    pairs |= {Place("", "ru", query, f"{query}-1 x{n}"): False for query in ("q1", "q2", "q3") for n in range(5)}
    drawn_first: Counter[str] = Counter()
    for seed in range(300):
        sample = sampled_pairs(pairs, seed)
        supported = [place for place in sample if pairs[place]]
        assert sorted(place.query_id for place in supported) == ["q1", "q2"]
        assert len(sample) == 4
        assert sampled_pairs(pairs, seed) == sample
        drawn_first[next(place.item for place in supported if place.query_id == "q1")] += 1
    # Each of the three as often; five standard deviations.
    assert all(abs(count - 100) < 5 * (300 * 2 / 9) ** 0.5 for count in drawn_first.values())
    few = {place: label for place, label in pairs.items() if label or place.item.endswith("x0")}
    assert len(sampled_pairs({place: few[place] for place in list(few)[:5]}, 0)) == 3, "as many as there are"


def test_any_beginning_holds_both_kinds_and_none_is_known_from_those_before(tmp_path: Path) -> None:
    pairs = {Place("", "zh", f"q{q:02}", f"q{q:02}-{n} d{d}"): d < 1 + q % 3
             for q in range(40) for n in range(2) for d in range(6)}  # fmt: skip
    kind = {True: "supported", False: "unsupported"}
    shares: dict[int, list[float]] = {8: [], 20: [], 40: []}
    turns = []
    for seed in range(200):
        sample = sampled_pairs(pairs, seed)
        labels = [pairs[place] for place in drawn(sample, seed, None, lambda place: kind[pairs[place]])]
        assert (len(labels), sum(labels)) == (80, 40)
        for size, found in shares.items():
            found.append(sum(labels[:size]) / size)
        turns.append(sum(one != other for one, other in pairwise(labels)) / 79)
    # A random order has half in the mean, and its kind changes at half of the steps.
    assert all(abs(mean(found) - 0.5) < 0.03 for found in shares.values()), shares
    assert all(0.25 <= share <= 0.75 for share in shares[20])
    assert abs(mean(turns) - 0.5) < 0.1
