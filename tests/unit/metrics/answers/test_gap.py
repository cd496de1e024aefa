"""One system in several languages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.metrics.answers.gap import LanguageGap, language_gap
from ragaliq.metrics.statistics.ranks.rank_sets import simultaneous


def by_id(weights: list[float], first: int = 1) -> dict[str, float]:
    return {f"q{number:02}": weight for number, weight in enumerate(weights, start=first)}


def gap(weights: dict[str, dict[str, float]]) -> LanguageGap:
    found = language_gap(weights)
    assert found is not None
    return found


def test_means_and_differences_by_hand() -> None:
    found = gap({"en": by_id([1.0, 0.6, 0.2, 1.0]), "ru": by_id([0.8, 0.6, 0.0, 0.6]), "zh": by_id([1, 1, 0.6, 1])})
    assert [row.lang for row in found.languages] == ["en", "ru", "zh"]
    assert [row.mean_weight for row in found.languages] == pytest.approx([2.8 / 4, 2.0 / 4, 3.6 / 4])
    assert (found.n, found.baseline) == (4, "zh")
    assert [(row.lang, row.against) for row in found.differences] == [("en", "zh"), ("ru", "zh")]
    assert [row.difference for row in found.differences] == pytest.approx([-0.8 / 4, -1.6 / 4])
    assert [(row.lang, row.against) for row in found.pairs] == [("ru", "en"), ("zh", "en"), ("zh", "ru")]


def test_a_query_fails_at_two_fifths_or_less() -> None:
    # The grades 1, 0 and 2 fail (0, .4 and .2), 3 does not (.6).
    found = gap(
        {
            "de": by_id([0.0, 0.4, 0.6, 0.2, 1.0, 0.0]),
            "fr": by_id([0.6, 0.6, 0.4, 0.2, 1.0, 0.4]),
            "es": by_id([1.0, 0.8, 0.6, 0.6, 1.0, 0.2]),
        }
    )
    assert {row.lang: row.fails_only for row in found.languages} == {"de": ("q01", "q02"), "fr": ("q03",), "es": ()}
    assert found.n_fails_everywhere == 1


def test_only_queries_graded_in_every_language_count() -> None:
    found = gap({"en": by_id([1.0, 1.0, 0.0, 0.8]), "zh": by_id([0.6, 0.6, 0.8], first=2)})
    assert found.n == 3
    assert found.languages[0].mean_weight == pytest.approx(1.8 / 3)
    assert (found.languages[0].fails_only, found.languages[1].fails_only) == (("q03",), ())
    # Half of the queries are enough.
    assert gap({"en": by_id([1.0, 1.0, 0.0, 0.8]), "zh": by_id([0.6, 0.8])}).n == 2


def test_intervals_p_values_and_ranks_are_those_of_all_pairs_at_once() -> None:
    generator = np.random.default_rng(3)
    table = generator.choice([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], size=(30, 3), p=[0.1, 0.1, 0.1, 0.2, 0.2, 0.3])
    table[:, 2] = np.minimum(table[:, 2], 0.4)
    found = gap({lang: by_id(table[:, column].tolist()) for column, lang in enumerate(("en", "de", "ru"))})
    expected = simultaneous(table)
    assert [row.ranks for row in found.languages] == list(expected.ranks)
    assert [(row.difference, row.interval, row.p) for row in found.pairs] == [
        (pair.difference, pair.interval, pair.p_max_t) for pair in expected.pairs
    ]
    worse = next(row for row in found.differences if row.lang == "ru")
    assert worse.interval is not None
    assert worse.interval.low < worse.difference < worse.interval.high < 0


def test_a_later_baseline_turns_the_difference_round() -> None:
    found = gap({"zh": by_id([0.6, 0.8, 0.2, 0.6]), "en": by_id([1.0, 0.8, 1.0, 0.6])})
    (back,), (pair,) = found.differences, found.pairs
    assert (back.lang, back.against, pair.lang) == ("zh", "en", "en")
    assert back.difference == pytest.approx(-1.2 / 4) == -pair.difference
    assert back.interval is not None and pair.interval is not None
    assert back.interval == (-pair.interval.high, -pair.interval.low)


def test_languages_that_are_the_same_share_all_ranks_and_the_first_is_the_baseline() -> None:
    found = gap({lang: by_id([1.0, 0.4, 0.8]) for lang in ("es", "de")})
    assert found.baseline == "es"
    assert [(row.ranks.low, row.ranks.high) for row in found.languages] == [(1, 2), (1, 2)]
    assert (found.differences[0].difference, found.differences[0].interval, found.differences[0].p) == (0, None, 1)


def test_what_is_not_parallel_has_no_gap() -> None:
    cases = [
        {},
        {"en": by_id([1.0, 1.0])},
        {"en": by_id([1.0, 0.6]), "zh": by_id([1.0, 0.6], first=2)},
        # Ids that name other questions in each language meet by chance.
        {"en": by_id([1.0] * 10), "zh": by_id([1.0] * 10, first=7)},
    ]
    for weights in cases:
        assert language_gap(weights) is None, weights


def test_the_order_of_the_queries_changes_nothing() -> None:
    weights = {"en": by_id([1.0, 0.8, 0.0, 0.6]), "zh": by_id([0.6, 0.8, 0.2, 0.6])}
    turned = {lang: dict(reversed(own.items())) for lang, own in weights.items()}
    assert language_gap(weights) == language_gap(turned)


WEIGHTS = st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])


@given(st.lists(st.tuples(WEIGHTS, WEIGHTS, WEIGHTS), min_size=2, max_size=12))
def test_whatever_the_weights_the_parts_fit_together(rows: list[tuple[float, float, float]]) -> None:
    found = gap({lang: by_id([row[place] for row in rows]) for place, lang in enumerate(("en", "ru", "zh"))})
    alone = [query_id for language in found.languages for query_id in language.fails_only]
    assert len(alone) == len(set(alone)) == sum(sum(weight <= 0.4 for weight in row) == 1 for row in rows)
    assert found.n_fails_everywhere == sum(all(weight <= 0.4 for weight in row) for row in rows)
    means = {language.lang: language.mean_weight for language in found.languages}
    assert means[found.baseline] == max(means.values())
    for pair in found.pairs:
        assert pair.difference == pytest.approx(means[pair.lang] - means[pair.against])
        assert 0 < pair.p <= 1
    for language in found.languages:
        assert 1 <= language.ranks.low <= language.ranks.high <= 3
