"""The stages of a build in order: what each reads, what decides it, and whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from ragaliq.build.context import BuildContext
from ragaliq.build.model.ask import REPAIR
from ragaliq.build.model.prompts import builder_prompt
from ragaliq.build.questions.drawing import questions_hash
from ragaliq.build.settings import BuildSettings, settings_to_json
from ragaliq.build.stage_row import FAILED, content_hash
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
    relevance,
    translate,
)
from ragaliq.build.stages import filter as filter_stage
from ragaliq.build.traces import traced_build
from ragaliq.errors import ConfigError, InputError, nearest


class StageStatus(StrEnum):
    """Whether a stage is up to date."""

    MISSING = "missing"
    STALE = "stale"  # One of its inputs has changed, or is stale or missing itself.
    FAILED = "failed"  # Up to date, except for items that failed.
    DONE = "done"

    @property
    def usable(self) -> bool:
        """Whether the next stage can read the rows."""
        return self in (StageStatus.FAILED, StageStatus.DONE)


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage.

    Attributes:
        name: its name on the command line; its rows are in `DIR/build/NAME.jsonl`.
        run: does the work and writes the rows.
        needs: the stages whose rows it reads.
        keys: the keys of `build.yaml` that decide it.
        prompts: the prompts that it fills in; a stage with any asks a model.
        outside: hash of the files that it reads from outside of `DIR/build/`.
        questions: how many questions an item takes at most.
        wanted: whether the settings ask for it; otherwise it is not part of the build.
    """

    name: str
    run: Callable[[BuildContext], None]
    needs: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    outside: Callable[[BuildContext], Any] = lambda _: None
    questions: Callable[[BuildSettings], int] = lambda _: 1
    wanted: Callable[[BuildSettings], bool] = lambda _: True


def _critique_questions(settings: BuildSettings) -> int:
    return settings.critique.votes * (1 + settings.critique.rewrites) + settings.critique.rewrites


def _closed_book_questions(settings: BuildSettings) -> int:
    # Each answer is asked for and assigned to the nuggets.
    return 1 + 2 * settings.closed_book.samples * max(1, len(settings.closed_book.models))


STAGES = (
    Stage(ingest.NAME, ingest.ingest, (), ("sources", "languages"), outside=ingest.content_hashes),
    Stage(chunk.NAME, chunk.chunk, ("ingest",), ("chunk",)),
    Stage(generate.NAME, generate.generate, ("chunk",), ("generate", "questions", "seed"), generate.PROMPTS,
          questions_hash),
    Stage(critique.NAME, critique.critique, ("generate", "chunk"), ("critique",), critique.PROMPTS,
          questions=_critique_questions),
    Stage(dedupe.NAME, dedupe.dedupe, ("critique",), ("near_duplicate",)),
    Stage(nuggets.NAME, nuggets.nuggets, ("dedupe",), (), nuggets.PROMPTS),
    Stage(closed_book.NAME, closed_book.closed_book, ("nuggets",), ("closed_book",), closed_book.PROMPTS,
          questions=_closed_book_questions),
    Stage(pool.NAME, pool.pool, ("chunk", "nuggets", "closed-book"), ("pool", "seed")),
    Stage(judge.NAME, judge.judge, ("chunk", "nuggets", "pool"), ("judge", "seed"), judge.PROMPTS,
          questions=lambda settings: settings.judge.rounds),
    Stage(relevance.NAME, relevance.relevance, ("chunk", "pool"), ("judge", "seed"), relevance.PROMPTS,
          relevance.labels_hash, lambda settings: settings.judge.rounds, lambda settings: settings.judge.relevance),
    Stage(filter_stage.NAME, filter_stage.filter_queries, ("nuggets", "closed-book", "pool", "judge"),
          ("filter", "closed_book", "unanswerable", "seed")),
    Stage(translate.NAME, translate.translate, ("ingest", "chunk", "filter"), ("translate",), translate.PROMPTS,
          translate.outside_hashes, lambda settings: 1 + settings.translate.back_translation,
          lambda settings: bool(settings.translate.languages)),
    Stage(check_translation.NAME, check_translation.check_translation, ("ingest", "chunk", "filter", "translate"),
          ("translate",), outside=translate.outside_hashes, wanted=lambda settings: bool(settings.translate.languages)),
    Stage(export.NAME, export.export, ("ingest", "chunk", "filter", "relevance", "check-translation"),
          ("name", "version", "sources")),
)  # fmt: skip


