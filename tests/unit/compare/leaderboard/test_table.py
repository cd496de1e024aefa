"""Rows of the leaderboard: order, ranks, selection, coverage, cost and latency, whatever the order of the systems."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from graded_runs import write_graded_run
from ragaliq.aggregate.grades.query_grades import JudgeId, QueryKey
from ragaliq.compare.leaderboard.table import Leaderboard, LeaderboardRow, leaderboard_of
from ragaliq.compare.sources.read import read_sources
from ragaliq.compare.sources.settings import Group, ReadSettings
from ragaliq.compare.sources.system_values import Sources, SystemValues
from ragaliq.compare.value_table import TableMetric
from ragaliq.errors import InputError
from ragaliq.metrics.statistics.intervals import value_interval, weight_interval
from ragaliq.report.format import between
from ragaliq.report.markdown.leaderboard import render_leaderboard
from ragaliq.storage.files import read_json, write_json

METRIC = TableMetric("score", "mean of the values, 0 to 1")
GOOD, BAD = [5] * 9 + [4], [1] * 9 + [5]


def values(lang: str, *cells: float | None, name: str = "", **more: object) -> SystemValues:
    by_query = {QueryKey(f"q{place}"): cell for place, cell in enumerate(cells)}
    return SystemValues(name, lang, by_query, **more)  # type: ignore[arg-type]


def board(systems: Mapping[str, list[SystemValues]], mixed: bool = False, metric: TableMetric = METRIC) -> Leaderboard:
    named = tuple(
        {own.lang: SystemValues(**{key: getattr(own, key) for key in own.__slots__} | {"name": name}) for own in langs}
        for name, langs in systems.items()
    )
    return leaderboard_of(Sources(metric, named), mixed)


def by_name(found: Leaderboard) -> dict[str, LeaderboardRow]:
    return {row.name: row for row in found.rows}


def drawn(mean: float, seed: int, n: int = 40) -> list[float]:
    draw = random.Random(seed)
    return [min(1.0, max(0.0, mean + draw.gauss(0, 0.1))) for _ in range(n)]


def test_the_best_comes_first_and_ranks_join_what_cannot_be_told_apart() -> None:
    # Two have the same values on other queries.
    good = drawn(0.7, 1)
    found = board({
        "слабая": [values("ru", *drawn(0.2, 2))], "gut": [values("ru", *good)], "好": [values("ru", *reversed(good))],
    })  # fmt: skip
    rows = by_name(found)
    assert found.rows[-1].name == "слабая"
    assert [(row.total.rank.low, row.total.rank.high) for row in rows.values() if row.total.rank] == [(1, 2)] * 2 + [
        (3, 3)
    ]
    assert set(found.leading) == {"gut", "好"}
    assert sum(row.selected or 0.0 for row in found.rows) == pytest.approx(1.0)
    assert rows["слабая"].selected == 0.0
    # The only language is the total.
    assert all(row.languages["ru"] == row.total for row in found.rows)


def test_items_beyond_those_expected_hide_none_that_are_missing() -> None:
    cells = [1.0, 0.0] * 20
    found = board({
        "a": [values("en", *cells, n_expected=30), values("de", *cells[:30], n_expected=40)],
    })  # fmt: skip
    (row,) = found.rows
    assert {lang: own.coverage for lang, own in row.languages.items()} == {"en": 1.0, "de": 0.75}
    assert (row.total.n_items, row.failures) == (80, {"missing": 10})


def test_values_above_one_have_no_known_range() -> None:
    metric = TableMetric("alpha_nDCG@3", "gain by that of a greedy ideal", greatest=1.02, known=False)
    (row,) = board({"a": [values("", 1.02, 0.5, 0.25)]}, metric=metric).rows
    assert row.total.interval is not None and 0.25 <= row.total.interval.low < row.total.interval.high <= 1.02


def test_less_is_better_turns_the_order() -> None:
    systems = {"low": [values("en", *drawn(0.2, 1))], "high": [values("en", *drawn(0.7, 2))]}
    less = TableMetric("error rate", "share of errors, 0 to 1; less is better", less_is_better=True)
    assert [row.name for row in board(systems).rows] == ["high", "low"]
    found = board(systems, metric=less)
    assert [row.name for row in found.rows] == ["low", "high"]
    assert found.leading == ("low",) and found.rows[0].selected == 1.0


def test_the_languages_of_a_query_are_one_cluster_and_all_ranks_of_languages_hold_together() -> None:
    cells = drawn(0.5, 3)
    alone = board({"a": [values("de", *cells)], "b": [values("de", *drawn(0.5, 4))]})
    six = board({
        "a": [values(lang, *cells) for lang in ("en", "de", "fr", "es", "ru", "zh")],
        "b": [values(lang, *drawn(0.5, 4)) for lang in ("en", "de", "fr", "es", "ru", "zh")],
    })  # fmt: skip
    one, all_six = by_name(alone)["a"].total.interval, by_name(six)["a"].total.interval
    assert one and all_six and all_six.half_width == pytest.approx(one.half_width, rel=1e-6)
    assert six.shared == ("en", "de", "fr", "es", "ru", "zh") and six.n_shared == 240
    # Copies of one language have no interaction to keep, and shrink to the same value in each.
    shrunken = {own.shrunken for own in by_name(six)["a"].languages.values()}
    assert six.kept == 0.0 and len({round(value or 0.0, 9) for value in shrunken}) == 1
    assert alone.kept is None


def test_the_order_of_the_systems_changes_nothing() -> None:
    systems = {
        name: [values("en", *drawn(0.5, seed)), values("zh", *drawn(0.5, seed + 9))] for seed, name in enumerate("abcd")
    }
    backwards = dict(reversed(systems.items()))
    assert board(systems).rows == board(backwards).rows


def test_a_system_with_few_values_is_not_ranked_and_the_others_are() -> None:
    thin = [*drawn(0.9, 5)[:20], *[None] * 20]
    found = board({
        "a": [values("fr", *drawn(0.2, 1))],
        "b": [values("fr", *drawn(0.7, 2))],
        "thin": [values("fr", *thin, failures={"timeout": 20})],
    })  # fmt: skip
    rows = by_name(found)
    assert rows["thin"].total.rank is None and rows["thin"].selected is None
    assert rows["b"].total.rank and rows["b"].total.rank.first
    assert found.n_ranked == 2 and found.n_shared == 40
    assert found.warnings == ("fr: too few of the 40 queries have a value in thin",)
    assert (rows["thin"].total.coverage, rows["thin"].failures) == (0.5, {"timeout": 20})


def test_items_in_are_items_out() -> None:
    """What a file does not have, and what has no value, add up with the values to the items asked."""
    found = board({
        "whole": [values("es", *drawn(0.5, 1))],
        "short": [values("es", *drawn(0.5, 2)[:37], None, failures={"HTTP 503": 1})],
        "expected": [values("es", *drawn(0.5, 2), n_expected=50)],
    }, mixed=True)  # fmt: skip
    rows = by_name(found)
    assert rows["short"].failures == {"HTTP 503": 1, "missing": 2}
    assert rows["expected"].failures == {"missing": 10}
    for row in found.rows:
        assert row.total.n_valued + sum(row.failures.values()) == row.total.n_items


def test_lost_values_leave_bounds_and_an_interval_about_them() -> None:
    cells = drawn(0.5, 2)
    found = board({
        "whole": [values("zh", *drawn(0.5, 1))],
        "lost": [values("zh", *cells[:36], None, None, failures={"timeout": 2})],
    })  # fmt: skip
    rows = by_name(found)
    assert rows["whole"].total.lost == (None, None)
    # Two without a value, and two that the file does not have.
    bounds, interval = rows["lost"].total.score_bounds
    assert bounds == pytest.approx((sum(cells[:36]) / 40, (sum(cells[:36]) + 4) / 40))
    ends = [value_interval([*cells[:36], *[end] * 4], 0, 1) for end in (0.0, 1.0)]
    assert ends[0] and ends[1] and interval == pytest.approx((ends[0].low, ends[1].high))
    text = render_leaderboard(found, "md")
    assert f"| {between(bounds)} ({between(interval)}) |" in text and "whatever they are" in text
    assert "bounds" not in render_leaderboard(board({"a": [values("zh", *cells)]}), "md")
    (row,) = [one for one in json.loads(render_leaderboard(found, "json"))["systems"] if one["system"] == "lost"]
    assert (row["score_bounds"], row["score_bounds_ci"]) == (list(bounds or ()), list(interval or ()))
    unknown = TableMetric("score", "mean", known=False)
    assert by_name(board({"a": [values("zh", 0.5, 0.7, None)]}, metric=unknown))["a"].total.lost == (None, None)


def test_lost_values_in_several_languages_are_of_one_query() -> None:
    cells = [*drawn(0.5, 3)[:30], *[None] * 3]
    langs = ("en", "de", "fr", "es", "ru", "zh")
    one = by_name(board({"a": [values("ru", *cells)]}))["a"].total.lost
    six = by_name(board({"a": [values(lang, *cells) for lang in langs]}))["a"].total.lost
    assert one.bounds == pytest.approx(six.bounds) and one.interval == pytest.approx(six.interval, abs=0.01)


def test_systems_that_share_no_language_have_no_total() -> None:
    found = board({"a": [values("en", *drawn(0.5, 1))], "b": [values("zh", *drawn(0.5, 2))]})
    assert found.shared == () and found.leading == ()
    assert all(row.total.mean is None and row.selected is None for row in found.rows)
    assert all(own.mean is not None for row in found.rows for own in row.languages.values())


def test_judges_of_any_language_must_be_the_same() -> None:
    def judged(lang: str, seed: int, judge: str) -> SystemValues:
        return values(lang, *drawn(0.5, seed), judges=(JudgeId(judge),))

    systems = {
        "a": [judged("en", 1, "x"), judged("zh", 2, "x")],
        "b": [judged("en", 3, "x"), judged("zh", 4, "y")],
        "c": [judged("en", 5, "x")],
    }
    with pytest.raises(InputError, match=r"graded by different judges \(a: x, b: y\)"):
        board(systems)
    found = board(systems, mixed=True)
    assert found.warnings == ("zh: graded by different judges (a: x, b: y)",)
    rows = by_name(found)
    assert rows["a"].languages["zh"].rank is None and rows["a"].languages["en"].rank is not None
    assert rows["a"].total.rank is not None


def test_runs_have_scores_cost_and_latency(tmp_path: Path) -> None:
    for name, grades in (("gut", GOOD), ("schlecht", BAD)):
        folder = write_graded_run(tmp_path / name, {"de": grades, "zh": grades})
        usage = {"n": 20, "n_reported": 20, "prompt_tokens": 20_000, "completion_tokens": 2_000}
        write_json(folder.metrics_file, {"usage": {"reader": usage}})
        config = read_json(folder.config_file)
        config["system"]["reader"] = {"kind": "openai", "model": "gpt-4o" if name == "gut" else "nobody/knows"}
        write_json(folder.config_file, config)
    found = leaderboard_of(read_sources([tmp_path / "schlecht", tmp_path / "gut"], ReadSettings(joined=True)))
    first, second = found.rows
    assert (first.name, second.name, found.leading) == ("gut", "schlecht", ("gut",))
    # Nine fives and a four: mean weight .98.
    assert first.total.mean == pytest.approx(0.98) and first.total.score == pytest.approx(0.98**2)
    ends = weight_interval([*GOOD, *GOOD], clusters=[f"q{place:02}" for place in range(10)] * 2)
    assert ends is not None and first.total.score_interval == pytest.approx((ends.low**2, ends.high**2))
    new = first.total.score_of_new_sample
    assert new is not None and new.low < ends.low**2
    # 20,000 · 2.50 + 2,000 · 10 dollars a million, over 20 answers.
    assert first.cost == pytest.approx(1000 * 0.07 / 20)
    assert second.cost is None
    assert first.seconds == (0.5, 0.5)


def test_pooled_runs_are_one_row(tmp_path: Path) -> None:
    for name, grades in (("one", GOOD), ("two", BAD), ("other", BAD)):
        write_graded_run(tmp_path / name, {"ru": grades})
    group = Group("pooled", (str(tmp_path / "one"), str(tmp_path / "two")))
    settings = ReadSettings(groups=(group,), joined=True)
    found = leaderboard_of(read_sources([tmp_path / name for name in ("one", "two", "other")], settings))
    assert {row.name: row.total.mean for row in found.rows} == pytest.approx({"pooled": (0.98 + 0.1) / 2, "other": 0.1})


def test_logs_of_one_system_in_several_languages_are_one_row(tmp_path: Path) -> None:
    for lang in ("en", "zh"):
        for system, score in (("r1_e_k", 5), ("r2_e_k", 1)):
            rows = [{"question": f"{lang} {n}", "generated_answer": "x", "score": score} for n in range(12)]
            write_json(tmp_path / f"eval_res_questions_{lang}_{system}_{lang}.json", rows)
    paths = sorted(tmp_path.iterdir())
    found = leaderboard_of(read_sources(paths, ReadSettings(joined=True)))
    assert [row.name for row in found.rows] == ["r1_e_k", "r2_e_k"]
    assert all(list(row.languages) == ["en", "zh"] for row in found.rows)
    # Texts do not tell which questions of two languages are the same: no interval and no ranks over both.
    assert not found.joined and found.rows[0].total.interval is None and found.leading == ()
    assert all(own.rank is not None for row in found.rows for own in row.languages.values())
    assert len(read_sources(paths, ReadSettings()).systems) == 4
