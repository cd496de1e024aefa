"""What runs show in words: who is best, the languages, where the points go; never more than the data say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from graded_runs import write_graded_run
from ragaliq.aggregate.run_figures import read_figures
from ragaliq.compare.results import compare_results
from ragaliq.report.findings import finding_sentences
from ragaliq.storage.files import write_json

GOOD, BAD, BETWEEN = [5] * 12, [1] * 11 + [5], [5] * 9 + [4] * 3
Runs = Mapping[str, Mapping[str, Sequence[int | None]]]


def said(folder: Path, runs: Runs, metrics: Mapping[str, Any] | None = None, of: str = "") -> list[str]:
    """What is said of runs; the metrics are those of each, or of one alone."""
    figures = []
    for name, grades in runs.items():
        run = write_graded_run(folder / name, grades)
        write_json(run.metrics_file, metrics if metrics and of in ("", name) else {})
        figures.append(read_figures(run))
    return finding_sentences(compare_results(figures, 0.95, folder / "none").findings)


def test_one_system_has_a_score_and_how_sure_it_is(tmp_path: Path) -> None:
    (line,) = said(tmp_path, {"a": {"en": GOOD}})
    assert line.startswith(
        "Score: a has a weighted score of 1.00 in English; with other queries of this kind it may lie in 0."
    )


def test_a_certain_leader_is_called_so(tmp_path: Path) -> None:
    (line,) = said(tmp_path, {"bad": {"en": BAD}, "good": {"en": GOOD}})
    assert line.startswith("Best: good (1.00 ±") and ", for certain: it is better than the other." in line
    (line,) = said(tmp_path, {"bad": {"en": BAD}, "good": {"en": GOOD}, "worse": {"en": [1] * 12}})
    assert "for certain: it is better than each of the other 2." in line


def test_what_cannot_be_told_apart_is_named(tmp_path: Path) -> None:
    (line,) = said(tmp_path, {"bad": {"en": BAD}, "good": {"en": GOOD}, "between": {"en": BETWEEN}})
    assert "good (1.00 ±.23 in English) has the highest score, but the data cannot tell it apart from between." in line
    level = {f"g{n}": {"en": GOOD} for n in range(6)}
    (line,) = said(tmp_path, level)
    # Too few queries differ to tell what would go unseen.
    assert line.endswith("cannot tell it apart from g1, g2, g3 and 2 more.")


def test_systems_that_are_not_ranked_are_not_called_best(tmp_path: Path) -> None:
    (line,) = said(tmp_path, {"all": {"en": GOOD}, "some": {"en": BAD[:10]}})
    assert line.endswith("has the highest score, but the systems cannot be ranked; the lines under the tables say why.")
    (line,) = said(tmp_path, {"good": {"en": GOOD}, "bad": {"en": BAD}, "short": {"en": BAD[:10]}})
    assert "good (1.00 ±.23 in English) is better than 1 of the 2 others; the rest cannot be ranked with it." in line
    (line,) = said(tmp_path, {"lost": {"en": [None] * 12}})
    assert line == "Best: not known, because too few answers have a grade, or the systems share no language."


def test_languages_have_a_leader_each_and_a_gap(tmp_path: Path) -> None:
    runs = {"a": {"en": GOOD, "zh": BAD, "ru": GOOD}, "b": {"en": BAD, "zh": BETWEEN, "ru": BETWEEN}}
    _, line = said(tmp_path, runs)
    assert line == (
        "Languages: a has the highest score in English, Russian; b in Chinese (for certain: English, Chinese). a is "
        "weaker in Chinese than in English, for certain (-0.917 in mean weight)."
    )
    _, line = said(tmp_path, {"a": {"en": GOOD, "zh": BETWEEN}})
    assert line == "Languages: a is weaker in Chinese than in English, but not for certain (-0.050 in mean weight)."
    _, line = said(tmp_path, {"a": {"en": GOOD, "zh": GOOD}, "b": {"en": GOOD, "zh": GOOD}})
    assert line == "Languages: a and b have the highest score in every language (for certain: nowhere)."


def own(stages: Mapping[str, float], apart: Sequence[Any] = ()) -> dict[str, Any]:
    figures = {
        name: {"value": value, "ci": None, "n": 1, "first": None, "last": None} for name, value in stages.items()
    }
    loss = {"value": sum(stages.values()), "ci": None}
    main = max(stages, key=lambda name: stages[name])
    return {"n": 12, "n_expected": 12, "coverage": 1.0, "loss": loss, "stages": figures, "main": main,
            "apart": list(apart), "conditions": None, "steps": None}  # fmt: skip


@pytest.mark.parametrize(
    ("zh", "apart", "end"),
    [
        (
            {"retriever": 0.1, "reader": 0.3}, [],
            "; most of it: reader in every language. At no stage does it certainly lose more in one language than "
            "in the others.",
        ),
        (
            {"retriever": 0.6, "reader": 0.3},
            [{"stage": "retriever", "difference": 0.5, "ci": None, "p": 0.01, "n": 12}],
            "; most of it: reader in English, retriever in Chinese. Certainly more than in its other "
            "languages: retriever in Chinese, +0.50.",
        ),
    ],
)  # fmt: skip
def test_losses_name_stages_and_languages(tmp_path: Path, zh: dict[str, float], apart: list[Any], end: str) -> None:
    total = {"knowledge_base": 0.0, "retriever": 0.125, "reader": 0.3}
    waterfall = {"en": own({"reader": 0.3}), "zh": own(zh, apart), "all": own(total)}
    *_, line = said(tmp_path, {"a": {"en": GOOD, "zh": BAD}}, {"waterfall": waterfall})
    assert (
        line
        == f"Losses: a loses .42 of the best possible mean weight over its 2 languages: reader .30, retriever .12{end}"
    )


def test_losses_of_other_systems_are_said_where_a_language_stands_apart(tmp_path: Path) -> None:
    apart = [{"stage": "retriever", "difference": 0.5, "ci": None, "p": 0.01, "n": 12}]
    waterfall = {"en": own({"reader": 0.3}), "zh": own({"retriever": 0.6}, apart), "all": own({"reader": 0.4})}
    runs = {"a": {"en": GOOD, "zh": GOOD}, "b": {"en": GOOD, "zh": BAD}}
    *_, line = said(tmp_path, runs, {"waterfall": waterfall}, of="b")
    assert line == ("Losses: Other systems that certainly lose more in one language: b (retriever in Chinese, +0.50).")
