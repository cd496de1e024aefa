"""Make items of a parallel benchmark unequal in one language, in ways in which translations go wrong."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ragaliq.benchmark.judgements import gold_of
from ragaliq.benchmark.load import Benchmark
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import terms
from ragaliq.types import Chunk

PER_BATCH = 20
# A word of the topic is in at most this share of the corpus.
_TOPIC = 0.2
_WORD, _HAN = re.compile(r"\w+"), re.compile(r"[\u4e00-\u9fff]")
_Span = tuple[int, int]


@dataclass(frozen=True)
class Batch:
    """A benchmark with planted items.

    Attributes:
        benchmark: all of it; the planted language differs from the original.
        planted: ids of the queries made unequal.
        touched: these, and queries that share a changed document with one of them.
    """

    benchmark: Benchmark
    planted: frozenset[str]
    touched: frozenset[str]


@dataclass(frozen=True)
class Text:
    """An item as it is planted: its question and reference, the first document of its gold, and the other questions."""

    lang: str
    question: str
    reference: str
    chunk: Chunk
    others: Sequence[str]
    topic_words: Sequence[str]
    is_topic: Callable[[str], bool]
    draw: random.Random

    def replaced(self, text: str, spans: Sequence[_Span]) -> str:
        """Return a text with words of other items' topics in the place of spans, the same for the same word."""
        words: dict[str, str] = {}
        for start, end in sorted(spans, reverse=True):
            word = words.setdefault(text[start:end], self.draw.choice(self.topic_words))
            text = text[:start] + word + text[end:]
        return text


def plant(benchmark: Benchmark, lang: str, kind: str, seed: int) -> Batch:
    """Return the benchmark with `PER_BATCH` items of a language made unequal; they share no document of gold."""
    draw = random.Random(f"{kind} {lang} {seed}")
    collection = benchmark.collections[lang]
    chunks = {chunk.doc_id: chunk for chunk in benchmark.chunks[lang]}
    gold = {query_id: groups for query_id, groups in gold_of(collection).items() if groups}
    items = {item.query.query_id: item for item in collection.items if item.answerable and item.query.query_id in gold}
    order = sorted(items)
    draw.shuffle(order)
    first = {query_id: gold[query_id][0][0] for query_id in order}
    picked = list({first[query_id]: query_id for query_id in reversed(order)}.values())[-PER_BATCH:]
    is_topic = topic_test(lang, list(chunks.values()))
    words = {key: [items[key].query.text[a:b] for a, b in shared(items[key].query.text, chunks[first[key]].titled, lang,
                                                                 is_topic)] for key in sorted(items)}  # fmt: skip
    changed, documents = dict(items), dict(chunks)
    for key in picked:
        item, chunk = items[key], chunks[first[key]]
        others = [items[other].query.text for other in sorted(items) if other != key]
        pool = [word for other, own in words.items() if other != key for word in own]
        text = Text(lang, item.query.text, item.reference, chunk, others, pool, is_topic, draw)
        question, passage = KINDS[kind](text)
        changed[key] = replace(item, query=replace(item.query, text=question))
        documents[chunk.doc_id] = replace(chunk, text=passage)
    moved = {doc_id for doc_id, chunk in documents.items() if chunk != chunks[doc_id]}
    touched = {key for key, groups in gold.items() if moved & {doc_id for group in groups for doc_id in group}}
    all_items = tuple(changed.get(item.query.query_id, item) for item in collection.items)
    planted = replace(
        benchmark,
        collections={**benchmark.collections, lang: replace(collection, items=all_items)},
        chunks={**benchmark.chunks, lang: tuple(documents[chunk.doc_id] for chunk in benchmark.chunks[lang])},
        hash=f"{benchmark.hash} {kind} {lang} {seed}",
    )
    return Batch(planted, frozenset(picked), frozenset(picked) | touched)


def topic_test(lang: str, chunks: Sequence[Chunk]) -> Callable[[str], bool]:
    """Return a test of whether a word is of a topic: it has a term that few documents have."""
    counts = Counter(term for chunk in chunks for term in set(terms(chunk.titled, lang)))
    most = _TOPIC * len(chunks)
    return lambda word: any(counts[term] <= most for term in terms(word, lang))


