"""Checking a benchmark: every finding names file and line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ragaliq.corpus.benchmark import declared_languages, load_benchmark, stale_hashes
from ragaliq.corpus.rows import chunk_from_row, item_from_row, nugget_from_row
from ragaliq.errors import InputError
from ragaliq.formats.upstream import is_upstream
from ragaliq.io import Row, parse_row, read_json, read_text
from ragaliq.text.analysis import UNSPACED, fold, words
from ragaliq.text.language import in_language
from ragaliq.types import Chunk, Item, Nugget

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Located(Generic[Record]):
    """A record and the place it was read from."""

    record: Record
    where: str


@dataclass(frozen=True, slots=True)
class Language:
    """The files of one language, as far as they could be read."""

    lang: str
    chunks: dict[str, Located[Chunk]]
    items: dict[str, Located[Item]]
    nuggets: dict[str, Located[Nugget]]


def validate(folder: Path) -> list[str]:
    """Return the findings on a benchmark, `FILE:LINE: what is wrong`; none means that it is clean.

    Checked: every row's form; ids unique, and identical in all languages; chunks equal to the span of their source
    where the sources ship; gold, nuggets and qrels that name existing chunks and queries, alike in all languages; no
    query text twice in a language; no answer inside its question; the language of every text; recorded hashes.

    Of a folder in the upstream layout, which has no ids, spans or gold, it says what loading leaves out.

    Raises:
        InputError: if the folder has no readable `bench.json` and is not in the upstream layout.
    """
    if not (folder / "bench.json").is_file() and is_upstream(folder):
        return list(load_benchmark(folder).notes)
    head = read_json(folder / "bench.json")
    findings: list[str] = []
    languages = [_read(folder, lang, findings) for lang in declared_languages(head, folder / "bench.json")]
    for language in languages:
        findings.extend(_spans(folder, language))
        findings.extend(_references(language))
        findings.extend(_texts(language))
        findings.extend(_qrels(folder, language))
    for language in languages[1:]:
        findings.extend(_parallel(languages[0], language))
    findings.extend(stale_hashes(folder, head.get("hashes")))
    return findings


def _read(folder: Path, lang: str, findings: list[str]) -> Language:
    def path(kind: str) -> Path:
        return folder / kind / f"{lang}.jsonl"

    chunks = _located(path("corpus"), lang, chunk_from_row, findings)
    items = _located(path("queries"), lang, item_from_row, findings)
    nuggets = _located(path("nuggets"), lang, nugget_from_row, findings)
    return Language(
        lang,
        _by_id(chunks, lambda chunk: chunk.doc_id, findings),
        _by_id(items, lambda item: item.query.query_id, findings),
        _by_id(nuggets, lambda nugget: nugget.nugget_id, findings),
    )


def _located(
    path: Path, lang: str, parse: Callable[[Row, str, str], Record], findings: list[str]
) -> list[Located[Record]]:
    """Return the records of a file; a bad row becomes a finding, so that it does not hide the next one."""
    found = []
    try:
        lines = read_text(path).split("\n")
    except InputError as error:
        findings.append(str(error))
        return []
    for number, line in enumerate(lines, start=1):
        where = f"{path}:{number}"
        if line.strip():
            try:
                found.append(Located(parse(parse_row(line, where), lang, where), where))
            except InputError as error:
                findings.append(str(error))
    if not found:
        findings.append(f"{path}:1: no usable row")
    return found


def _by_id(
    records: list[Located[Record]], key: Callable[[Record], str], findings: list[str]
) -> dict[str, Located[Record]]:
    found: dict[str, Located[Record]] = {}
    for located in records:
        name = key(located.record)
        if name in found:
            findings.append(f"{located.where}: id '{name}' stands already at {found[name].where}")
        found.setdefault(name, located)
    return found


def _spans(folder: Path, language: Language) -> Iterator[str]:
    texts: dict[str, str | None] = {}
    for doc_id, (chunk, where) in _pairs(language.chunks):
        if chunk.source_id not in texts:
            texts[chunk.source_id] = _source(folder, chunk.source_id)
        source = texts[chunk.source_id]
        if source is None:
            if (folder / "sources").is_dir():
                yield f"{where}: source '{chunk.source_id}' of chunk '{doc_id}' is not in the benchmark"
        elif source[chunk.start : chunk.end] != chunk.text:
            yield f"{where}: 'text' of '{doc_id}' is not what stands at {chunk.start}..{chunk.end} of {chunk.source_id}"


def _source(folder: Path, source_id: str) -> str | None:
    """Return the text of a source inside the benchmark's folder, None if there is none."""
    path = folder / source_id
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
        return read_text(path) if inside and path.is_file() else None
    except (OSError, ValueError, InputError):
        return None


def _holds(question: str, reference: str) -> bool:
    """Tell whether the words of an answer stand in the question, one after the other; a single short word does not."""
    asked, wanted = words(question), words(reference)
    if len("".join(wanted)) < 4 and not any(UNSPACED.search(word) for word in wanted):
        return False
    spaced = " " + " ".join(asked) + " "
    return f" {' '.join(wanted)} " in spaced or (UNSPACED.search(reference) is not None and "".join(wanted) in spaced)


