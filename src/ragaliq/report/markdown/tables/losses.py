"""The section of results.md on where the points go: what each stage loses in each language, and other contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.compare.standings import ALL
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.report.format import NONE, TableRows, bold_if, escaped, markdown, plus_minus, with_interval
from ragaliq.report.markdown.tables.systems import TEXTS
from ragaliq.report.stages import STAGES
from ragaliq.types import Condition, LossStage

# `run` is no condition of its own: what the system itself shows its reader.
_CONDITIONS = {Condition.NONE: "no context", Condition.RETRIEVED: "retriever's order", Condition.GOLD: "gold context"}


def losses_section(runs: Sequence[RunFigures], langs: Sequence[str]) -> list[str]:
    """Return a table for each run that has a waterfall, and one of its answers under other contexts."""
    parts = []
    for run in runs:
        waterfall = run.metrics.get("waterfall", {})
        if ALL in waterfall:
            parts += [escaped(f"### Losses of {run.name}"), markdown(_stages(waterfall, langs), texts=TEXTS)]
            conditions = _conditions(waterfall[ALL])
            parts += [markdown(conditions, texts=TEXTS)] if conditions else []
    return ["# Where the points go", *parts] if parts else []


def _stages(waterfall: Mapping[str, Any], langs: Sequence[str]) -> TableRows:
    """Return a row for each stage and one for their sum; a stage that stands out in a language is in bold there."""
    own = [lang for lang in langs if lang in waterfall]
    columns = [ALL, *own] if len(own) > 1 else own
    present = [stage for stage in LossStage if any(stage in waterfall[lang]["stages"] for lang in columns)]
    rows = [
        {"stage": STAGES[stage][0], **{lang: _share(waterfall[lang], stage, lang == columns[0]) for lang in columns}}
        for stage in present
    ]
    total = {lang: _figure(waterfall[lang]["loss"], lang == columns[0]) for lang in columns}
    graded = {lang: f"{waterfall[lang]['n']}/{waterfall[lang]['n_expected']}" for lang in columns}
    return [*rows, {"stage": "sum", **total}, {"stage": "n", **graded}]


def _share(own: Mapping[str, Any], stage: LossStage, with_ci: bool) -> str:
    figure = own["stages"].get(stage)
    if figure is None:
        return NONE
    return bold_if(any(one["stage"] == stage for one in own["apart"]), _figure(figure, with_ci))


def _figure(figure: Mapping[str, Any], with_ci: bool) -> str:
    """Return a share of the loss, in the first column with its interval."""
    value, ci = figure["value"], figure["ci"]
    return plus_minus(value, Interval(*ci) if with_ci and ci else None)


def _conditions(own: Mapping[str, Any]) -> TableRows:
    """Return the same reader's mean weight under each condition; a gain is that over the row above."""
    gains = {step["to"]: with_interval(step["difference"], step["ci"], sign=True) for step in own["steps"] or ()}
    return [
        {
            "condition": _CONDITIONS.get(name, name),
            "n": f"{figure['n']}/{figure['n_expected']}",
            "mean_weight": with_interval(figure["mean_weight"], figure["ci"]),
            "gain": gains.get(name, NONE),
            "right": str(figure["n_right"]),
        }
        for name, figure in (own["conditions"] or {}).items()
    ]
