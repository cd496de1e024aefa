"""Published figures on the same data set beside ours, each with its source."""

from __future__ import annotations

from typing import Any

from ragaliq.experiment.figures.published import published_statistics, published_values
from ragaliq.experiment.figures.study import Study
from ragaliq.report.format import NONE, markdown


def published_table(study: Study) -> str:
    """Return what was published for the measures of a study; empty if nothing was.

    A published row of BM25 has the difference of ours in brackets, ours minus published. Other retrievers have another
    model each, so that nothing is said of them.
    """
    by_system: dict[tuple[str, str, str], dict[str, str]] = {}
    for reference, ours in published_values(study):
        own = by_system.setdefault((reference.system, reference.setting, reference.source), {})
        own[reference.measure] = f"{reference.value:.3f}" + ("" if ours is None else f" (ours {ours:+.3f})")
    measures = [measure for measure in study.measures if any(measure in own for own in by_system.values())]
    rows = [
        {
            "system": system,
            "asks": setting,
            **{measure: own.get(measure, NONE) for measure in measures},
            "source": source,
        }
        for (system, setting, source), own in by_system.items()
    ]  # fmt: skip
    if not rows:
        return ""
    warning = "Our corpus is truncated: our values do not compare with these.\n\n" if study.truncated else ""
    return warning + markdown(rows)


def statistics_line(study: Study) -> str:
    """Return the data set's published statistics beside ours, as far as we count the same; empty if there are none."""
    published = published_statistics(study)
    if published is None:
        return ""
    ours = {name: f" (ours {count})" for name, count in published.ours.items()}
    told = ", ".join(f"{name} {value:g}{ours.get(name, '')}" for name, value in published.values.items())
    return f"The data set as published in {published.source}: {told}."


def published_json(study: Study) -> list[dict[str, Any]]:
    """Return the same for programs; `ours_minus_published` is None where there is nothing to compare."""
    return [
        {
            "system": reference.system,
            "setting": reference.setting,
            "measure": reference.measure,
            "value": reference.value,
            "source": reference.source,
            "ours_minus_published": ours,
        }
        for reference, ours in published_values(study)
    ]
