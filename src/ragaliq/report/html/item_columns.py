"""The items of the page as columns: what its browser filters, sorts and searches by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.aggregate.items.run_items import RunItem
from ragaliq.report.html.benchmark_texts import BenchmarkTexts
from ragaliq.report.html.texts import Texts, shortened
from ragaliq.types import AnswerOutcome, LossStage, VerdictOutcome

# In the place of what is not known.
_NONE = -1
_STAGES = list(LossStage)
_OUTCOMES = list(AnswerOutcome)
_VERDICTS = list(VerdictOutcome)
_COLUMNS = ("system", "lang", "query", "grade", "outcome", "verdict", "cause", "question", "reference", "answer",
            "supported", "abstained")  # fmt: skip


class ItemColumns:
    """Collects items, in the order of the page."""

    def __init__(self, langs: Sequence[str], benchmark: BenchmarkTexts) -> None:
        self._langs = {lang: number for number, lang in enumerate(langs)}
        self._benchmark = benchmark
        self._texts = Texts()
        self._places: dict[str, int] = {}
        self._queries: list[dict[str, Any]] = []
        self._columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._columns["system"])

    def append(self, system: int, run: str, item: RunItem) -> None:
        """Add the item of a system, by the system's number and the name of its run."""
        own, answer, verdict = item.answered.item, item.answered.answer, item.verdict
        supported, cause = item.supported_share, item.cause
        place = f"answers.jsonl of {run}"
        texts = {"question": own.query.text, "reference": own.reference, "answer": answer.text}
        values = {
            "system": system,
            "lang": self._langs[own.query.lang],
            "query": self._query(item),
            "grade": _NONE if item.grade is None else item.grade,
            "outcome": _OUTCOMES.index(answer.outcome),
            "verdict": _NONE if verdict is None else _VERDICTS.index(verdict.outcome),
            "cause": _NONE if cause is None else _STAGES.index(cause),
            **{name: self._texts.number(shortened(text, place)) for name, text in texts.items()},
            "supported": _NONE if supported is None else round(supported, 4),
            "abstained": int(answer.outcome is AnswerOutcome.ABSTAINED),
        }
        for name, value in values.items():
            self._columns[name].append(value)

    def to_json(self) -> dict[str, Any]:
        """Return the page's `items`."""
        return {
            "texts": self._texts.all(),
            "queries": self._queries,
            "outcomes": _OUTCOMES,
            "verdicts": _VERDICTS,
            "columns": self._columns,
        }

    def _query(self, item: RunItem) -> int:
        """Return the number of an item's query: one in all languages, described by its first item."""
        own, row = item.answered.item, item.waterfall
        query_id = own.query.query_id
        if query_id not in self._places:
            self._places[query_id] = len(self._queries)
            kind, difficulty = self._benchmark.kinds.get(own.key, (row.type, row.difficulty) if row else ("", ""))
            described = {"type": kind, "difficulty": difficulty, "answerable": own.answerable}
            self._queries.append({"query_id": query_id, **described})
        return self._places[query_id]
