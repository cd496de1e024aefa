"""What became of the gold of one language's queries, from the files of a run."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.benchmark.load import Benchmark
from ragaliq.config import SAME
from ragaliq.pipeline.waterfall.gold import Passed, cause_of, follow
from ragaliq.pipeline.waterfall.gold_texts import GoldTexts
from ragaliq.read.context import fill_context
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.manifests import has_reranker
from ragaliq.runs.rankings import Rankings
from ragaliq.runs.rows import AnswerHeader, RunAnswer
from ragaliq.types import Answer, AnswerOutcome, GoldGroup, Hit, Item, LossStage, WaterfallRow


class LocatedGold:
    """The gold of a language, and the rankings of a run in which it is looked for."""

    def __init__(self, folder: RunFolder, benchmark: Benchmark, lang: str) -> None:
        config = folder.config()
        self._system = config["system"]
        kb_lang, replaced = str(self._system.get("kb_lang", SAME)), bool(config["data"].get("knowledge_base"))
        self.texts = GoldTexts(benchmark, kb_lang, replaced, lang)
        self._ranked = Rankings(folder.retrieval_file(lang), self.texts.units)
        self._retrieved = Rankings(folder.retrieved_file(lang), self.texts.units)

    def row(self, item: Item, answered: RunAnswer, header: AnswerHeader) -> WaterfallRow:
        """Return what became of an item's gold, without the answers from other contexts."""
        query, answer = item.query, answered.answer
        groups = self._groups(item, answer) if item.answerable else ()
        cause: LossStage | None = None
        if item.answerable and not answer.failed:
            cause = cause_of(groups, answered.language.answer, answer.outcome is AnswerOutcome.ABSTAINED)
        known = (query.query_id, query.lang, item.answerable, item.type, item.difficulty)
        return WaterfallRow(*known, cause, groups, answer_hash=header.hash)

    def retrieved_context(self, query_id: str) -> tuple[Hit, ...] | None:
        """Return what the reader would have been shown of the retriever's order; None where that is not known."""
        before = self._before_reranker(query_id) if self._reranks else None
        return None if before is None else self._cut(before)

    def _groups(self, item: Item, answer: Answer) -> tuple[GoldGroup, ...]:
        """Return what became of the groups of an item's gold; none where nobody knows what its reader saw."""
        query_id = item.query.query_id
        searches = self._system.get("retriever", {}).get("kind") != "none" and self._ranked.path.is_file()
        # A ranking that failed is not in the file, either.
        is_ranked = query_id in self._ranked or not answer.failed
        if not (answer.context_known and searches and is_ranked and self.texts.known):
            return ()
        ranked = _hits(self._ranked, query_id)
        passed = Passed(ranked, ranked, (), answer.context, False)
        if self._reranks:
            before = self._before_reranker(query_id)
            passed = Passed(before, ranked, self._cut(before or ()), answer.context, True)
        return tuple(follow(group, self.texts.members(group), passed, self.texts.held) for group in item.gold)

    @property
    def _reranks(self) -> bool:
        return has_reranker(self._system)

    def _before_reranker(self, query_id: str) -> list[Hit] | None:
        """Return the retriever's order; None where only the order after the reranker is known."""
        is_kept = query_id in self._retrieved or query_id not in self._ranked
        return _hits(self._retrieved, query_id) if is_kept and self._retrieved.path.is_file() else None

    def _cut(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        return fill_context(hits, self._system["context_k"], self._system["context_chars"])


def _hits(rankings: Rankings, query_id: str) -> list[Hit]:
    # A query for which nothing was found has no line in a TREC file.
    return rankings.hits(query_id) if query_id in rankings else []
