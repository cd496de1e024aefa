"""All figures of a built benchmark, each computed once: the content of `report.json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ragaliq.benchmark.collections import load_collections
from ragaliq.benchmark.load import load_benchmark
from ragaliq.benchmark.statistics import collection_sizes
from ragaliq.build.context import BuildContext
from ragaliq.build.models_used import built_with, model_warnings
from ragaliq.build.quality.built import FILTERED, UNFILTERED, Built
from ragaliq.build.quality.calls import StageCalls, stage_calls
from ragaliq.build.quality.closed_book_figures import ClosedBookGap, SolvedShare, closed_book_gaps, solved_shares
from ragaliq.build.quality.contents import Contents, cells, contents
from ragaliq.build.quality.discriminability import SystemFigure, discriminability
from ragaliq.build.quality.family_left_out import LeftOutFamily, families_left_out
from ragaliq.build.quality.funnel import (
    CriterionVotes,
    EvidenceMatch,
    StageYield,
    criterion_votes,
    evidence_match,
    rewritten,
    stage_yields,
)
from ragaliq.build.quality.holes import Holes, hole_figures
from ragaliq.build.quality.pool_recall import Negatives, PoolRecall, negatives, pool_recalls
from ragaliq.build.quality.sources import SourceFigure, source_figures
from ragaliq.build.quality.translations import TranslationFigure, translation_figures
from ragaliq.build.settings import settings_to_json
from ragaliq.build.stage_row import content_hash


@dataclass(frozen=True, slots=True)
class BuildFigures:
    """The figures of a build, by section of its report.

    Attributes:
        inputs: hash of all rows and settings that they follow from.
        data_hash: hash of the benchmark, as in its certificate.
        name: the benchmark's; `version` and `niche` too.
        built_with: role → models.
        settings: `build.yaml` with all defaults.
        warnings: what a user must know first, a line each.
        sources: where the documents come from.
        sizes: set → language → FreshStack's columns (arXiv 2504.13128, table 3).
        contents: what the benchmark contains.
        stages: what became of the items.
        calls: what the stages asked of models.
        evidence: whether the passages contain what models cited.
        votes: on the critique's criteria.
        rewritten: kept candidates whose text is not the first.
        cells: label → judged cells.
        recalls: how deep the pool must be.
        negatives: what the pool misses.
        families: what each family of retrievers adds.
        holes: what unjudged documents could change.
        solved: what models know without documents.
        gaps: the closed-book gap.
        systems: whether the benchmark separates systems.
        translations: what translation made of it.
    """

    inputs: str
    data_hash: str
    name: str
    version: str
    niche: str
    built_with: dict[str, list[str]]
    settings: dict[str, Any]
    warnings: list[str]
    sources: list[SourceFigure]
    sizes: dict[str, list[dict[str, str]]]
    contents: list[Contents]
    stages: list[StageYield]
    calls: list[StageCalls]
    evidence: EvidenceMatch
    votes: list[CriterionVotes]
    rewritten: int
    cells: dict[str, int]
    recalls: list[PoolRecall]
    negatives: list[Negatives]
    families: list[LeftOutFamily]
    holes: list[Holes]
    solved: list[SolvedShare]
    gaps: list[ClosedBookGap]
    systems: list[SystemFigure]
    translations: list[TranslationFigure]

    def to_json(self) -> dict[str, Any]:
        """Return the figures as a JSON object."""
        return asdict(self)


def figures_inputs(context: BuildContext) -> str:
    """Return the hash of all that the figures follow from; equal hashes mean equal figures."""
    return content_hash(
        [
            {name: [one.inputs, one.rows] for name, one in context.workspace.finished().items()},
            settings_to_json(context.settings),
            built_with(context),
        ]
    )


def build_figures(context: BuildContext, stages: Sequence[str]) -> BuildFigures:
    """Compute the figures of a finished build; `stages` are those that ran, in their order."""
    built, settings = Built(context), context.settings
    yields = stage_yields(context, stages)
    return BuildFigures(
        inputs=figures_inputs(context),
        data_hash=load_benchmark(context.workspace.path).hash,
        name=settings.name,
        version=settings.version,
        niche=settings.niche,
        built_with=built_with(context),
        settings=settings_to_json(settings),
        warnings=[*model_warnings(context), *_yield_warnings(yields)],
        sources=source_figures(context),
        sizes=_sizes(context),
        contents=contents(built),
        stages=yields,
        calls=stage_calls(context, stages),
        evidence=evidence_match(context),
        votes=criterion_votes(context),
        rewritten=rewritten(context),
        cells=cells(built),
        recalls=pool_recalls(built),
        negatives=negatives(built),
        families=families_left_out(built),
        holes=hole_figures(built),
        solved=solved_shares(built),
        gaps=closed_book_gaps(built),
        systems=discriminability(built),
        translations=translation_figures(context),
    )


def _sizes(context: BuildContext) -> dict[str, list[dict[str, str]]]:
    folders = {FILTERED: context.workspace.path, UNFILTERED: context.workspace.build / UNFILTERED}
    return {
        name: [collection_sizes(collection) for collection in load_collections(str(folder)).values()]
        for name, folder in folders.items()
    }


def _yield_warnings(yields: Sequence[StageYield]) -> list[str]:
    failed = [
        f"warning[failed-items]: {one.stage}: {one.failed} of {one.items} {one.unit} failed, so that nothing is known "
        "of them; the same command tries them again"
        for one in yields
        if one.failed
    ]
    lost = [
        f"warning[lost-items]: {one.stage}: {one.lost} that the stage before kept have no row; run the stage again"
        for one in yields
        if one.lost
    ]
    return failed + lost
