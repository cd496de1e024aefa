"""A run's failure waterfall, by language and over all of them: the stages that lose points, and other contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from ragaliq.aggregate.beside.groundedness import interval_of_shares
from ragaliq.aggregate.run_rows import RunRows
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.metrics.answers.waterfall import (
    GoldLoss,
    QueryLoss,
    StageApart,
    reader_side,
    stage_losses,
    stage_shares,
    stages_apart,
)
from ragaliq.metrics.statistics.intervals import mean_interval, weight_interval
from ragaliq.runs.manifests import has_reranker
from ragaliq.runs.waterfall import WATERFALL
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import AnswerOutcome, Condition, ConditionAnswer, LossStage, WaterfallRow

ALL_LANGUAGES = "all"
_RUN = "run"
# From nothing to the gold.
_ORDER = (Condition.NONE, Condition.RETRIEVED, _RUN, Condition.GOLD)
# A grade from here on is a right answer.
_RIGHT = 4
Grades = Mapping[Key, int]


def waterfall_by_language(rows: RunRows) -> dict[str, dict[str, Any]]:
    """Return the waterfall of each language and, as `all`, over all of them; resampled there are query ids.

    Over the graded answers to answerable queries (`n` of `n_expected`); one whose row is missing, or about an earlier
    answer, has the cause `unknown`. A system without a reranker has no such stage. Empty for a run without such rows,
    as one of an earlier version.
    """
    located = read_waterfall(rows)
    if not located:
        return {}
    grades = {
        key: grade
        for key, answer in rows.answers.items()
        if answer.header.answerable and (grade := rows.grade(key)) is not None
    }
    expected = {lang: counts["answerable"] for lang, counts in rows.config["expected"].items()}
    seed = rows.config["system"]["seed"]
    losses = {
        lang: [_loss(key, grade, located.get(key)) for key, grade in grades.items() if key[0] == lang]
        for lang in expected
    }
    apart = stages_apart(losses, seed)
    figures = {}
    for lang in (*expected, ALL_LANGUAGES):
        langs = set(expected) if lang == ALL_LANGUAGES else {lang}
        part = {key: grade for key, grade in grades.items() if key[0] in langs}
        own = [one for name in expected if name in langs for one in losses[name]]
        n_expected = sum(expected[name] for name in langs)
        by_condition = _grades_by_condition({key: row for key, row in located.items() if key[0] in langs}, part)
        figures[lang] = {
            **_stages(own, part, n_expected, rows.config["system"]),
            "apart": [_apart(one) for one in apart.get(lang, ())],
            "conditions": {name: _condition(of, n_expected, seed) for name, of in by_condition.items()} or None,
            "steps": [_step(names, by_condition, seed) for names in pairwise(by_condition)] or None,
        }
    return figures


def read_waterfall(rows: RunRows) -> dict[Key, WaterfallRow]:
    """Return the rows of a run's waterfall that are about the answers it holds."""
    store = RecordStore(rows.folder.waterfall_file, WATERFALL)
    return {
        key: row
        for key in store
        if key in rows.answers and rows.answers[key].header.has_hash((row := store.header(key)).answer_hash)
    }


def _loss(key: Key, grade: int, row: WaterfallRow | None) -> QueryLoss:
    loss = 1.0 - WEIGHTS[grade]
    if row is None or row.cause is None:
        return QueryLoss(key[1], loss, LossStage.UNKNOWN)
    lost = frozenset(group.lost for group in row.groups if group.lost is not None)
    return QueryLoss(key[1], loss, row.cause, lost, _gold_loss(row.conditions.get(Condition.GOLD)))


def _gold_loss(answer: ConditionAnswer | None) -> GoldLoss | None:
    if answer is None or answer.grade is None:
        return None
    cause = reader_side(answer.in_language, answer.outcome is AnswerOutcome.ABSTAINED)
    return GoldLoss(1.0 - WEIGHTS[answer.grade], cause)


def _stages(losses: Sequence[QueryLoss], grades: Grades, n_expected: int, system: Mapping[str, Any]) -> dict[str, Any]:
    seed, reranks = system["seed"], has_reranker(system)
    # In the order of the losses, language by language.
    queries = [one.query_id for one in losses]
    weights = weight_interval(
        [grades[key] for key in sorted(grades)], seed=seed, clusters=[key[1] for key in sorted(grades)]
    )
    # A share that is there stays, whatever the configuration says: the values sum to the loss.
    shares = [one for one in stage_shares(losses) if reranks or one.n or one.stage is not LossStage.RERANKER]
    greatest = max(shares, key=lambda share: share.value, default=None)
    return {
        "n": len(losses),
        "n_expected": n_expected,
        "coverage": len(losses) / n_expected if n_expected else None,
        "loss": {
            "value": fmean(one.loss for one in losses) if losses else None,
            "ci": None if weights is None else [1.0 - weights.high, 1.0 - weights.low],
        },
        "stages": {
            str(share.stage): {
                "value": share.value,
                "ci": interval_of_shares(stage_losses(losses, share.stage), seed, queries),
                "n": share.n,
                "first": share.first,
                "last": share.last,
            }
            for share in shares
        },
        "main": str(greatest.stage) if greatest and greatest.value > 0 else None,
    }


def _apart(one: StageApart) -> dict[str, Any]:
    interval = None if one.interval is None else list(one.interval)
    return {"stage": str(one.stage), "n": one.n, "difference": one.difference, "ci": interval, "p": one.p}


def _grades_by_condition(located: Mapping[Key, WaterfallRow], run: Grades) -> dict[str, Grades]:
    """Return the grades under each condition that there is; nothing where there is none beside the run."""
    names = {name for row in located.values() for name in row.conditions}
    grades: dict[str, Grades] = {}
    for name in _ORDER if names else ():
        if name == _RUN:
            grades[name] = run
        elif name in names:
            answers = {key: row.conditions[Condition(name)] for key, row in located.items() if name in row.conditions}
            grades[str(name)] = {key: one.grade for key, one in answers.items() if one.grade is not None}
    return grades


def _condition(grades: Grades, n_expected: int, seed: int) -> dict[str, Any]:
    keys = sorted(grades)
    interval = weight_interval([grades[key] for key in keys], seed=seed, clusters=[key[1] for key in keys])
    return {
        "n": len(keys),
        "n_expected": n_expected,
        "mean_weight": fmean(WEIGHTS[grades[key]] for key in keys) if keys else None,
        "ci": None if interval is None else list(interval),
        "n_right": sum(grade >= _RIGHT for grade in grades.values()),
    }


def _step(names: tuple[str, str], grades: Mapping[str, Grades], seed: int) -> dict[str, Any]:
    before, after = (grades[name] for name in names)
    keys = sorted(before.keys() & after.keys())
    differences = [WEIGHTS[after[key]] - WEIGHTS[before[key]] for key in keys]
    interval = mean_interval(differences, seed=seed, clusters=[key[1] for key in keys]) if keys else None
    return {
        "from": names[0],
        "to": names[1],
        "difference": fmean(differences) if differences else None,
        "ci": None if interval is None else list(interval),
        "n": len(keys),
    }
