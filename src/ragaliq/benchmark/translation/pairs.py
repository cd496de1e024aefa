"""The texts of a parallel benchmark on disk, each with its translation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragaliq.benchmark.checks.validate import is_parallel
from ragaliq.benchmark.layout import declared_languages
from ragaliq.benchmark.located import CORPUS, NUGGETS, QUERIES, Record, RowKind, read_located
from ragaliq.errors import InputError, listed
from ragaliq.storage.files import read_json
from ragaliq.types import RecordKind, Severity, TranslationFinding, TranslationPair

_Key = tuple[RecordKind, str]


@dataclass(frozen=True, slots=True)
class BenchmarkPairs:
    """The texts of a benchmark against its source language.

    Attributes:
        source_lang: the source language.
        languages: the target languages in the benchmark's order.
        pairs: all texts that both languages have.
        missing: an error for each text that one of the two lacks.
    """

    source_lang: str
    languages: tuple[str, ...]
    pairs: tuple[TranslationPair, ...]
    missing: tuple[TranslationFinding, ...]


def benchmark_pairs(folder: Path, source_lang: str = "") -> BenchmarkPairs:
    """Return the chunks, query texts, references and nuggets of a benchmark in our layout, with their translations.

    Args:
        folder: the benchmark's folder.
        source_lang: the language that was translated; "" for the first of `bench.json`.

    Raises:
        InputError: if `bench.json` or a file of a language is missing or malformed, there is one language only, the
            languages are no translations of each other, or the source language is none of them.
    """
    path = folder / "bench.json"
    head = read_json(path)
    languages = declared_languages(head, path)
    if len(languages) == 1:
        raise InputError(f"{path}: the benchmark is in '{languages[0]}' alone; there are no translations to check")
    if not is_parallel(head):
        raise InputError(
            f'{path}: "parallel": false; only languages that are translations of each other can be checked'
        )
    source_lang = source_lang or languages[0]
    if source_lang not in languages:
        raise InputError(f"--source-lang: '{source_lang}' is no language of {folder}; {listed(languages)}")
    targets = tuple(lang for lang in languages if lang != source_lang)
    source = _texts(folder, source_lang)
    pairs: list[TranslationPair] = []
    missing: list[TranslationFinding] = []
    for lang in targets:
        target = _texts(folder, lang)
        pairs += _paired(source, target)
        missing += _missing(source, target, source_lang, lang)
    return BenchmarkPairs(source_lang, targets, tuple(pairs), tuple(missing))


def _texts(folder: Path, lang: str) -> dict[_Key, TranslationPair]:
    """Return the texts of a language by what they are, each as a pair with itself."""
    return {(text.record, text.id): text for text in _read(folder, lang)}


def _read(folder: Path, lang: str) -> Iterator[TranslationPair]:
    for doc_id, chunk in _records(folder, lang, CORPUS):
        yield TranslationPair(RecordKind.CHUNK, doc_id, lang, lang, chunk.text, chunk.text)
    for query_id, item in _records(folder, lang, QUERIES):
        text, reference = item.query.text, item.reference
        yield TranslationPair(RecordKind.QUERY, query_id, lang, lang, text, text)
        if reference:
            gold = tuple(sorted({doc_id for group in item.gold for doc_id in group}))
            yield TranslationPair(RecordKind.REFERENCE, query_id, lang, lang, reference, reference, query_id, gold)
    if (folder / NUGGETS.folder).is_dir():
        for nugget_id, nugget in _records(folder, lang, NUGGETS):
            yield TranslationPair(RecordKind.NUGGET, nugget_id, lang, lang, nugget.text, nugget.text, nugget.query_id)


def _records(folder: Path, lang: str, kind: RowKind[Record]) -> Iterator[tuple[str, Record]]:
    for key, (record, _) in read_located(folder, lang, kind).items():
        yield key, record


def _paired(source: dict[_Key, TranslationPair], target: dict[_Key, TranslationPair]) -> Iterator[TranslationPair]:
    for key, text in source.items():
        if key in target:
            there = target[key]
            yield TranslationPair(
                text.record, text.id, text.lang, there.lang, text.source, there.target, text.query_id, text.gold
            )


def _missing(
    source: dict[_Key, TranslationPair], target: dict[_Key, TranslationPair], source_lang: str, lang: str
) -> Iterator[TranslationFinding]:
    for one, other, absent in ((source, target, lang), (target, source, source_lang)):
        for record, key in one.keys() - other.keys():
            message = f"the {record} is missing in '{absent}'"
            yield TranslationFinding(lang, record, key, "missing", Severity.ERROR, message)
