"""Shards: which queries each part holds, and how a job array names one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import item
from ragaliq.errors import ConfigError, InputError
from ragaliq.runs.shards import Shard, parse_shard, shard_of_environment


@given(st.integers(1, 40), st.integers(1, 40))
def test_the_parts_hold_every_query_once_and_differ_by_one_at_most(n: int, count: int) -> None:
    items = {"zh": [item("q", "r", "zh", f"q{number:02}") for number in range(max(n, count))]}
    parts = [Shard(index, count).part(items)["zh"] for index in range(1, count + 1)]
    held = [one.query.query_id for part in parts for one in part]
    assert sorted(held) == [one.query.query_id for one in items["zh"]]
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_parallel_questions_are_in_the_same_part() -> None:
    items = {lang: [item("q", "r", lang, f"q{number}") for number in range(5)] for lang in ("en", "ru")}
    promised = Shard(2, 3).manifest(Shard(2, 3).part(items))
    assert promised == {"index": 2, "count": 3, "queries": {"en": ["q1", "q4"], "ru": ["q1", "q4"]}}


def test_more_shards_than_queries_are_refused() -> None:
    items = {"en": [item("q", "r", "en", "q1")], "de": []}
    assert [len(part) for part in Shard(1, 2).part(items).values()] == [1, 0]
    with pytest.raises(InputError, match="shard 2/2: holds no query; take at most 1 shards"):
        Shard(2, 2).part(items)


@pytest.mark.parametrize("text", ["", "2", "0/4", "5/4", "-1/4", "2/4/8", "a/b", "²/4"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="shard"):
        parse_shard(text)


def test_a_job_array_counts_from_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shard_of_environment() is None
    monkeypatch.setenv("RAGALIQ_SHARD_COUNT", "4")
    with pytest.raises(ConfigError, match="RAGALIQ_SHARD_INDEX= RAGALIQ_SHARD_COUNT=4: set both"):
        shard_of_environment()
    monkeypatch.setenv("RAGALIQ_SHARD_INDEX", "0")
    assert shard_of_environment() == Shard(1, 4) == parse_shard("1/4")
    monkeypatch.setenv("RAGALIQ_SHARD_INDEX", "4")
    with pytest.raises(ConfigError, match="from 0 to one less than the count"):
        shard_of_environment()
