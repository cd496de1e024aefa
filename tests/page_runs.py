"""Finished runs with everything that a page shows, as large as wanted: several systems on a made-up benchmark."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from ragaliq.benchmark.load import load_benchmark
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import Row, read_jsonl, write_json, write_jsonl

# Letters of each language: five scripts, one of them written from the right.
LETTERS = {
    "en": ("bcdfglmnprstv", "aeiou"),
    "de": ("bdfghklmnrstwz", "aeiouäöü"),
    "ru": ("бвгдзклмнпрст", "аеиоуя"),
    "ar": ("بتجحدرسعفقكلمن", "اوي"),
    "zh": ("".join(map(chr, range(0x4E00, 0x5200))), ""),
}
_WORDS = 3000
_TYPES = ("fact", "list", "multi_hop", "numeric", "temporal")
_CAUSES = ("knowledge_base", "retriever", "reranker", "context_cut", "language", "abstention", "reader")
_SUPPORT = ("supported", "supported", "supported", "partly", "not", "contradicted")


def write_page_runs(
    folder: Path, systems: int = 4, langs: Sequence[str] = tuple(LETTERS), queries: int = 1000
) -> list[RunFolder]:
    """Write a benchmark and one run of each system: answers of 300 characters, five chunks, checks, nuggets, traces."""
    bench = folder / "bench"
    _write_benchmark(bench, langs, queries)
    digest = load_benchmark(bench).hash
    return [_write_run(folder / f"system-{number}", bench, digest, langs, queries) for number in range(systems)]


def prose(rng: random.Random, lang: str, length: int) -> str:
    """Return about as many characters of words and sentences, the frequent words often."""
    words, weights = _vocabulary(lang)
    joint, stop = ("", "。") if lang == "zh" else (" ", ". ")
    text, sentence = "", ""
    while len(text) + len(sentence) < length:
        sentence += (joint if sentence else "") + rng.choices(words, cum_weights=weights)[0]
        if len(sentence) > (25 if lang == "zh" else 80):
            text, sentence = text + sentence + stop, ""
    return (text + sentence).strip()


@cache
def _vocabulary(lang: str) -> tuple[list[str], list[float]]:
    rng = random.Random(lang)
    consonants, vowels = LETTERS[lang]
    words = []
    for _ in range(_WORDS):
        if vowels:
            words.append("".join(rng.choice(consonants) + rng.choice(vowels) for _ in range(rng.randint(1, 4))))
        else:
            words.append("".join(rng.choice(consonants) for _ in range(rng.randint(1, 2))))
    return words, list(accumulate(1 / (rank + 3) for rank in range(_WORDS)))


def _write_benchmark(bench: Path, langs: Sequence[str], queries: int) -> None:
    write_json(
        bench / "bench.json", {"name": "made-up", "version": "1", "licence": "CC0-1.0", "languages": list(langs)}
    )
    for lang in langs:
        rng = random.Random(f"{lang} benchmark")
        write_jsonl(bench / "corpus" / f"{lang}.jsonl", _corpus(rng, lang, 2 * queries))
        write_jsonl(
            bench / "queries" / f"{lang}.jsonl",
            [
                {"query_id": _query_id(number), "lang": lang, "text": f"{prose(rng, lang, 80)}?",
                 "reference": prose(rng, lang, 150), "answerable": _answerable(number),
                 "type": _TYPES[number % 5] if _answerable(number) else "unanswerable", "difficulty": "medium",
                 "gold": [[f"d{number:05}"]] if _answerable(number) else []}
                for number in range(queries)
            ],
        )  # fmt: skip
        write_jsonl(
            bench / "nuggets" / f"{lang}.jsonl",
            [
                {"nugget_id": f"{_query_id(number)}-{part}", "query_id": _query_id(number),
                 "text": prose(rng, lang, 60),
                 "importance": "vital", "doc_ids": [f"d{number:05}"]}
                for number in range(queries) if _answerable(number) for part in (1, 2)
            ],
        )  # fmt: skip


def _corpus(rng: random.Random, lang: str, size: int) -> Iterator[Row]:
    for number in range(size):
        text = prose(rng, lang, 500)
        yield {"doc_id": f"d{number:05}", "source_id": f"s{number}.md", "start": 0, "end": len(text), "text": text,
               "lang": lang}  # fmt: skip


def _query_id(number: int) -> str:
    return f"q{number:04}"


def _answerable(number: int) -> bool:
    return number % 10 != 9


def _write_run(path: Path, bench: Path, digest: str, langs: Sequence[str], queries: int) -> RunFolder:
    run, n_answerable = RunFolder(path), sum(map(_answerable, range(queries)))
    parts = {name: {"kind": "fake", "model": ""} for name in ("embedder", "reranker", "retriever")}
    config = {
        "data": {"name": "made-up", "version": "1", "hash": digest, "path": str(bench)},
        "system": {**parts, "reader": {"kind": "fake", "model": path.name}, "seed": 0},
        "judge": {"kind": "fake", "model": "", "name": "fake", "prompt_hash": "0" * 12},
        "expected": {lang: {"answerable": n_answerable, "unanswerable": queries - n_answerable} for lang in langs},
        "expected_nuggets": dict.fromkeys(langs, n_answerable),
    }
    write_json(run.config_file, config)
    rows: dict[str, list[Row]] = {}
    for lang in sorted(langs):
        rng = random.Random(f"{path.name} {lang}")
        texts = {row["doc_id"]: row["text"] for _, row in read_jsonl(bench / "corpus" / f"{lang}.jsonl")}
        for _, query in read_jsonl(bench / "queries" / f"{lang}.jsonl"):
            for file, own in _item_rows(rng, query, texts).items():
                rows.setdefault(file, []).extend(own)
    for file, own in rows.items():
        write_jsonl(path / f"{file}.jsonl", own)
    write_json(run.metrics_file, {})
    return run


def _item_rows(rng: random.Random, query: Row, texts: Mapping[str, str]) -> dict[str, list[Row]]:
    """Return the rows of one item by the file that they belong to."""
    lang, gold = query["lang"], [doc_id for group in query["gold"] for doc_id in group]
    abstains = rng.random() < (0.1 if gold else 0.6)
    shown = list(dict.fromkeys([*(gold if rng.random() < 0.7 else []), *rng.sample(sorted(texts), 5)]))[:5]
    sentences = [prose(rng, lang, 90) for _ in range(1 if abstains else 3)]
    answer, grade = " ".join(sentences), 0 if abstains else rng.choice((1, 2, 3, 4, 4, 5, 5, 5))
    feedback = prose(rng, "en", 120)
    key = {"query_id": query["query_id"], "lang": lang}
    judged = {**key, "judge": "fake", "prompt_hash": "0" * 12, "outcome": "scored"}
    lost = rng.choice(_CAUSES) if gold and grade < 5 else None
    group = {"doc_ids": gold, "retrieved": 1, "ranked": 2, "lost": lost if lost in _CAUSES[:4] else None}
    rows: dict[str, list[Row]] = {
        "answers": [
            {**key, "question": query["text"], "reference": query["reference"], "answerable": bool(gold),
             "answer": answer, "outcome": "abstained" if abstains else "answered", "in_language": True,
             "context": [{"doc_id": doc_id, "score": round(rng.random(), 4), "rank": rank, "text": texts[doc_id]}
                         for rank, doc_id in enumerate(shown, start=1)],
             "usage": {"prompt_tokens": 900, "completion_tokens": 80}}
        ],
        "verdicts": [
            {**judged, "grade": grade, "feedback": feedback, "refuses": "full" if abstains else "none", "attempts": 1}
        ],
        "checks": [{**judged, "abstains": abstains, "in_language": True, "sentences": _support(rng, sentences, shown)}],
        "waterfall": [
            {**key, "type": query["type"], "difficulty": "medium", "answer_hash": "", "answerable": bool(gold),
             "cause": lost or ("reader" if gold else None), "groups": [group] if gold else []}
        ],
        "timings": [{**key, "seconds": round(rng.random(), 3)}],
        "traces": [
            {"component": component, "model": "fake-1", **key, "turn": 1, "parameters": {}, "raw_reply": reply,
             "request_hash": f"{rng.getrandbits(256):064x}", "prompt_hash": "0" * 12, "finish_reason": "stop",
             "usage": {"prompt_tokens": 900, "completion_tokens": 80}, "attempts": 1}
            for component, reply in (("judge", f"Feedback: {feedback} [RESULT] {grade}"), ("reader", answer))
        ],
    }  # fmt: skip
    if gold:
        labels = rng.choices(("support", "partial_support", "not_support"), k=2)
        nuggets = [{"nugget_id": f"{query['query_id']}-{part}", "importance": "vital", "label": label}
                   for part, label in enumerate(labels, start=1)]  # fmt: skip
        rows["nugget_scores"] = [{**judged, "assignments": nuggets}]
    return rows


def _support(rng: random.Random, sentences: Sequence[str], shown: Sequence[str]) -> list[dict[str, Any]]:
    labels = [rng.choice(_SUPPORT) for _ in sentences]
    return [
        {"text": text, "support": label, "doc_id": None if label == "not" else shown[0]}
        for text, label in zip(sentences, labels, strict=True)
    ]
