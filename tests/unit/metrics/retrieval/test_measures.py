from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.definition import Cutoff
from ragaliq.metrics.retrieval.measures import (
    DEFAULTS,
    DEFINITIONS,
    NUGGET_DEFAULTS,
    Measure,
    Param,
    parse_measure,
)
from ragaliq.metrics.retrieval.ranking import evaluate_run
from ragaliq.types import Importance

CANONICAL = [
    "nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')", "CG@5", "DCG@5", "DCG(dcg='exp-log2')@5",
    "IDCG", "P@5", "P(rel=2)@5", "R@100", "AP", "AP@10", "AP(rel=2)", "RR", "RR@10", "Success@1", "Rprec",
    "Rprec(rel=3)", "Judged@10", "Judged", "Hole@10", "alpha_nDCG@10", "alpha_nDCG(alpha=0.3)@10",
    "alpha_nDCG(alpha=0.3,rel=2)@20", "alpha_nDCG", "Coverage@20", "StRecall@20", "WeightedCoverage@20", "AllGold@10",
]  # fmt: skip


def test_a_canonical_name_is_read_and_written_alike() -> None:
    for name in CANONICAL:
        assert str(parse_measure(name)) == name, name


def test_other_writings_have_the_canonical_name() -> None:
    cases = [
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ('nDCG( dcg = "exp-log2" ) @ 10', "nDCG(dcg='exp-log2')@10"),
        ("P(rel=1)@5", "P@5"),
        ("P(cutoff=5)", "P@5"),
        ("alpha_nDCG(rel=2, alpha=.3)@5", "alpha_nDCG(alpha=0.3,rel=2)@5"),
        ("alpha_nDCG(alpha=1)@5", "alpha_nDCG(alpha=1.0)@5"),
        ("alpha_nDCG()@5", "alpha_nDCG@5"),
        (" MAP ", "AP"),
        ("MRR@10", "RR@10"),
        ("Recall@5", "R@5"),
        ("Precision@5", "P@5"),
        ("NDCG@10", "nDCG@10"),
        ("RPrec", "Rprec"),
    ]
    for written, canonical in cases:
        assert str(parse_measure(written)) == canonical, written


def test_what_does_not_exist_is_an_error_that_says_what_does() -> None:
    cases = [
        ("Succes@1", "did you mean 'Success'?"),
        ("ndcg@10", "did you mean 'nDCG'?"),
        ("alpha_ndcg@10", "did you mean 'alpha_nDCG'?"),
        ("xyzzy", "known: AP, AllGold"),
        ("map", "did you mean 'AP'?"),
        ("ndcg_cut_10", "did you mean 'nDCG@10'?"),
        ("recall_100", "did you mean 'R@100'?"),
        ("recip_rank", "did you mean 'RR'?"),
        ("P_5", "did you mean 'P@5'?"),
        ("R@99999999999999999999", "whole number from 1 to 10^15"),
        ("", "cannot be read"),
        ("nDCG@10 @5", "cannot be read"),
        ("P", "write it like P@10"),
        ("Hole", "write it like Hole@10"),
        ("Rprec@5", "takes no cutoff"),
        ("nDCG@0", "whole number from 1"),
        ("nDCG@-3", "whole number from 1"),
        ("nDCG@2.5", "whole number from 1"),
        ("nDCG@ten", "whole number from 1"),
        ("nDCG(cutoff='ten')", "whole number from 1"),
        ("nDCG(cutoff=5)@5", "no parameter 'cutoff'"),
        ("nDCG(rel=2)@10", "takes no rel"),
        ("nDCG(dcg='exp')@10", "'log2' or 'exp-log2'"),
        ("P(rel=0)@5", "rel is a whole number from 1"),
        ("P(rel=True)@5", "cannot be read"),
        ("P(rel=1.5)@5", "rel is a whole number from 1"),
        ("P(rel)@5", "cannot be read"),
        ("P(rel=2,rel=3)@5", "cannot be read"),
        ("P(level=2)@5", "known: rel"),
        ("Judged(rel=2)@5", "leave it out"),
        ("alpha_nDCG(alpha=1.5)@5", "from 0 to 1"),
        ("alpha_nDCG(alpha='x')@5", "from 0 to 1"),
    ]
    for written, message in cases:
        with pytest.raises(InputError) as caught:
            parse_measure(written)
        assert message in str(caught.value), written
        assert "\n" not in str(caught.value), written


def test_whole_numbers_of_numpy_are_cutoffs() -> None:
    for cutoff in np.array([1, 10**15]):
        measure = Measure("R", cutoff)
        assert (str(measure), type(measure.cutoff)) == (f"R@{cutoff}", int)
    for wrong in (True, np.float64(5), np.int64(0)):
        with pytest.raises(InputError, match="whole number from 1"):
            Measure("R", wrong)  # type: ignore[arg-type]


def test_every_measure_is_computed_from_what_it_reads() -> None:
    names = [name if entry.cutoff is Cutoff.NONE else f"{name}@1" for name, entry in DEFINITIONS.items()]
    nuggets, importance = {"q": {"n": {"a": 1}}}, {"q": {"n": Importance.VITAL}}
    perfect = evaluate_run(
        {"q": {"a": 1.0}}, {"q": {"a": 1}}, names, nuggets=nuggets, importance=importance, gold={"q": [["a"]]}
    )
    assert {name: values.tolist() for name, values in perfect.values.items()} == {
        name: [0.0 if name == "Hole@1" else 1.0] for name in names
    }
    assert len(names) == 17


def test_a_meaning_is_one_line_that_fits_beside_its_value() -> None:
    for name, definition in DEFINITIONS.items():
        assert 0 < len(definition.meaning) <= 90, name
        assert "\n" not in definition.meaning, name


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        measure = parse_measure(text)
    except InputError:
        return
    assert parse_measure(str(measure)) == measure


@given(st.data())
def test_every_measure_survives_writing_and_reading(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(DEFINITIONS)))
    values: dict[str, st.SearchStrategy[Param]] = {
        "rel": st.integers(1, 9),
        "alpha": st.floats(0, 1),
        "dcg": st.sampled_from(["log2", "exp-log2"]),
    }
    params = tuple((key, data.draw(values[key])) for key in DEFINITIONS[name].takes)
    cutoff = None if DEFINITIONS[name].cutoff is Cutoff.NONE else data.draw(st.integers(1, 1000))
    measure = Measure(name, cutoff, params)
    assert parse_measure(str(measure)) == measure


def test_the_defaults_are_those_of_the_sources_with_a_line_of_meaning_each() -> None:
    assert DEFAULTS == ("nDCG@10", "R@100", "AP", "RR")
    assert NUGGET_DEFAULTS == ("alpha_nDCG@10", "Coverage@20", "R@50")
    for name in (*DEFAULTS, *NUGGET_DEFAULTS):
        assert parse_measure(name).meaning
    assert "diversity" in parse_measure("alpha_nDCG@10").meaning
    assert "grounding" in parse_measure("Coverage@20").meaning
