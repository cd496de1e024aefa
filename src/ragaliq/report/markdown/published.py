"""Published figures on the same data set beside ours, each with its source."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ragaliq.experiment.figures.published import not_compared, published_statistics, published_values
from ragaliq.experiment.figures.reference_figures import ReferenceStatistics, remarks_for
from ragaliq.experiment.figures.study import Study
from ragaliq.report.format import NONE, bullets, markdown


def published_section(study: Study) -> list[str]:
    """Return the section on published figures, or the line that says why none are compared; empty if none exist."""
    reason, table = not_compared(study), _published_table(study)
    if reason:
        return ["## Published figures", f"None compared: {reason}."]
    remarks = [bullets([remark]) for remark in remarks_for(study.data)]
    lines = map(_statistics_line, published_statistics(study))
    return ["## Published figures", *lines, table, *remarks] if table else []


def published_json(study: Study) -> dict[str, Any]:
    """Return the same for programs; `ours_minus_published` is None where there is nothing to compare."""
    values = [
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
    return {
        "published": values,
        "published_statistics": [asdict(table) for table in published_statistics(study)],
        "published_not_compared": not_compared(study) or None,
    }


def _published_table(study: Study) -> str:
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
    return markdown(rows) if rows else ""


def _statistics_line(published: ReferenceStatistics) -> str:
    """Return published statistics of the data set beside ours, as far as we count the same."""
    ours = {name: f" (ours {round(count, 2):g})" for name, count in published.ours.items()}
    told = ", ".join(f"{name} {value:g}{ours.get(name, '')}" for name, value in published.values.items())
    return f"The data set as published in {published.source}: {told}."