def shared(text: str, other: str, lang: str, is_topic: Callable[[str], bool]) -> list[_Span]:
    """Return where a text has words of the topic that another has, too; of Han the longest common runs from two on."""
    if not _HAN.search(text):
        known = set(terms(other, lang))
        spans = [match.span() for match in _WORD.finditer(text)]
        spans = [(a, b) for a, b in spans if (own := terms(text[a:b], lang)) and known.issuperset(own)]
    else:
        spans, start = [], 0
        while start < len(text):
            end = start
            while end < len(text) and _WORD.fullmatch(text[start : end + 1]) and text[start : end + 1] in other:
                end += 1
            if end - start > 1:
                spans.append((start, end))
            start = max(end, start + 1)
    return [(a, b) for a, b in spans if is_topic(text[a:b])]


def _key_terms(text: Text) -> tuple[str, str]:
    """The question's words of the topic are mistranslated: all that its document has, at least two words."""
    spans = shared(text.question, text.chunk.titled, text.lang, text.is_topic)
    rest = [span for span in _words(text.question) if text.is_topic(text.question[slice(*span)])
            and all(span[1] <= a or span[0] >= b for a, b in spans)]  # fmt: skip
    rest.sort(key=lambda span: (span[0] - span[1], span))
    return text.replaced(text.question, spans + rest[: max(0, 2 - len(spans))]), text.chunk.text


def _one_term(text: Text) -> tuple[str, str]:
    """One word of the topic is mistranslated, the longest that the document has; mild."""
    spans = shared(text.question, text.chunk.titled, text.lang, text.is_topic) or _words(text.question)
    longest = min(spans, key=lambda span: (span[0] - span[1], span))
    return text.replaced(text.question, [longest]), text.chunk.text


def _mixed(text: Text) -> tuple[str, str]:
    """The second half of the question is that of another."""
    other = text.draw.choice(text.others)
    if _HAN.search(text.question):
        return text.question[: len(text.question) // 2] + other[len(other) // 2 :], text.chunk.text
    one, two = text.question.split(), other.split()
    return " ".join(one[: len(one) // 2] + two[len(two) // 2 :]), text.chunk.text


def _swapped(text: Text) -> tuple[str, str]:
    """The question is another one, as when lines of a file have moved."""
    return text.draw.choice(text.others), text.chunk.text


def _answer_removed(text: Text) -> tuple[str, str]:
    """The document has lost the sentences that share two terms of the topic with question and reference."""
    parts = sentences(text.chunk.text)
    kept = [part for part in parts if _overlap(text, part) < 2]
    if len(kept) == len(parts):
        kept.remove(max(parts, key=lambda part: _overlap(text, part)))
    return text.question, " ".join(kept) or parts[0][:20]


def _one_sentence(text: Text) -> tuple[str, str]:
    """The document has lost the one sentence that has most in common with question and reference; mild."""
    parts = sentences(text.chunk.text)
    if len(parts) > 1:
        parts.remove(max(parts, key=lambda part: _overlap(text, part)))
    return text.question, " ".join(parts)


def _other_terms(text: Text) -> tuple[str, str]:
    """The document has other words where it had the topic words of question and reference: a terminology of its own."""
    spans = shared(text.chunk.text, f"{text.question} {text.reference}", text.lang, text.is_topic)
    return text.question, text.replaced(text.chunk.text, spans)


def _overlap(text: Text, part: str) -> int:
    wanted = {term for term in terms(f"{text.question} {text.reference}", text.lang) if text.is_topic(term)}
    return len(wanted & set(terms(part, text.lang)))


def _words(text: str) -> list[_Span]:
    if _HAN.search(text):
        return [match.span() for match in re.finditer(r"[\u4e00-\u9fff]{2}|[^\W\u4e00-\u9fff]+", text)]
    return [match.span() for match in _WORD.finditer(text)]


UNEQUAL = {
    "key terms of the query": _key_terms,
    "half of another query": _mixed,
    "another query": _swapped,
    "answer removed": _answer_removed,
    "other terms in the document": _other_terms,
}
MILD = {"one term of the query": _one_term, "one sentence removed": _one_sentence}
KINDS = {**UNEQUAL, **MILD}
