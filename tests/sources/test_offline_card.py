"""The shipped model, its card, and the rows that it was fitted on belong together."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from ragaliq.judge.offline.judge import MODEL, OFFLINE_CARD, OfflineJudge
from ragaliq.metrics.agreement.coefficients import agreement

BENCHMARKS = Path(__file__).resolve().parents[2] / "studies"


@pytest.fixture(scope="module")
def card() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(OFFLINE_CARD.read_text(encoding="utf-8"))
    return found


def test_the_card_is_the_models(card: dict[str, Any]) -> None:
    model = json.loads(MODEL.read_bytes())
    digest = hashlib.sha256(MODEL.read_bytes()).hexdigest()
    assert card["model"] == digest[:12]
    # The fixed rules count as well.
    assert OfflineJudge.prompt_hash != digest[:12]
    assert card["rule"]["cuts"] == model["rule"]["cuts"]
    assert card["version"] == model["version"]
    assert "Copyright (c) 2024 Nikita Sushko" in card["attribution"]
    assert "In-domain until shown otherwise" in card["scope"]
    assert MODEL.stat().st_size <= 2_000_000


def test_the_benchmark_figures_are_the_cards(card: dict[str, Any]) -> None:
    figures = json.loads((BENCHMARKS / "judge" / "offline.json").read_text(encoding="utf-8"))
    assert figures["model"] == card["model"]
    assert {name: figures[name] for name in card["measured"]} == card["measured"]


def test_the_card_shows_what_is_asked_of_the_judge(card: dict[str, Any]) -> None:
    splits = card["measured"]["splits"]
    assert splits["questions left out"]["qwk"] >= 0.78
    assert splits["questions left out"]["qwk_attempted"] >= 0.66
    assert splits["one reader left out, questions seen"]["qwk"] >= 0.80
    assert splits["one language left out, questions unseen"]["qwk"] >= 0.74
    for controls in card["measured"]["controls"].values():
        assert controls["reference is 5"]["share"] >= 0.98
        assert controls["empty is at most 1"]["share"] == 1
        assert controls["one number changed is at most 3"]["share"] >= 0.80
        assert controls["same-type neighbour is at most 2"]["share"] >= 0.80
    assert card["measured"]["answers_per_second"]["all answers"] >= 300


def test_the_certificate_is_the_cross_validated_agreement(card: dict[str, Any]) -> None:
    summary = OfflineJudge().certificate
    cross = card["measured"]["splits"]["questions left out"]
    assert set(summary) == {"labels", "n", "qwk", "qwk_ci", "qwk_attempted", "weight_kappa", "note"}
    assert {name: summary[name] for name in summary if name not in ("labels", "note")} == {
        name: cross[name] for name in ("n", "qwk", "qwk_ci", "qwk_attempted", "weight_kappa")
    }


@pytest.mark.slow
@pytest.mark.shared
def test_the_shipped_model_agrees_with_the_fitted_rows_as_the_card_says(
    card: dict[str, Any], shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS / "judge"))
    from graded import graded_rows
    from measuring import grades

    rows = graded_rows(shared_data / "ragaliq")
    fitted = card["measured"]["fitted rows"]
    found = agreement(grades(OfflineJudge(), rows), [row.grade for row in rows])
    assert len(rows) == card["rows"]["graded"] == fitted["n"]
    for name in ("qwk", "qwk_attempted", "weight_kappa", "auc_5_vs_34", "exact", "mae", "bias"):
        assert round(getattr(found, name), 3) == fitted[name]
    assert found.refusal.f1 is not None and round(found.refusal.f1, 3) == fitted["refusal_f1"]


@pytest.mark.slow
@pytest.mark.shared
def test_rows_of_a_question_or_a_language_never_stand_on_both_sides_of_a_split(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS / "judge"))
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from fit_offline import training_rows
    from measuring import by_language, by_question, by_reader

    rows = training_rows(shared_data)
    tested = 0
    apart = ((by_question, ("question_id",)), (by_language, ("question_id", "lang")), (by_reader, ("reader",)))
    for splits, keys in apart:
        for split in splits(rows):
            train = [row for row, kept in zip(rows, split.train, strict=True) if kept]
            test = [row for row, kept in zip(rows, split.test, strict=True) if kept]
            tested += len(test)
            assert all(row.real for row in test)
            for key in keys:
                assert not {getattr(row, key) for row in train} & {getattr(row, key) for row in test}
    assert tested == 3 * sum(row.real for row in rows)


def test_the_page_shows_the_cards_figures(card: dict[str, Any]) -> None:
    page = (BENCHMARKS.parent / "docs" / "offline_judge.md").read_text(encoding="utf-8")
    for name, figures in card["measured"]["splits"].items():
        qwk = f"{figures['qwk']:.2f}".removeprefix("0")
        assert f"| {name} | {figures['n']:,} | {qwk} [" in page
    assert ", ".join(str(cut) for cut in card["rule"]["cuts"]) in page
    speeds = card["measured"]["answers_per_second"]
    assert f"{speeds['all answers']:,} answers a second on one core, {speeds['short answers']:,} where" in page
    for weak_spot in card["weak_spots"]:
        assert weak_spot in page


def test_the_answers_written_for_it_were_graded_by_it() -> None:
    for name in ("own_answers", "taken_back"):
        figures = json.loads((BENCHMARKS / "judge" / f"{name}.json").read_text(encoding="utf-8"))
        assert figures["judge"] == f"offline {OfflineJudge.prompt_hash}"