def _references(language: Language) -> Iterator[str]:
    for query_id, (item, where) in _pairs(language.items):
        named = [doc_id for group in item.gold for doc_id in group] + ([item.near_miss] if item.near_miss else [])
        for doc_id in named:
            if doc_id not in language.chunks:
                yield f"{where}: '{query_id}' names '{doc_id}', which is no chunk of corpus/{language.lang}.jsonl"
    with_nuggets = set()
    for nugget_id, (nugget, where) in _pairs(language.nuggets):
        with_nuggets.add(nugget.query_id)
        if nugget.query_id not in language.items:
            yield f"{where}: nugget '{nugget_id}' belongs to '{nugget.query_id}', which is no query"
        elif not language.items[nugget.query_id].record.answerable:
            yield f"{where}: nugget '{nugget_id}' belongs to an unanswerable query"
        for doc_id in nugget.doc_ids:
            if doc_id not in language.chunks:
                yield f"{where}: nugget '{nugget_id}' names '{doc_id}', which is no chunk of '{language.lang}'"
    for query_id, (item, where) in _pairs(language.items):
        if item.answerable and language.nuggets and query_id not in with_nuggets:
            yield f"{where}: answerable query '{query_id}' has no nugget"


def _texts(language: Language) -> Iterator[str]:
    first: dict[str, str] = {}
    for query_id, (item, where) in _pairs(language.items):
        folded = " ".join(fold(item.query.text).split())
        if folded in first:
            yield f"{where}: the text of '{query_id}' is also that of '{first[folded]}'"
        first.setdefault(folded, query_id)
        if item.answerable and _holds(item.query.text, item.reference):
            yield f"{where}: the question of '{query_id}' contains its own answer"
    texts = [(where, "text", chunk.text) for _, (chunk, where) in _pairs(language.chunks)]
    texts += [(where, "text", item.query.text) for _, (item, where) in _pairs(language.items)]
    texts += [(where, "reference", item.reference) for _, (item, where) in _pairs(language.items)]
    texts += [(where, "text", nugget.text) for _, (nugget, where) in _pairs(language.nuggets)]
    for where, key, text in texts:
        if in_language(text, language.lang) is False:
            yield f"{where}: '{key}' does not look like '{language.lang}': {text[:60]!r}"


def _qrels(folder: Path, language: Language) -> Iterator[str]:
    path = folder / "qrels" / f"{language.lang}.tsv"
    if not path.is_file():
        yield f"{path}:1: missing; a benchmark has qrels for every language"
        return
    relevant: dict[str, set[str]] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 4 or not re.fullmatch(r"-?[0-9]+", columns[3]):
            yield f"{path}:{number}: a qrels line is 'query_id 0 doc_id relevance'"
        elif columns[0] not in language.items or columns[2] not in language.chunks:
            yield f"{path}:{number}: '{columns[0]}' is no query or '{columns[2]}' is no chunk"
        elif int(columns[3]) > 0:
            relevant.setdefault(columns[0], set()).add(columns[2])
    for query_id, (item, where) in _pairs(language.items):
        missing = {doc_id for group in item.gold for doc_id in group} - relevant.get(query_id, set())
        if missing:
            yield f"{where}: gold '{min(missing)}' of '{query_id}' is not relevant in {path}"


def _parallel(model: Language, other: Language) -> Iterator[str]:
    """Yield where two languages differ in what must be the same in all."""
    names = (model.lang, other.lang)
    yield from _differences("chunk", names, (model.chunks, other.chunks), lambda one, two: True)
    yield from _differences("query", names, (model.items, other.items), _same_item)
    yield from _differences("nugget", names, (model.nuggets, other.nuggets), _same_nugget)


def _differences(
    kind: str,
    names: tuple[str, str],
    records: tuple[dict[str, Located[Record]], dict[str, Located[Record]]],
    same: Callable[[Record, Record], bool],
) -> Iterator[str]:
    one, two = records
    for key in sorted(one.keys() - two.keys()):
        yield f"{one[key].where}: {kind} '{key}' is missing in '{names[1]}'"
    for key in sorted(two.keys() - one.keys()):
        yield f"{two[key].where}: {kind} '{key}' is missing in '{names[0]}'"
    for key in sorted(one.keys() & two.keys()):
        if not same(one[key].record, two[key].record):
            yield f"{two[key].where}: {kind} '{key}' differs from '{names[0]}' in more than its text"


def _same_item(one: Item, two: Item) -> bool:
    return (one.answerable, one.type, one.gold, one.near_miss) == (two.answerable, two.type, two.gold, two.near_miss)


def _same_nugget(one: Nugget, two: Nugget) -> bool:
    return (one.query_id, one.importance, one.doc_ids) == (two.query_id, two.importance, two.doc_ids)


def _pairs(records: dict[str, Located[Record]]) -> Iterable[tuple[str, tuple[Record, str]]]:
    return [(key, (located.record, located.where)) for key, located in records.items()]
