"""What became of the items of each stage, with reasons; what was voted on, and how well the votes agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import FAILED
from ragaliq.build.stages import (
    check_translation,
    chunk,
    closed_book,
    critique,
    dedupe,
    export,
    generate,
    ingest,
    judge,
    nuggets,
    pool,
    translate,
)
from ragaliq.build.stages import filter as filter_stage
from ragaliq.metrics.agreement.coefficients import alpha_of_raters

_UNITS = {ingest.NAME: "files", chunk.NAME: "chunks", generate.NAME: "candidates", critique.NAME: "candidates",
          dedupe.NAME: "candidates", judge.NAME: "batches", translate.NAME: "chunks and queries",
          check_translation.NAME: "chunks and queries"}  # fmt: skip
# Stages that pass on the same queries.
_CHAIN = (generate.NAME, critique.NAME, dedupe.NAME, nuggets.NAME, closed_book.NAME, pool.NAME, filter_stage.NAME,
          check_translation.NAME, export.NAME)  # fmt: skip
# Removed for their evidence; other candidates without evidence have failed or ask nothing.
_NOT_FOUND = ("evidence not found", "evidence missing")


@dataclass(frozen=True, slots=True)
class StageYield:
    """What a stage made of its items.

    Attributes:
        stage: its name.
        unit: what its items are.
        items: how many rows it has: `kept` and all of `removed`.
        kept: how many went on.
        removed: reason → how many.
        failed: those of `removed` without a result, since a model gave no readable reply.
        coverage: share of the items that did not fail; None without items.
        lost: items that the previous stage kept and this one has no row for. Any value but 0 is an error.
        kept_by_lang: language → how many went on.
    """

    stage: str
    unit: str
    items: int
    kept: int
    removed: dict[str, int]
    failed: int
    coverage: float | None
    lost: int
    kept_by_lang: dict[str, int]


@dataclass(frozen=True, slots=True)
class CriterionVotes:
    """The votes on one criterion of the critique.

    Attributes:
        criterion: its name.
        texts: texts voted on, earlier versions of rewritten ones included.
        counts: score, 1 to 5, as text → votes.
        alpha: Krippendorff's α (ordinal) of the votes on one text; None without two votes, or if all are the same.
        agree: share of the texts with several votes on which all are the same; None if there is none.
    """

    criterion: str
    texts: int
    counts: dict[str, int]
    alpha: float | None
    agree: float | None


@dataclass(frozen=True, slots=True)
class EvidenceMatch:
    """Of `n` candidates that a model wrote, `matched` cite evidence that is in their passages, at least 95 % of it."""

    n: int
    matched: int
    share: float | None


def stage_yields(context: BuildContext, stages: Sequence[str]) -> list[StageYield]:
    """Return what became of the items of stages, in their order."""
    yields = []
    kept_before: set[tuple[str, str]] = set()
    for stage in stages:
        rows = context.workspace.rows(stage)
        removed = Counter(row.reason for row in rows if not row.kept)
        by_lang = Counter(row.lang for row in rows if row.kept)
        failed = removed[FAILED]
        lost = 0
        if stage in _CHAIN:
            lost = len(kept_before - {(row.lang, row.item_id) for row in rows})
            kept_before = {(row.lang, row.item_id) for row in rows if row.kept and row.value.get("record") != "chunk"}
        yields.append(
            StageYield(
                stage,
                _UNITS.get(stage, "queries"),
                len(rows),
                len(rows) - removed.total(),
                {reason: n for reason, n in sorted(removed.items()) if n},
                failed,
                (len(rows) - failed) / len(rows) if rows else None,
                lost,
                dict(sorted(by_lang.items())),
            )
        )
    return yields


def criterion_votes(context: BuildContext) -> list[CriterionVotes]:
    """Return the votes of the critique by criterion."""
    rounds = [one for row in context.workspace.rows(critique.NAME) for one in row.value.get("rounds", ())]
    votes = []
    for name in critique.CRITERIA:
        units = [[vote[name] for vote in one["votes"]] for one in rounds]
        counts = Counter(score for unit in units for score in unit)
        several = [len(set(unit)) == 1 for unit in units if len(unit) > 1]
        agree = sum(several) / len(several) if several else None
        by_score = {str(score): counts[score] for score in range(1, 6)}
        votes.append(CriterionVotes(name, len(units), by_score, alpha_of_raters(units), agree))
    return votes


def evidence_match(context: BuildContext) -> EvidenceMatch:
    """Return how many of the candidates that a model wrote have evidence that is in their passages."""
    rows = context.workspace.rows(generate.NAME)
    matched = sum(bool(row.value.get("evidence")) for row in rows)
    n = matched + sum(row.reason in _NOT_FOUND for row in rows)
    return EvidenceMatch(n, matched, matched / n if n else None)


def rewritten(context: BuildContext) -> int:
    """Return how many of the kept candidates were rewritten."""
    return sum(len(row.value.get("rounds", ())) > 1 for row in context.workspace.kept(critique.NAME))
