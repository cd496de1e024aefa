"""List prices: a dated file, exact names, one line for what is wrong with it."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from ragaliq.errors import ConfigError, InputError
from ragaliq.llm import load_prices
from ragaliq.llm.prices import Price
from ragaliq.types import Usage


def test_a_call_costs_what_its_tokens_cost() -> None:
    assert Price(2.5, 10.0).cost(Usage(1_000_000, 0)) == 2.5
    assert Price(2.5, 10.0).cost(Usage(1200, 300)) == pytest.approx(0.003 + 0.003)
    assert Price(2.5, 10.0).cost(Usage(0, 0)) == 0.0


def test_the_shipped_prices_are_dated_and_sane() -> None:
    prices = load_prices()
    assert datetime.date.fromisoformat(f"{prices.date}-01").year >= 2026
    assert len(prices.models) > 5
    for name, price in prices.models.items():
        assert 0 < price.prompt < 100, name
        assert price.completion == 0 or price.prompt < price.completion < 500, name
    for name, price in prices.models.items():
        if name.startswith("openai/"):
            assert price == prices.of(name.removeprefix("openai/"))


def test_names_are_not_guessed() -> None:
    prices = load_prices()
    assert prices.of("gpt-4o-mini") is not None
    assert [prices.of(name) for name in ("gpt-4o-mini-2024-07-18", "GPT-4o-mini", "", "gpt")] == [None] * 4


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "date: 2026-05-04\nmodels:\n  модель: {prompt: 1, completion: 0}\n  7: {prompt: 0, completion: 2.5}\n"
    )
    prices = load_prices(path)
    assert (prices.date, prices.of("модель"), prices.of("7")) == ("2026-05-04", Price(1.0, 0.0), Price(0.0, 2.5))
    assert prices.path == path


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("", "a price file holds 'date' and 'models'"),
        ("- 1", "a price file holds 'date' and 'models'"),
        ("models: {}", "a price file holds 'date' and 'models'"),
        ("date: x\nmodels: [gpt]", "a price file holds 'date' and 'models'"),
        ("date: x\nmodels: {gpt: 3}", "'gpt' needs 'prompt' and 'completion'"),
        ("date: x\nmodels: {gpt: {prompt: 3}}", "'gpt' needs 'prompt' and 'completion'"),
        ("date: x\nmodels: {gpt: {prompt: a, completion: 1}}", "'gpt' needs 'prompt' and 'completion'"),
        ("date: x\nmodels: {gpt: {prompt: -1, completion: 1}}", "a price is a number of at least 0"),
        ("date: x\nmodels: {gpt: {prompt: 1, completion: .inf}}", "a price is a number of at least 0"),
        ("date: x\nmodels: {gpt: {prompt: .nan, completion: 1}}", "a price is a number of at least 0"),
        ("date: [", "not valid YAML"),
    ]
    for text, message in cases:
        path = tmp_path / "p.yaml"
        path.write_text(text)
        with pytest.raises(ConfigError) as caught:
            load_prices(path)
        assert str(caught.value).startswith(str(path)) and message in str(caught.value), text
        assert "\n" not in str(caught.value), text


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml: cannot be read"):
        load_prices(tmp_path / "none.yaml")
