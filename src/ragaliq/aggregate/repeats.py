"""What several gradings of the same answers show: how steady the judge is, or how far the members of a panel differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ragaliq.metrics.agreement.votes import Rule, disagreement
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.metrics.statistics.variance import Observation, variance_components
from ragaliq.runs.folder import RunFolder
from ragaliq.types import JudgeVote

_ALL = "all"


def summarise_repeats(folder: RunFolder) -> dict[str, Any] | None:
    """Return the disagreement of a run's draws over all languages and in each; None if its answers have one draw.

    The object has the keys `rule`, `all` and `by`; both hold the fields of
    `ragaliq.metrics.agreement.votes.Disagreement`. Where there are members none of whose draws has a grade,
    `silent` says for each how many draws these are.

    `variance` splits the variance of one draw's weight in each language, over answerable queries (`metrics.variance`).
    The draws' part holds what members of a panel differ by, too; queries and answers are one part, as a run has one
    answer to each query.
    """
    judge = folder.config()["judge"]
    if judge is None or judge["kind"] != "panel" or not folder.verdicts_file.exists():
        return None
    verdicts = folder.verdicts()
    answers = folder.answers()
    drawn: dict[str, list[Sequence[JudgeVote]]] = {}
    weights: dict[str, list[Observation]] = {}
    for key in verdicts:
        draws = verdicts[key].draws
        drawn.setdefault(key[0], []).append(draws)
        if key in answers and answers.header(key).answerable:
            values = [WEIGHTS[draw.grade] for draw in draws if draw.grade is not None]
            weights.setdefault(key[0], []).extend(Observation(key[1], "", value) for value in values)
    rule = Rule(judge.get("options", {}).get("rule", Rule.MEDIAN))
    found = disagreement([draws for lang in sorted(drawn) for draws in drawn[lang]], rule)
    if not found.n_draws:
        return None
    by = {lang: asdict(disagreement(drawn[lang], rule)) for lang in sorted(drawn)}
    silent = _silent(draw for own in drawn.values() for draws in own for draw in draws)
    variance = {lang: asdict(variance_components(weights[lang])) for lang in sorted(weights)}
    summary = {"rule": str(rule), _ALL: asdict(found), "by": by, "variance": variance}
    return {**summary, **({"silent": silent} if silent else {})}


def repeat_lines(summary: Mapping[str, Any] | None) -> list[str]:
    """Return the lines that tell people what `summarise_repeats` found; none for None."""
    if summary is None:
        return []
    panel = bool(summary[_ALL]["pairs"])
    lines = [_line(_ALL, summary[_ALL], panel)]
    lines += [
        f"warning[silent-judge]: {judge}: none of its {count} draws has a grade, so the grades are those of the others"
        for judge, count in summary.get("silent", {}).items()
    ]
    if len(summary["by"]) > 1:
        lines += [_line(lang, found, panel) for lang, found in summary["by"].items()]
    lines += [_variance_line(lang, found) for lang, found in summary["variance"].items() if found["n"]]
    for own in summary[_ALL]["within"]:
        lines.append(
            f"draws: repeats of {own['judge']}: flip rate {_share(own['flip_rate'])}, pass against fail "
            f"{_share(own['crossing_rate'])} (n={own['n']})"
        )
    for pair in summary[_ALL]["pairs"]:
        lines.append(
            f"draws: {pair['first']} and {pair['second']}: QWK {_share(pair['qwk'])}, same grade "
            f"{_share(pair['exact'])} (n={pair['n']})"
        )
    return lines


def _silent(draws: Iterable[JudgeVote]) -> dict[str, int]:
    asked, graded = Counter[str](), Counter[str]()
    for draw in draws:
        asked[draw.judge] += 1
        graded[draw.judge] += draw.grade is not None
    return {judge: asked[judge] for judge in sorted(asked) if not graded[judge]}


def _line(lang: str, found: Mapping[str, Any], panel: bool) -> str:
    ungraded = f", {found['n_ungraded']} of {found['n_draws']} draws without a grade" if found["n_ungraded"] else ""
    differ = "members differ" if panel else "flip rate"
    return (
        f"draws: {lang}: {differ} {_share(found['flip_rate'])}, pass against fail {_share(found['crossing_rate'])}, "
        f"mean range {_share(found['mean_range'])} of the weight, unlike the grade {_share(found['unlike'])} "
        f"(n={found['n']}){ungraded}"
    )


def _variance_line(lang: str, found: Mapping[str, Any]) -> str:
    draws, rest = found["judge_draws"], found["unsplit"]
    parts = f"queries and answers {_thousandths(rest)}, draws {_thousandths(draws)}"
    return f"draws: {lang}: variance of one draw's weight: {parts} ({found['n']} draws, {found['n_queries']} queries)"


def _thousandths(value: float | None) -> str:
    return "—" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "—" if value is None else f"{value:.2f}"
