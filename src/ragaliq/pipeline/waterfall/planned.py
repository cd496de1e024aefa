"""What a run's readings from other contexts would show to the reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from ragaliq.benchmark.load import Benchmark
from ragaliq.config import RunConfig
from ragaliq.pipeline.planned_contexts import PlannedContexts
from ragaliq.pipeline.waterfall.conditions import seen
from ragaliq.pipeline.waterfall.gold_texts import GoldTexts
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.waterfall import WATERFALL
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import Condition, Hit, Item


def other_contexts(
    config: RunConfig,
    benchmark: Benchmark,
    items: Mapping[str, Sequence[Item]],
    finished: tuple[RunFolder | None, set[Key]],
    planned: PlannedContexts,
) -> Iterator[tuple[Item, tuple[Hit, ...]]]:
    """Yield what the reader is still to be shown of each answerable item beside the context of the run.

    `finished` are the run's folder, and the items that have an answer and a grade there.
    """
    folder, graded = finished
    rows = RecordStore(folder.waterfall_file, WATERFALL) if folder else {}

    @cache
    def texts(lang: str) -> GoldTexts:
        return GoldTexts(benchmark, config.kb_lang, bool(config.knowledge_base), lang)

    if config.retriever.kind == "none":
        # The system decides by itself what its reader sees.
        return
    for item in (item for of_lang in items.values() for item in of_lang if item.answerable):
        standing = rows[item.key].conditions if item.key in rows and item.key in graded else {}
        contexts = {Condition.NONE: (), Condition.GOLD: texts(item.query.lang).context(item)}
        if config.reranker.kind != "none":
            contexts[Condition.RETRIEVED] = planned.unranked(item.query)
        shown = {seen(planned.of(item.query))}
        for name, context in contexts.items():
            has_grade = name in standing and standing[name].grade is not None
            if context is not None and not has_grade and seen(context) not in shown:
                shown.add(seen(context))
                yield item, context
