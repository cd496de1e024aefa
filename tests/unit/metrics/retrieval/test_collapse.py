"""Units of several languages collapsed to documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.metrics.retrieval.collapse import (
    collapse_units,
    language_shares,
    split_unit,
    unit_id,
    unit_languages,
    within,
)
from ragaliq.metrics.retrieval.ranking import evaluate_run

# Best first: the German canteen, the English one, the English lost property, the Chinese canteen.
RANKING = {"canteen@de": 4.0, "canteen@en": 3.0, "lost@en": 2.5, "canteen@zh": 1.0}


def test_a_document_counts_once_as_its_best_unit() -> None:
    assert collapse_units(RANKING) == {"canteen": 4.0, "lost": 2.5}
    assert list(collapse_units({"b@en": 1.0, "a@en": 0.5, "a@ru": 2.0}).items()) == [("b", 1.0), ("a", 2.0)]
    assert collapse_units({}) == {}


def test_scores_below_zero_collapse_like_others() -> None:
    assert collapse_units({"a@en": -3.0, "a@fr": -2.0, "b@en": -2.5}) == {"a": -2.0, "b": -2.5}


def test_the_part_of_a_language_has_its_documents_alone() -> None:
    assert within(RANKING, "en") == {"canteen": 3.0, "lost": 2.5}
    assert within(RANKING, "fr") == {}


def test_a_unit_is_parted_at_its_last_mark() -> None:
    assert split_unit("me@home/план.md@pt-BR") == ("me@home/план.md", "pt-BR")
    assert split_unit(unit_id("文档 1", "zh")) == ("文档 1", "zh")
    for plain in ("canteen", "@en", "canteen@", "canteen@7", "canteen@e", "someone@example.org"):
        assert split_unit(plain) is None


def test_a_run_is_one_of_units_if_all_its_ids_are_and_no_judged_one_is() -> None:
    judged = [{"canteen": 1, "lost": 0}]
    assert unit_languages([RANKING, {}], judged) == ("de", "en", "zh")
    assert unit_languages([RANKING, {"lost": 1.0}], judged) == ()
    assert unit_languages([RANKING], [{"canteen@en": 1}]) == ()
    assert unit_languages([RANKING], [{"canteen@fr": 1}]) == ("de", "en", "zh")
    assert unit_languages([], judged) == ()


def test_shares_are_taken_over_the_units_that_there_are() -> None:
    # Of the first two: de, en; of a query with one unit: zh.
    assert language_shares([RANKING, {"lost@zh": 1.0}], 2) == {"de": 1 / 3, "en": 1 / 3, "zh": 1 / 3}
    # Equal scores: the greater name first, as trec_eval orders them.
    assert language_shares([{"a@de": 1.0, "a@zh": 1.0, "a@en": 1.0}], 1) == {"zh": 1.0}
    assert language_shares([{}]) == {}


def test_what_is_no_unit_is_an_error() -> None:
    message = "'a' is not written doc_id@lang"
    with pytest.raises(ValueError, match=message):
        collapse_units({"a": 1.0})
    with pytest.raises(ValueError, match=message):
        within({"a": 1.0}, "en")
    with pytest.raises(ValueError, match=message):
        language_shares([{"a": 1.0}])
    with pytest.raises(ValueError, match="depth must be at least 1"):
        language_shares([RANKING], 0)


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(["d1", "d10", "d@x", "план"]), st.sampled_from(["de", "en", "zh"])),
        st.integers(-3, 3).map(float),
        min_size=1,
    )
)
def test_a_collapsed_run_has_the_measures_of_the_run_of_best_scores(
    units: dict[tuple[str, str], float],
) -> None:
    ranking = {unit_id(doc_id, lang): score for (doc_id, lang), score in units.items()}
    best = {doc_id: max(s for (d, _), s in units.items() if d == doc_id) for doc_id, _ in units}
    assert collapse_units(ranking) == best
    qrels = {"q": {"d1": 1, "план": 2}}
    measures = ["nDCG@10", "RR", "R@2"]
    assert {m: evaluate_run({"q": collapse_units(ranking)}, qrels, measures).mean(m) for m in measures} == {
        m: evaluate_run({"q": best}, qrels, measures).mean(m) for m in measures
    }
    langs = {lang for _, lang in units}
    assert sum(len(within(ranking, lang)) for lang in langs) == len(units)
