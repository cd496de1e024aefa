"""Which stage of a run loses how much in each language."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ragaliq.aggregate.beside.waterfall import ALL_LANGUAGES
from ragaliq.aggregate.plots.drawing import INK, SOFT, rows_figure
from ragaliq.types import LossStage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colour (those of Okabe and Ito, who chose them for every kind of sight; grey for what is not known), pattern, and the
# colour of a figure on it: neighbours differ in all three ways or in two.
_LOOKS: Mapping[LossStage, tuple[str, str, str]] = MappingProxyType(
    {
        LossStage.KNOWLEDGE_BASE: ("#0072b2", "", "white"),
        LossStage.RETRIEVER: ("#e69f00", "", INK),
        LossStage.RERANKER: ("#009e73", "///", INK),
        LossStage.CONTEXT_CUT: ("#cc79a7", "", INK),
        LossStage.LANGUAGE: ("#56b4e9", "\\\\\\\\", INK),
        LossStage.ABSTENTION: ("#f0e442", "", INK),
        LossStage.READER: ("#c45200", "", "white"),
        LossStage.UNKNOWN: (SOFT, "xxx", "white"),
    }
)
# A part of a bar that takes less of the axis holds no figure.
_LEAST = 0.055


def waterfall_figure(name: str, waterfall: Mapping[str, Any]) -> Figure:
    """Return the loss of mean weight of each language as a bar, in parts that are each stage's and add up to it.

    Args:
        name: the run.
        waterfall: `metrics["waterfall"]`.

    Raises:
        ConfigError: if matplotlib is not installed.
    """
    langs = [lang for lang in waterfall if lang != ALL_LANGUAGES]
    langs += [ALL_LANGUAGES] if len(langs) > 1 else []
    measured = "loss of mean weight (1 − mean weight), by the first stage that loses what the answer needs;\n"
    measured += "thin line: 95 % interval of the whole loss"
    rows = [waterfall[lang] for lang in langs]
    figure, axes = rows_figure(langs, f"{name}: which part loses the points", measured, [_said(row) for row in rows])
    widest = max((_highest(row) for row in rows), default=0.0) or 1.0
    axes.set_xlim(0.0, min(1.0, widest * 1.04))
    for stage, (colour, pattern, ink) in _LOOKS.items():
        values = [row["stages"].get(stage, {}).get("value") or 0.0 for row in rows]
        if not any(values):
            continue
        starts = [_before(row, stage) for row in rows]
        bars = axes.barh(
            range(len(rows)), values, left=starts, height=0.62, color=colour, hatch=pattern, edgecolor="white",
            linewidth=0.8, label=_name(stage),
        )  # fmt: skip
        figures = [f"{value:.2f}" if value >= _LEAST * axes.get_xlim()[1] else "" for value in values]
        ground = {"facecolor": colour, "edgecolor": "none", "pad": 1.0}
        axes.bar_label(bars, figures, label_type="center", color=ink, fontsize=9, bbox=ground)
    for place, row in enumerate(rows):
        if row["loss"]["ci"] is not None:
            axes.plot(row["loss"]["ci"], [place + 0.38] * 2, color=INK, linewidth=1.0, marker="|", markersize=4)
    if axes.containers:
        figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure


def _before(row: Mapping[str, Any], stage: LossStage) -> float:
    """Return what the stages before one lose."""
    earlier = list(_LOOKS)[: list(_LOOKS).index(stage)]
    return sum(row["stages"].get(one, {}).get("value") or 0.0 for one in earlier)


def _highest(row: Mapping[str, Any]) -> float:
    return float(max(row["loss"]["value"] or 0.0, *(row["loss"]["ci"] or (0.0,))))


def _said(row: Mapping[str, Any]) -> str:
    graded = f"{row['n']} of {row['n_expected']} graded"
    return graded if row["loss"]["value"] is None else f"{row['loss']['value']:.3f} · {graded}"


def _name(stage: LossStage) -> str:
    return "gold not known" if stage is LossStage.UNKNOWN else stage.replace("_", " ")
