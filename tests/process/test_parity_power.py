"""Unequal items planted in the sample are found, and equal ones are left alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragaliq.benchmark.load import load_benchmark

STUDIES = Path(__file__).resolve().parents[2] / "studies"


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(STUDIES))
    from parity import study as module

    assert sys.modules["parity.study"] is module
    return module


@pytest.mark.slow
def test_planted_unequal_items_are_found_with_power_of_four_fifths(study: Any) -> None:
    sample = load_benchmark(study.SAMPLE)
    clean = study.scored(sample)
    outcomes = []
    # Every kind of fault and every language; another seed than the study's.
    for place, kind in enumerate([*study.UNEQUAL, "key terms of the query"]):
        lang = sample.languages[place]
        batch = study.plant(sample, lang, kind, seed=3)
        one = study.scored(batch.benchmark, clean, [lang])
        outcomes.append(study.outcome(study.shipped(one), {lang: batch}, one, clean))
    hits, found, alarms = (
        np.concatenate([getattr(one, key) for one in outcomes]) for key in ("hits", "found", "alarms")
    )
    assert len(hits) == 6 * 20
    assert hits[found].mean() >= 0.8
    assert alarms.mean() <= 0.05


def test_the_study_says_so_of_all_batches() -> None:
    figures = json.loads((STUDIES / "parity" / "figures.json").read_text(encoding="utf-8"))["sample"]
    assert figures["unequal"]["power, found elsewhere"]["share"] >= 0.8
    assert figures["unequal"]["false alarms"]["share"] <= 0.05
    assert figures["planted in every language at once"]["false alarms"]["share"] <= 0.05
