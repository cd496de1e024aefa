"""What a build would do, stage by stage: nothing is called, nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from ragaliq.build.context import BuildContext
from ragaliq.build.model.planned import PlannedCalls
from ragaliq.build.pipeline import Stage, StageStatus, statuses, wanted_stages
from ragaliq.build.settings import BuildSettings
from ragaliq.build.stages import chunk, closed_book, critique, generate, judge, nuggets, pool, translate
from ragaliq.build.stages import filter as filter_stage

# Stages whose items are the rows that the previous stage kept.
_ONE_ITEM_A_ROW = (critique.NAME, nuggets.NAME, closed_book.NAME)


@dataclass(frozen=True, slots=True)
class StageForecast:
    """What one stage would do.

    Attributes:
        stage: its name.
        status: whether it is up to date.
        asks: whether it asks a model and is not done.
        items: how many items it would ask about; None if that is not known, or it asks none.
        at_most: whether `items` is a bound; the exact number is known when the previous stage is done.
        calls: the most calls that this takes, each repeated once for its form; items that fail come on top.
        cached: how many of these the cache answers, as far as that is known.
        prompt_tokens: about how many tokens the calls have at most; None where the items are not known.
        reply_tokens: how many tokens the replies may have; None likewise.
        cost: at most, in US dollars; None where the tokens or a price are not known.
        unpriced: models without a price.
    """

    stage: str
    status: StageStatus
    asks: bool = False
    items: int | None = None
    at_most: bool = False
    calls: int | None = None
    cached: int = 0
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    cost: float | None = None
    unpriced: frozenset[str] = frozenset()


def forecast(context: BuildContext) -> list[StageForecast]:
    """Return what `run_build` with all stages would do.

    A stage whose needs are up to date runs up to its first questions without a cached reply. The others get a bound
    where one follows from the settings and the stages before.
    """
    known = statuses(context)
    most: dict[str, int | None] = {}
    forecasts = []
    for stage in wanted_stages(context.settings):
        ready = all(known[need].usable for need in stage.needs)
        if known[stage.name] is StageStatus.DONE:
            one, most[stage.name] = (
                StageForecast(stage.name, StageStatus.DONE),
                context.workspace.counts(stage.name)[""],
            )
        elif ready and stage.prompts:
            one, most[stage.name] = _walked(context, stage, known[stage.name])
        else:
            one = _bounded(context.settings, stage, known[stage.name], most)
            most[stage.name] = one.items if stage.prompts else _most_kept(stage, most)
        forecasts.append(one)
    return forecasts


def _most_kept(stage: Stage, most: dict[str, int | None]) -> int | None:
    """Return how many rows a stage that asks no model keeps at most: those of the first stage that it reads.

    A document has any number of chunks, so nothing is known of these before they are there.
    """
    return None if stage.name == chunk.NAME else most.get((*stage.needs, "")[0])


def _walked(context: BuildContext, stage: Stage, status: StageStatus) -> tuple[StageForecast, int]:
    """Return the forecast of a stage whose items are known, and how many rows it would leave."""
    planned = PlannedCalls()
    stage.run(replace(context, planned=planned, _models={}))
    questions = stage.questions(context.settings)
    # An item without an open question is answered by the cache alone.
    open_questions = [max(0, questions - item.cached) if item.prompt_tokens else 0 for item in planned.items]
    pairs = list(zip(planned.items, open_questions, strict=True))
    one = StageForecast(
        stage.name,
        status,
        asks=True,
        items=len(planned.items),
        calls=2 * sum(open_questions),
        cached=sum(item.cached for item in planned.items),
        prompt_tokens=sum(item.prompt_tokens * n for item, n in pairs),
        reply_tokens=sum(item.reply_tokens * n for item, n in pairs),
        cost=None if planned.unpriced else sum(item.cost * n for item, n in pairs),
        unpriced=frozenset(planned.unpriced),
    )
    return one, planned.n_rows


def _bounded(settings: BuildSettings, stage: Stage, status: StageStatus, most: dict[str, int | None]) -> StageForecast:
    items: int | None = None
    # How many of people's questions come to these is known when they are read.
    if stage.name == generate.NAME and settings.languages and not settings.questions:
        items = settings.generate.queries * len(settings.languages)
    elif stage.name in _ONE_ITEM_A_ROW:
        items = most[stage.needs[0]]
    elif stage.name == judge.NAME and most[nuggets.NAME] is not None:
        # With the documents that the query was written from, two at most.
        documents = len(pool.QUERY_KINDS) * settings.pool.judged + settings.pool.negatives + 2
        items = (most[nuggets.NAME] or 0) * ceil(documents / settings.judge.documents)
    elif stage.name == translate.NAME:
        chunks, queries = most[chunk.NAME], most[filter_stage.NAME]
        if chunks is not None and queries is not None:
            items = (chunks + queries) * len(settings.translate.languages)
    calls = None if items is None else 2 * items * stage.questions(settings)
    return StageForecast(stage.name, status, bool(stage.prompts), items, at_most=items is not None, calls=calls)
