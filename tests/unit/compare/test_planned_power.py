"""What a pilot or planned figures say of the queries that a comparison needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ragaliq.compare.planned_power import (
    PowerSettings,
    Spread,
    pilot_notes,
    pilot_spreads,
    plan_power,
    planned_spreads,
)
from ragaliq.compare.value_table import TableMetric, TableSystem, ValueTable
from ragaliq.metrics.statistics.power import queries_needed, seen_difference

LANGS = ("en", "de", "fr", "es", "ru", "zh")


def table(
    lang: str, columns: Sequence[Sequence[float]], queries: Sequence[str], groups: Sequence[str] = ()
) -> ValueTable:
    systems = tuple(TableSystem(f"s{n}", len(queries)) for n in range(len(columns)))
    values = np.asarray(columns, dtype=np.float64).T
    return ValueTable(TableMetric("m", "a mean"), lang, systems, values, tuple(queries), len(queries), tuple(groups))


def test_the_spread_of_a_pilot_is_that_of_its_differences() -> None:
    generator = np.random.default_rng(0)
    columns = generator.random((3, 40))
    (spread,) = pilot_spreads([[table("ru", columns.tolist(), [f"q{n}" for n in range(40)])]])
    sds = sorted(float(np.std(columns[b] - columns[a], ddof=1)) for a, b in ((0, 1), (0, 2), (1, 2)))
    assert spread.sd == pytest.approx(sds[1]) and spread.pairs == 3 and spread.n == 40
    assert spread.sd_value == pytest.approx(sorted(np.std(columns, axis=1, ddof=1))[1])
    assert spread.design_effect == pytest.approx(1) and spread.correlation is None


def test_languages_of_a_query_and_queries_of_a_document_raise_the_design_effect() -> None:
    generator = np.random.default_rng(1)
    queries = [f"q{n}" for n in range(50)]
    shared, own = generator.normal(size=50), generator.normal(size=(6, 50))
    rows = np.concatenate([shared + own[number] for number in range(6)])
    together = table("all", [np.zeros(300).tolist(), rows.tolist()], queries * 6)
    alone = [table(lang, [[0.0] * 50, (shared + own[n]).tolist()], queries) for n, lang in enumerate(LANGS)]
    *each, spread = pilot_spreads([alone, [together]])
    means = rows.reshape(6, 50).mean(axis=0)
    assert spread.sd == pytest.approx(float(np.std(means, ddof=1))) and spread.n == 50
    expected = np.var(means, ddof=1) / 50 / (np.var(rows, ddof=1) / 300)
    assert spread.design_effect == pytest.approx(expected)
    assert spread.correlation == pytest.approx((expected - 1) / 5) and 0.2 < (spread.correlation or 0) < 0.8
    assert [one.lang for one in each] == list(LANGS)
    documents = [f"d{n // 2}" for n in range(50)]
    doubled = np.repeat(generator.normal(size=25), 2)
    (grouped,) = pilot_spreads([[table("zh", [[0.0] * 50, doubled.tolist()], queries, documents)]])
    # Equal within a document: 50 queries are worth 25.
    assert grouped.design_effect == pytest.approx(2 * (49 / 50) / (24 / 25), rel=1e-6) and grouped.n == 50


def test_planned_languages_share_their_queries() -> None:
    alone, together = planned_spreads(0.27, 6, 0.4, 1.2)
    assert alone.sd == pytest.approx(0.27 * 1.2**0.5)
    assert together.sd == pytest.approx(0.27 * (1.2 * (1 + 5 * 0.4) / 6) ** 0.5)
    assert together.correlation == pytest.approx(0.4)
    assert [one.lang for one in planned_spreads(0.27, 1, None, 1.0)] == [""]


def test_the_level_is_divided_among_pairs_and_languages() -> None:
    spreads = [*(Spread(lang, 0.27) for lang in LANGS), Spread("all", 0.15, languages=6, alike=0)]
    rows = plan_power(spreads, PowerSettings(None, 0.05, 4), "w̄").rows
    assert [(row.tests, row.level) for row in rows] == [(36, 0.05 / 36)] * 6 + [(6, 0.05 / 6)]
    assert rows[0].needed == queries_needed(0.27, 0.05, 0.05 / 36)
    assert rows[-1].needed == queries_needed(0.15, 0.05, 0.05 / 6)
    (size,) = rows[0].sizes
    assert size.n == rows[0].needed and size.truth == 0.05 and size.detectable == pytest.approx(0.05, rel=1e-3)
    assert size.seen == seen_difference(0.27, 0.05, size.n, 0.05 / 36) and size.seen.power >= 0.8


def test_without_a_question_several_sizes_are_shown_at_half_of_what_they_show() -> None:
    (row,) = plan_power([Spread("de", 0.2, 0.3)], PowerSettings(), "w̄").rows
    assert [size.n for size in row.sizes] == [25, 50, 100, 200, 400, 800] and row.needed is None
    assert all(size.truth == size.detectable / 2 and size.seen.power < 0.5 for size in row.sizes)
    assert row.sizes[2].half_width == pytest.approx(1.96 * 0.03)
    (fixed,) = plan_power([Spread("de", 0.2)], PowerSettings(70, 0.01), "w̄").rows
    assert [size.n for size in fixed.sizes] == [70] and fixed.needed == queries_needed(0.2, 0.01)


def test_a_pilot_that_tells_little_says_so() -> None:
    same = [0.5] * 30
    few = [0.5] * 24 + [1.0] * 6
    (silent,) = pilot_spreads([[table("fr", [same, few], [f"q{n}" for n in range(30)])]])
    (row,) = plan_power([silent], PowerSettings(), "w̄").rows
    assert silent.sd is None and row.sizes == () and row.needed is None
    assert pilot_notes([silent], []) == ["fr: the systems differ on fewer than 10 queries; ask for more"]
    generator = np.random.default_rng(2)
    (one,) = pilot_spreads([[table("es", [generator.random(20).tolist()], [f"q{n}" for n in range(20)])]])
    assert one.sd == pytest.approx(2**0.5 * (one.sd_value or 0))
    notes = pilot_notes([one], ["ru"])
    assert notes[0] == "a pilot of fewer than 25 queries tells little of the spread (es: 20)"
    assert notes[1].startswith("one system alone:") and notes[2].startswith("ru: left out")
