"""What several runs show, and what they leave open, as records; `report.findings` says it in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragaliq.compare.overview.language_tables import LanguageTable
from ragaliq.compare.overview.systems import Overview, SystemOverview
from ragaliq.compare.standings import ALL, LEVEL
from ragaliq.metrics.answers.gap import LanguageDifference, LanguageGap
from ragaliq.types import LossStage

# A stage of a later version is left out.
_KNOWN = {str(stage): stage for stage in LossStage}


@dataclass(frozen=True, slots=True)
class LanguageLeader:
    """The systems with the highest score in a language, several if equal; `certain`: better than all others there."""

    lang: str
    names: tuple[str, ...]
    certain: bool


@dataclass(frozen=True, slots=True)
class StageLoss:
    """A stage with what it loses: mean weight, or how much more of it than in the other languages on average."""

    stage: LossStage
    value: float
    lang: str = ALL


@dataclass(frozen=True, slots=True)
class SystemApart:
    """A system with a stage that loses more in one of its languages than in the others, for certain."""

    name: str
    stage: StageLoss


@dataclass(frozen=True, slots=True)
class Losses:
    """Where a system's points go.

    Attributes:
        loss: 1 − mean weight, over all languages.
        stages: what each stage loses of it, the greatest first.
        mains: the stage that loses the most in each language.
        apart: the stages that lose more in a language than in its other languages, for certain; greatest first.
        n_languages: number of languages.
    """

    loss: float
    stages: tuple[StageLoss, ...]
    mains: tuple[StageLoss, ...]
    apart: tuple[StageLoss, ...]
    n_languages: int


@dataclass(frozen=True, slots=True)
class RunFindings:
    """What runs on the same data show.

    Attributes:
        best: the system that stands first over the shared languages; None where its headline is withheld.
        n_systems: number of systems.
        n_ranked: number of systems that it is ranked with, itself included; 0 where it is not ranked.
        level: names of the systems that the data cannot tell apart from it.
        detectable: see `Ranking`.
        languages: the shared languages.
        leaders: who leads in each language in which all answer as many queries; empty for a single system.
        spread: the language in which the best system is weakest against that in which it is best; None where languages
            cannot be compared.
        losses: of the best system; None without a waterfall.
        others_apart: the stages of the other systems that lose more in one language, for certain; greatest first.
    """

    best: SystemOverview | None
    n_systems: int
    n_ranked: int
    level: tuple[str, ...]
    detectable: float | None
    languages: tuple[str, ...]
    leaders: tuple[LanguageLeader, ...]
    spread: LanguageDifference | None
    losses: Losses | None
    others_apart: tuple[SystemApart, ...] = ()

    @property
    def certain(self) -> bool:
        """Whether the best system is better than all others."""
        return self.n_ranked == self.n_systems > 1 and not self.level

    @property
    def certain_spread(self) -> bool:
        """Whether the best system is certainly weaker in one language than in another."""
        return self.spread is not None and self.spread.p < LEVEL


def findings_of(overview: Overview, tables: Sequence[LanguageTable], gap: LanguageGap | None) -> RunFindings:
    """Return what a summary shows; `gap` compares the languages of its first system."""
    first, ranking = overview.systems[0], overview.ranking
    best = first if first.pooled is not None and first.pooled.score is not None else None
    return RunFindings(
        best,
        len(overview.systems),
        len(ranking.names) if ranking else 0,
        overview.level,
        ranking.detectable if ranking else None,
        overview.pooled,
        tuple(map(_leader, filter(_led, tables))) if len(overview.systems) > 1 else (),
        _spread(gap) if best and gap else None,
        _losses(first.run.metrics.get("waterfall", {})) if best else None,
        _others_apart(overview.systems[1:]),
    )


def _led(table: LanguageTable) -> bool:
    return len(table.rows) > 1 and table.same_queries and table.rows[0].score is not None


def _leader(table: LanguageTable) -> LanguageLeader:
    row = table.rows[0]
    everybody = row.certain and all(other.ranks is not None or other.withheld for other in table.rows)
    return LanguageLeader(table.lang, tuple(one.run.name for one in table.rows if one.score == row.score), everybody)


def _spread(gap: LanguageGap) -> LanguageDifference | None:
    """Return the language of the least mean against that of the greatest; of equal ones the first counts."""
    return min(gap.differences, key=lambda pair: pair.difference, default=None)


def _losses(waterfall: Mapping[str, Any]) -> Losses | None:
    """Return where the points go, from `metrics.json`'s `waterfall`."""
    total = waterfall.get(ALL)
    if total is None or total["loss"]["value"] is None:
        return None
    stages = [StageLoss(_KNOWN[name], own["value"]) for name, own in total["stages"].items() if name in _KNOWN]
    mains = [
        StageLoss(_KNOWN[main], own["stages"][main]["value"], lang)
        for lang, own in waterfall.items()
        if lang != ALL and (main := own["main"]) in _KNOWN and main in own["stages"]
    ]
    return Losses(
        total["loss"]["value"],
        tuple(sorted(stages, key=lambda one: -one.value)),
        tuple(mains),
        tuple(_apart(waterfall)),
        sum(lang != ALL for lang in waterfall),
    )


def _apart(waterfall: Mapping[str, Any]) -> list[StageLoss]:
    """Return the stages that lose more in one language than in the others, the greatest difference first."""
    apart = [
        StageLoss(_KNOWN[one["stage"]], one["difference"], lang)
        for lang, own in waterfall.items()
        for one in own["apart"]
        if one["stage"] in _KNOWN
    ]
    return sorted(apart, key=lambda one: -one.value)


def _others_apart(systems: Sequence[SystemOverview]) -> tuple[SystemApart, ...]:
    apart = [
        SystemApart(one.run.name, stage) for one in systems for stage in _apart(one.run.metrics.get("waterfall", {}))
    ]
    return tuple(sorted(apart, key=lambda one: -one.stage.value))