def run_build(context: BuildContext, names: Sequence[str]) -> int:
    """Bring stages up to date in their order, and return how many items of all finished stages failed.

    A stage that is up to date and has no failed items is skipped.

    Raises:
        InputError: if a stage that one of them needs is not finished, or a file that one of them reads is missing.
        ConfigError: if the settings do not ask for the stage.
        Stopped: if the work ended early; what is finished is on disk, and the same call goes on.
    """
    workspace, stages = context.workspace, wanted_stages(context.settings)
    chosen = [stage for stage in stages if stage.name in names]
    if not chosen:
        raise ConfigError(f"build {names[0]}: {workspace.settings_file} does not ask for it; see docs/build.md")
    if workspace.draft:
        # What cannot be built leaves nothing.
        if any(stage.prompts for stage in chosen):
            context.model()
        workspace.write_draft()
    traces = traced_build(workspace.traces_file, context.session)
    with workspace.locked(), context.backend.recording(), traces:
        for stage in chosen:
            # Report a file that a late stage lacks before an early stage is paid for.
            context.outside(stage.name, stage.outside)
        workspace.forget_others([stage.name for stage in stages])
        for stage in chosen:
            known = statuses(context)
            open_needs = [need for need in stage.needs if not known[need].usable]
            if open_needs:
                raise InputError(f"build {stage.name}: stage '{open_needs[0]}' is {known[open_needs[0]]}; run it first")
            if known[stage.name] is StageStatus.DONE:
                continue
            workspace.check_earlier()
            if stage.needs and context.settings.translate.languages:
                # As soon as the documents are read, and again: the settings may have changed since.
                translate.check_settings(context)
            inputs = _inputs(context, stage)
            workspace.begin(stage.name, context.backend.name)
            stage.run(context)
            workspace.finish(stage.name, inputs, stage.needs, _settings_of(context, stage))
            print(f"{stage.name}: {_counts(context, stage.name)}", file=sys.stderr)
        return sum(_n_failed(context, stage.name) for stage in stages)


def wanted_stages(settings: BuildSettings) -> list[Stage]:
    """Return the stages of a build with these settings, in their order; each needs only others of these."""
    stages = [stage for stage in STAGES if stage.wanted(settings)]
    names = {stage.name for stage in stages}
    return [replace(stage, needs=tuple(need for need in stage.needs if need in names)) for stage in stages]


def chosen_stages(name: str) -> list[str]:
    """Return the stages that a name means: one, or all.

    Raises:
        ConfigError: if there is none of this name.
    """
    names = [stage.name for stage in STAGES]
    if name != "all" and name not in names:
        known = [*names, "all", "audit", "certify", "init", "status", "update"]
        raise ConfigError(f"build: unknown stage '{name}'; {nearest(name, known)}")
    return names if name == "all" else [name]


def statuses(context: BuildContext) -> dict[str, StageStatus]:
    """Return the status of each stage, in their order.

    Raises:
        InputError: if the folder has no `build.yaml`.
    """
    finished = context.workspace.finished()
    known: dict[str, StageStatus] = {}
    for stage in wanted_stages(context.settings):
        last, rows = finished.get(stage.name), context.workspace.rows_hash(stage.name)
        if last is None or not rows:
            known[stage.name] = StageStatus.MISSING
        elif (
            not all(known[need].usable for need in stage.needs)
            or last.rows != rows
            or last.inputs != _inputs(context, stage)
        ):
            known[stage.name] = StageStatus.STALE
        else:
            known[stage.name] = StageStatus.FAILED if _n_failed(context, stage.name) else StageStatus.DONE
    return known


def adopt_rows(context: BuildContext, *left_out: str) -> None:
    """Record the rows of all stages as those of the present inputs, but for some stages: these have to run again."""
    for stage in wanted_stages(context.settings):
        if stage.name not in left_out:
            context.workspace.finish(stage.name, _inputs(context, stage), stage.needs, _settings_of(context, stage))


def _settings_of(context: BuildContext, stage: Stage) -> dict[str, Any]:
    settings = settings_to_json(context.settings)
    return {key: settings[key] for key in stage.keys}


def _inputs(context: BuildContext, stage: Stage) -> str:
    asked = (*stage.prompts, REPAIR) if stage.prompts else ()
    return content_hash(
        {
            "needs": [context.workspace.rows_hash(need) for need in stage.needs],
            "settings": _settings_of(context, stage),
            "prompts": [builder_prompt(name).hash for name in asked],
            "model": context.model().name if asked else "",
            "outside": context.outside(stage.name, stage.outside),
            "earlier": context.workspace.update.hash,
        }
    )


def _n_failed(context: BuildContext, name: str) -> int:
    return context.workspace.counts(name)[FAILED]


def _counts(context: BuildContext, name: str) -> str:
    removed = context.workspace.counts(name)
    kept = removed.pop("", 0)
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(removed.items()))
    return f"{kept} kept, {removed.total()} removed{f' ({reasons})' if reasons else ''}"
