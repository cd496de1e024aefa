"""What several gradings of the same answers show: how steady the judge is, or how far the members of a panel differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from ragaliq.aggregate.run_rows import RunRows
from ragaliq.errors import InputError, nearest
from ragaliq.metrics.agreement.votes import Rule, disagreement
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.metrics.statistics.variance import variance_components
from ragaliq.types import JudgeVote


def vote_agreement(rows: RunRows) -> dict[str, Any] | None:
    """Return the disagreement of a run's draws over all languages and in each; None if its answers have one draw.

    The object has the keys `rule`, `all` and `by`; both hold the fields of
    `ragaliq.metrics.agreement.votes.Disagreement`. Where there are members none of whose draws has a grade,
    `silent` says for each how many draws these are.

    `variance` splits the variance of one draw's weight in each language, over answerable queries, as
    `metrics.statistics.variance` does.
    The draws' part holds what members of a panel differ by, too; queries and answers are one part, as a run has one
    answer to each query.
    """
    judge = rows.config["judge"]
    if judge is None or judge["kind"] != "panel" or not rows.verdicts:
        return None
    drawn: dict[str, list[Sequence[JudgeVote]]] = {}
    weights: dict[str, dict[str, list[float]]] = {}
    for key, verdict in rows.verdicts.items():
        lang, query_id = key
        drawn.setdefault(lang, []).append(verdict.votes)
        if key in rows.answers and rows.answers[key].header.answerable:
            values = [WEIGHTS[vote.grade] for vote in verdict.votes if vote.grade is not None]
            weights.setdefault(lang, {})[query_id] = values
    name = judge.get("options", {}).get("rule", Rule.MEDIAN)
    if name not in list(Rule):
        raise InputError(f"{rows.folder.config_file}: unknown rule {name!r} of a panel; {nearest(str(name), Rule)}")
    rule = Rule(name)
    whole = disagreement([votes for lang in sorted(drawn) for votes in drawn[lang]], rule)
    if not whole.n_draws:
        return None
    by = {lang: asdict(disagreement(drawn[lang], rule)) for lang in sorted(drawn)}
    silent = _silent(vote for verdict in rows.verdicts.values() for vote in verdict.votes)
    variance = {lang: asdict(variance_components(weights[lang])) for lang in sorted(weights)}
    summary = {"rule": str(rule), "all": asdict(whole), "by": by, "variance": variance}
    return {**summary, **({"silent": silent} if silent else {})}


def _silent(draws: Iterable[JudgeVote]) -> dict[str, int]:
    asked, graded = Counter[str](), Counter[str]()
    for draw in draws:
        asked[draw.judge] += 1
        graded[draw.judge] += draw.grade is not None
    return {judge: asked[judge] for judge in sorted(asked) if not graded[judge]}
