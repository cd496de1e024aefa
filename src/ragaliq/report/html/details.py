"""What the page shows of one item beside its answer: context, gold, sentences, nuggets, the judge's words, calls."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ragaliq.aggregate.items.run_items import RunItem
from ragaliq.config import ALL, SAME
from ragaliq.judge.checks.support import SentenceCheck, Support
from ragaliq.metrics.retrieval.collapse import split_unit
from ragaliq.report.html.benchmark_texts import BenchmarkTexts
from ragaliq.report.html.texts import MOST_CHARACTERS, Chunks, shortened
from ragaliq.storage.files import Row
from ragaliq.text.sentences import sentences
from ragaliq.types import GoldGroup, Hit

# Alternatives of a group of gold whose texts are shown.
_MOST_ALTERNATIVES = 3
_SUPPORT = {None: "none", Support.NOT: "unsupported"}
_TRACE_TEXTS = ("component", "model", "raw_reply", "reasoning", "finish_reason", "error")
_TRACE_COUNTS = ("turn", "attempts")


@dataclass(frozen=True, slots=True)
class PageRun:
    """A run as its items are shown.

    Attributes:
        name: in whose files the whole of a shortened text is.
        kb_lang: language of its documents, `same`, or `all`: then the ids of its chunks name their language, too.
        recut: its knowledge base is another one than the benchmark's, so that no id says which chunk holds gold.
    """

    name: str
    kb_lang: str
    recut: bool

    @property
    def mixed(self) -> bool:
        """Whether its documents are in several languages at once."""
        return self.kb_lang == ALL


def detail_to_json(item: RunItem, run: PageRun, benchmark: BenchmarkTexts, chunks: Chunks) -> dict[str, Any]:
    """Return an item's details; what is empty or not known is left out."""
    answer, verdict, row = item.answered.answer, item.verdict, item.waterfall
    groups = row.groups if row else ()
    gold = [group.doc_ids for group in groups] or benchmark.gold.get(item.answered.item.key, ())
    place = f"answers.jsonl of {run.name}"
    marked = _marked(item, frozenset(chain.from_iterable(gold)), run, benchmark)
    detail = {
        "context": [_hit(hit, marked, run, chunks) for hit in answer.context],
        "gold": list(map(_group, groups)),
        "gold_chunks": _gold_chunks(gold, answer.query.lang, benchmark, chunks),
        "sentences": _sentences(item, place),
        "nuggets": _nuggets(item, benchmark),
        "error": shortened(answer.error, place),
        "reasoning": shortened(answer.reasoning, place),
        "seconds": item.seconds,
        "traces": [_trace(trace, f"traces.jsonl of {run.name}") for trace in item.traces],
        "conditions": {} if row is None else _conditions(item, f"waterfall.jsonl of {run.name}"),
    }
    if verdict is not None:
        place = f"verdicts.jsonl of {run.name}"
        detail |= {
            "feedback": shortened(verdict.feedback, place),
            "judge": verdict.judge,
            "judge_reasoning": shortened(verdict.reasoning, place),
            "refuses": verdict.refuses,
            "expected_grade": verdict.expected_grade,
            "confidence": verdict.confidence,
            "draws": [draw.grade for draw in verdict.draws],
        }
    return _filled(detail)


def _marked(item: RunItem, gold: Collection[str], run: PageRun, benchmark: BenchmarkTexts) -> Collection[str] | None:
    """Return the ids of the chunks shown that hold gold: by their names, or by a sentence of the gold in their text.

    None where nobody knows: without gold, and where texts in another language replace the documents of the benchmark.
    """
    answer = item.answered.answer
    if not gold or (run.recut and run.kb_lang != SAME):
        return None
    if run.mixed:
        return {hit.chunk.doc_id for hit in answer.context if _document(hit.chunk.doc_id) in gold}
    if not run.recut:
        return gold
    texts = (benchmark.documents.get((answer.query.lang, doc_id), "") for doc_id in gold)
    wanted = [_single_spaced(sentence) for text in texts for sentence in sentences(text)]
    if not wanted:
        return None
    return {
        hit.chunk.doc_id
        for hit in answer.context
        for text in (_single_spaced(hit.chunk.text),)
        if any(sentence in text for sentence in wanted)
    }


