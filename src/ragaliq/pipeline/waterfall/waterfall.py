"""The last stage of a graded run: what became of each query's gold, and the answers from other contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragaliq.benchmark.load import Benchmark
from ragaliq.config import RunConfig
from ragaliq.execution.progress import say
from ragaliq.execution.run_stage import run_stage
from ragaliq.judge import Judge
from ragaliq.pipeline.answer import Answering
from ragaliq.pipeline.waterfall.conditions import ConditionReading, OtherContexts
from ragaliq.pipeline.waterfall.located import LocatedGold
from ragaliq.runs.benchmark import items_by_key
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer, VerdictHeader
from ragaliq.runs.waterfall import WATERFALL
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import Condition, ConditionAnswer, Hit, Verdict, WaterfallRow

# Parts that call nothing: the same reader and judge under other contexts cost nothing but a little time.
_EMBEDDED: Mapping[str, Sequence[str]] = {
    "retriever": ("hybrid", "bm25", "char", "dense"),
    "reranker": ("none", "lexical"),
    "reader": ("extractive",),
    "judge": ("offline",),
}


def reads_other_contexts(config: RunConfig, choice: bool | None) -> bool:
    """Return whether a run is to be read under other contexts; without a choice, where its parts call nothing."""
    if choice is not None:
        return choice
    return all(getattr(config, part).kind in kinds for part, kinds in _EMBEDDED.items())


async def follow_gold(answering: Answering, benchmark: Benchmark, judge: Judge, choice: bool | None) -> None:
    """Write the rows of a run's waterfall that are missing, or are about another answer than the run's.

    With the answers from other contexts, unless the reader's own context is nobody's choice: then a note says so.
    """
    chatbot = answering.chatbot
    conditions = reads_other_contexts(chatbot.named_config(), choice)
    reading = ConditionReading(answering, judge, benchmark)
    if conditions and (chatbot.overrides("answer") or chatbot.config.retriever.kind == "none"):
        say("note: --waterfall: this system decides by itself what its reader sees; it is not read from other contexts")
        conditions = False
    work = _Waterfall(answering.folder, benchmark, answering.answers, reading if conditions else None)
    keys = work.pending()
    if keys:
        with work.store:
            await run_stage("waterfall", keys, work.do, work.store, chatbot.session, size=chatbot.batch_size)
    # Also where a kill came between the last row and this.
    work.store.rewrite()


def locate_gold(folder: RunFolder, benchmark: Benchmark) -> None:
    """Write the rows of a run's waterfall that are missing, or are about another answer, without calling anything."""
    work = _Waterfall(folder, benchmark, folder.answers(), None)
    keys = work.pending()
    if keys:
        with work.store:
            for key in keys:
                work.store.append(work.row(key))
    work.store.rewrite()


def forget_conditions(folder: RunFolder) -> None:
    """Drop the answers from other contexts, whose grades are another judge's than those of the run are now."""
    store = RecordStore(folder.waterfall_file, WATERFALL)
    graded = [key for key in store if store.header(key).conditions]
    if graded:
        with store:
            for key in graded:
                store.append(replace(store.header(key), conditions={}))
        store.rewrite()
        say(
            f"note: {folder}: another judge graded the answers from other contexts; they are dropped, and "
            "`ragaliq run` with --waterfall and the judge of now makes them again"
        )


class _Waterfall:
    """The rows of a run's waterfall, and how they are made."""

    def __init__(
        self,
        folder: RunFolder,
        benchmark: Benchmark,
        answers: RecordStore[RunAnswer],
        reading: ConditionReading | None,
    ) -> None:
        self.store = RecordStore(folder.waterfall_file, WATERFALL)
        self._folder = folder
        self._benchmark = benchmark
        self._answers = answers
        self._reading = reading
        self._items = items_by_key(benchmark)
        self._verdicts: RecordStore[Verdict] = folder.verdicts()
        self._located: dict[str, LocatedGold] = {}

    def pending(self) -> list[Key]:
        """Return the items whose row is to be made, or made again."""
        return [key for key in self._answers if key in self._items and not self._is_done(key)]

    async def do(self, batch: Sequence[Key]) -> list[WaterfallRow]:
        """Return the rows of some items."""
        rows = [self.row(key) for key in batch]
        if self._reading is None:
            return rows
        read = [place for place, key in enumerate(batch) if self._is_read(key)]
        answers = await self._reading.answers([self._other(batch[place], rows[place]) for place in read])
        for place, conditions in zip(read, answers, strict=True):
            rows[place] = replace(rows[place], conditions=conditions)
        return rows

    def row(self, key: Key) -> WaterfallRow:
        """Return what became of an item's gold; answers from other contexts stay as far as they have a grade."""
        lang, _ = key
        if lang not in self._located:
            self._located[lang] = LocatedGold(self._folder, self._benchmark, lang)
        row = self._located[lang].row(self._items[key], self._answers[key], self._answers.header(key))
        return replace(row, conditions=self._standing(key))

    def _is_done(self, key: Key) -> bool:
        row = self._current(key)
        if row is None or not (self._reading and self._is_read(key)):
            return row is not None
        return Condition.NONE in row.conditions and not self.store.failed(row)

    def _is_read(self, key: Key) -> bool:
        """Return whether an item is to be read under other contexts; where its reader failed, that comes first."""
        return self._items[key].answerable and not self._answers.header(key).failed

    def _current(self, key: Key) -> WaterfallRow | None:
        if key not in self.store:
            return None
        row: WaterfallRow = self.store.header(key)
        return row if self._answers.header(key).has_hash(row.answer_hash) else None

    def _standing(self, key: Key) -> Mapping[Condition, ConditionAnswer]:
        row = self._current(key)
        conditions = {} if row is None else row.conditions
        return {name: answer for name, answer in conditions.items() if answer.grade is not None}

    def _other(self, key: Key, row: WaterfallRow) -> OtherContexts:
        item, located = self._items[key], self._located[key[0]]
        contexts: dict[Condition, tuple[Hit, ...] | None] = {
            Condition.NONE: (),
            Condition.RETRIEVED: located.retrieved_context(item.query.query_id),
            Condition.GOLD: located.texts.context(item) if row.groups else None,
        }
        known = {name: context for name, context in contexts.items() if context is not None}
        return OtherContexts(replace(self._answers[key], item=item), self._verdict(key), known, row.conditions)

    def _verdict(self, key: Key) -> VerdictHeader | None:
        header: VerdictHeader | None = self._verdicts.header(key) if key in self._verdicts else None
        return header if header and self._answers.header(key).has_hash(header.answer_hash) else None
