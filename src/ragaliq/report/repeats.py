"""What several gradings of the same answers show: how steady the judge is, or how far the members of a panel differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ragaliq.metrics.draws import Rule, disagreement
from ragaliq.runs import RunFolder
from ragaliq.types import Draw

_ALL = "all"


def summarise_repeats(folder: RunFolder) -> dict[str, Any] | None:
    """Return the disagreement of a run's draws over all languages and in each; None if its answers have one draw.

    The object has the keys `rule`, `all` and `by`; both hold the fields of `ragaliq.metrics.draws.Disagreement`.
    """
    judge = folder.config()["judge"]
    if judge is None or judge["kind"] != "panel" or not folder.verdicts_file.exists():
        return None
    verdicts = folder.verdicts()
    drawn: dict[str, list[Sequence[Draw]]] = {}
    for key in verdicts:
        drawn.setdefault(key[0], []).append(verdicts[key].draws)
    rule = Rule(judge.get("options", {}).get("rule", Rule.MEDIAN))
    found = disagreement([draws for lang in sorted(drawn) for draws in drawn[lang]], rule)
    if not found.n_draws:
        return None
    by = {lang: asdict(disagreement(drawn[lang], rule)) for lang in sorted(drawn)}
    return {"rule": str(rule), _ALL: asdict(found), "by": by}


def repeat_lines(summary: Mapping[str, Any] | None) -> list[str]:
    """Return the lines that tell people what `summarise_repeats` found; none for None."""
    if summary is None:
        return []
    lines = [_line(_ALL, summary[_ALL])]
    if len(summary["by"]) > 1:
        lines += [_line(lang, found) for lang, found in summary["by"].items()]
    for pair in summary[_ALL]["pairs"]:
        lines.append(
            f"draws: {pair['first']} and {pair['second']}: QWK {_share(pair['qwk'])}, same grade "
            f"{_share(pair['exact'])} (n={pair['n']})"
        )
    return lines


def _line(lang: str, found: Mapping[str, Any]) -> str:
    ungraded = f", {found['n_ungraded']} of {found['n_draws']} draws without a grade" if found["n_ungraded"] else ""
    return (
        f"draws: {lang}: flip rate {_share(found['flip_rate'])}, pass against fail {_share(found['crossing_rate'])}, "
        f"mean range {_share(found['mean_range'])} of the weight, unlike the grade {_share(found['unlike'])} "
        f"(n={found['n']}){ungraded}"
    )


def _share(value: float | None) -> str:
    return "—" if value is None else f"{value:.2f}"