def _document(unit: str) -> str:
    parts = split_unit(unit)
    return unit if parts is None else parts[0]


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


def _hit(hit: Hit, marked: Collection[str] | None, run: PageRun, chunks: Chunks) -> dict[str, Any]:
    chunk = hit.chunk
    unit = split_unit(chunk.doc_id) if run.mixed else None
    text = shortened(chunk.text, f"answers.jsonl of {run.name}")
    shown = {
        "doc_id": chunk.doc_id,
        "rank": hit.rank,
        "score": hit.score,
        "chunk": chunks.number(chunk.doc_id, unit[1] if unit else chunk.lang, text),
    }
    return shown if marked is None else {**shown, "gold": chunk.doc_id in marked}


def _group(group: GoldGroup) -> dict[str, Any]:
    ranks = {"retrieved": group.retrieved, "ranked": group.ranked}
    return {"doc_ids": list(group.doc_ids), **ranks, "lost": group.lost}


def _gold_chunks(gold: Sequence[Sequence[str]], lang: str, benchmark: BenchmarkTexts, chunks: Chunks) -> list[int]:
    numbers: dict[int, None] = {}
    for group in gold:
        for doc_id in group[:_MOST_ALTERNATIVES]:
            text = benchmark.documents.get((lang, doc_id))
            if text is not None:
                numbers[chunks.number(doc_id, lang, shortened(text, "the benchmark"))] = None
    return list(numbers)


def _sentences(item: RunItem, place: str) -> list[dict[str, Any]]:
    """Return the checker's sentences; without a check those that the reader listed with their citations."""
    cited = {sentence.text: list(sentence.citations) for sentence in item.answered.answer.sentences}
    if item.check is None or not item.check.sentences:
        return _within_limit([{"text": text, "citations": ids} for text, ids in cited.items()], place)
    sentences = [
        {"text": one.text, "support": _support(one), "doc_id": one.doc_id, "citations": cited.get(one.text)}
        for one in item.check.sentences
    ]
    return _within_limit(sentences, place)


def _within_limit(sentences: Sequence[Mapping[str, Any]], place: str) -> list[dict[str, Any]]:
    """Return the sentences of which the page shows the text, and a note where there are more."""
    shown: list[dict[str, Any]] = []
    characters = 0
    for number, sentence in enumerate(sentences):
        characters += len(sentence["text"])
        if number and characters > MOST_CHARACTERS:
            left_out = f"[{len(sentences) - number:,} more sentences; the whole is in {place}]"
            return [*shown, {"text": left_out}]
        shown.append(_filled({**sentence, "text": shortened(sentence["text"], place)}))
    return shown


def _support(sentence: SentenceCheck) -> str:
    return _SUPPORT.get(sentence.support) or str(sentence.support)


def _nuggets(item: RunItem, benchmark: BenchmarkTexts) -> list[dict[str, Any]]:
    lang = item.answered.item.query.lang
    return [
        {
            "id": match.nugget_id,
            "text": benchmark.nuggets.get((lang, match.nugget_id)),
            "importance": match.importance,
            "label": match.label,
        }
        for match in (item.nuggets.assignments if item.nuggets else ())
    ]


def _trace(row: Row, place: str) -> dict[str, Any]:
    usage = row.get("usage") or {}
    return _filled(
        {
            **{key: shortened(row.get(key, ""), place) for key in _TRACE_TEXTS},
            **{key: row.get(key) for key in _TRACE_COUNTS},
            **{key: usage.get(key) for key in ("prompt_tokens", "completion_tokens")},
        }
    )


def _conditions(item: RunItem, place: str) -> dict[str, Any]:
    conditions: Iterable[Any] = item.waterfall.conditions.items() if item.waterfall else ()
    return {
        name: {
            "text": shortened(answer.text, place),
            "outcome": answer.outcome,
            "grade": answer.grade,
            "verdict": answer.verdict,
        }
        for name, answer in conditions
    }


def _filled(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None and value not in ("", [], {})}
