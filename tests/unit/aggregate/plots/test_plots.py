"""Pictures of a run: what is drawn is read back from the figure."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from graded_runs import write_graded_run
from ragaliq.aggregate.run_figures import RunFigures, load_run
from ragaliq.errors import ConfigError, InputError

ROOT = Path(__file__).resolve().parents[4]
# What each stage loses, in the order of the stages.
LOST = {
    "en": (0.0, 0.1, 0.05, 0.0, 0.02, 0.0, 0.03),
    "zh": (0.2, 0.0, 0.0, 0.1, 0.0, 0.05, 0.25),
    "all": (0.1, 0.05, 0.025, 0.05, 0.01, 0.025, 0.14),
}
STAGES = ("knowledge_base", "retriever", "reranker", "context_cut", "language", "abstention", "reader")
# What no picture shows.
REST: Mapping[str, Any] = {"main": None, "apart": [], "conditions": None, "steps": None}


def row(lost: tuple[float, ...], unknown: float = 0.0) -> dict[str, Any]:
    stages: dict[str, Any] = {
        stage: {"value": value, "ci": None, "n": 1, "first": None, "last": None}
        for stage, value in zip(STAGES, lost, strict=True)
    }
    if unknown:
        stages["unknown"] = {"value": unknown, "ci": None, "n": 1, "first": None, "last": None}
    total = sum(lost) + unknown
    loss = {"value": total, "ci": [max(0.0, total - 0.05), total + 0.05]}
    return {"n": 3, "n_expected": 4, "coverage": 0.75, "loss": loss, "stages": stages, **REST}


def graded(path: Path, waterfall: Mapping[str, Any] | None = None) -> RunFigures:
    folder = write_graded_run(path, {"en": [5, 4, 4, 3], "zh": [1, 2, None]})
    if waterfall is None:
        waterfall = {lang: row(lost) for lang, lost in LOST.items()}
    folder.metrics_file.write_text(json.dumps({"waterfall": waterfall}))
    return load_run(folder.path)


def drawn(figure: Any) -> Any:
    """The one pair of axes of a figure, of whatever type matplotlib calls it."""
    (axes,) = figure.axes
    return axes


def words(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


@pytest.mark.plot
def test_the_parts_of_each_bar_add_up_to_the_loss(tmp_path: Path) -> None:
    axes = drawn(graded(tmp_path / "a").plot_waterfall())
    assert words(axes) == ["English (en)", "Chinese (zh)", "all languages"]
    assert [bars.get_label() for bars in axes.containers] == [stage.replace("_", " ") for stage in STAGES]
    for place, lost in enumerate(LOST.values()):
        parts = [bars.patches[place] for bars in axes.containers]
        assert [part.get_width() for part in parts] == pytest.approx(lost)
        # Each begins where the one before it ends.
        starts = [sum(lost[:number]) for number in range(len(lost))]
        assert [part.get_x() for part in parts] == pytest.approx(starts)
        assert {round(part.get_y() + part.get_height() / 2) for part in parts} == {place}
    said = [text.get_text() for text in axes.texts]
    assert said[:3] == ["0.200 · 3 of 4 graded", "0.600 · 3 of 4 graded", "0.400 · 3 of 4 graded"]
    assert "0.25" in said and "0.02" not in said, "a narrow part has no figure"
    assert [tuple(line.get_xdata()) for line in axes.lines] == [
        pytest.approx(ends) for ends in ((0.15, 0.25), (0.55, 0.65), (0.35, 0.45))
    ]
    looks = {(bars.patches[0].get_facecolor(), bars.patches[0].get_hatch()) for bars in axes.containers}
    assert len(looks) == len(STAGES)


@pytest.mark.plot
def test_one_language_without_loss_and_gold_that_is_not_known(tmp_path: Path) -> None:
    loss = {"value": None, "ci": None}
    nothing = {"n": 0, "n_expected": 4, "coverage": 0.0, "loss": loss, "stages": {}, **REST}
    axes = drawn(graded(tmp_path / "a", {"xq": nothing, "all": nothing}).plot_waterfall())
    assert (words(axes), axes.containers) == (["xq (xq)"], [])
    assert axes.texts[0].get_text() == "0 of 4 graded"
    axes = drawn(graded(tmp_path / "b", {"en": row((0.0,) * 7, 0.3)}).plot_waterfall())
    (bars,) = axes.containers
    assert (bars.get_label(), bars.patches[0].get_width()) == ("gold not known", 0.3)


@pytest.mark.plot
def test_the_score_of_each_language(tmp_path: Path) -> None:
    run = graded(tmp_path / "a")
    axes = drawn(run.plot_languages())
    values = [summary.aggregates for summary in run.summaries.values()]
    assert words(axes) == ["English (en)", "Chinese (zh)"]
    assert [text.get_text() for text in axes.texts] == [
        f"{((1 + 0.8 + 0.8 + 0.6) / 4) ** 2:.3f} · 4 of 4 graded",
        f"{((0 + 0.2) / 2) ** 2:.3f} · 2 of 3 graded",
    ]
    points = [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1]
    assert points == [one.weighted_score for one in values]
    intervals = [tuple(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 2]
    assert intervals == [tuple(one.weighted_score_ci or ()) for one in values]


@pytest.mark.plot
@pytest.mark.slow
def test_the_same_figures_give_the_same_files(tmp_path: Path) -> None:
    run = graded(tmp_path / "a $\\frac{$ 运行")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # As of a letter that the font does not have.
        picture = vars(run.plot_languages())["_repr_png_"]()
        assert drawn(run.plot_languages()).get_title(loc="left") == r"a $\frac{$ \u8fd0\u884c: score by language"
    assert picture == vars(run.plot_languages())["_repr_png_"]() and picture.startswith(b"\x89PNG")
    names = [f"{name}.{suffix}" for name in ("languages", "waterfall") for suffix in ("svg", "png")]
    for folder in ("one", "two"):
        command = [sys.executable, str(ROOT / "scripts" / "pictures.py"), str(run.folder), str(tmp_path / folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == [str(tmp_path / folder / name) for name in names] and done.stderr == ""
    for name in names:
        content = (tmp_path / "one" / name).read_bytes()
        assert content == (tmp_path / "two" / name).read_bytes()
        assert len(content) < 300_000 and b"<dc:date>" not in content
    run.folder.metrics_file.write_text("{}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith(f"pictures: {run.folder}: no waterfall in metrics.json")
    assert done.stderr.count("\n") == 1


def test_without_matplotlib_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run = graded(tmp_path / "a")
    for plot in (run.plot_languages, run.plot_waterfall):
        with pytest.raises(ConfigError, match=r"^pictures need matplotlib: pip install matplotlib$"):
            plot()


def test_a_run_without_a_waterfall_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"no waterfall in metrics\.json yet; `ragaliq judge .* --only-unscored` adds it"
    ):
        graded(tmp_path / "a", {}).plot_waterfall()
