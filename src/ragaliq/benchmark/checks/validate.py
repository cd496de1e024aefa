"""Checking a benchmark: every finding names file and line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragaliq.benchmark.checks.answer_leaks import leak_findings
from ragaliq.benchmark.checks.exam import exam_findings
from ragaliq.benchmark.checks.licence import licence_findings
from ragaliq.benchmark.checks.near_duplicates import near_duplicates
from ragaliq.benchmark.checks.parity import parity_findings, record_differences, uncompared_languages
from ragaliq.benchmark.checks.unanswerable import unanswerable_findings
from ragaliq.benchmark.layout import declared_languages, stale_hashes
from ragaliq.benchmark.load import load_benchmark
from ragaliq.benchmark.located import LocatedRows, read_language
from ragaliq.errors import InputError
from ragaliq.execution.second_process import beside
from ragaliq.formats.upstream import is_upstream
from ragaliq.storage.files import Row, read_json, read_text
from ragaliq.text.language import is_foreign
from ragaliq.text.terms import fold

# A doc id may hold spaces.
_QRELS = re.compile(r"\s*(\S+)\s+\S+\s+(\S(?:.*\S)?)\s+(-?[0-9]+)\s*")


def validate(folder: Path) -> list[str]:
    """Return the findings on a benchmark, `FILE:LINE: what is wrong`; none means that it is clean.

    Checked: every row's form; ids unique, and identical in all languages; chunks equal to the span of their source
    where the sources ship; gold, nuggets and qrels that name existing chunks and queries, alike in all languages;
    numbers, times, dates and names alike in all languages; no query text twice, or nearly so, in a language; no answer
    inside its question; unanswerable queries without relevant chunks; the language of every text; the judge exam; a
    licence and a card; recorded hashes. What `not_checked` names is left out.

    Of a folder in the upstream layout, which has no ids, spans or gold, it says what loading leaves out.

    Raises:
        InputError: if the folder has no readable `bench.json` and is not in the upstream layout.
    """
    if not (folder / "bench.json").is_file() and is_upstream(folder):
        return list(load_benchmark(folder).notes)
    head = read_json(folder / "bench.json")
    findings: list[str] = []
    languages = [read_language(folder, lang, findings) for lang in declared_languages(head, folder / "bench.json")]
    parallel = is_parallel(head)
    if not isinstance(head.get("parallel", True), bool):
        findings.append(f"{folder / 'bench.json'}:1: 'parallel' must be true or false, without quotes")
    # A third of the work, which needs nothing of the rest.
    differences = beside(lambda: list(_differences(languages)) if parallel else [])
    for language in languages:
        findings.extend(_spans(folder, language))
        blank = _blank_documents(head, language.lang)
        findings.extend(_references(language, blank))
        findings.extend(_texts(language))
        findings.extend(near_duplicates(language.items))
        findings.extend(leak_findings(language))
        relevant: dict[str, set[str]] = {}
        findings.extend(_qrels(folder, language, blank, relevant))
        findings.extend(unanswerable_findings(language, relevant, parallel))
    exam = list(exam_findings(folder, languages, parallel))
    findings.extend(differences())
    if parallel:
        findings.extend(licence_findings(folder, head))
    findings.extend(exam)
    findings.extend(stale_hashes(folder, head.get("hashes")))
    return findings


def is_parallel(head: Row) -> bool:
    """Return whether the languages of a benchmark are translations of each other; `"parallel": false` says no.

    Data sets that were converted are not: their languages need not have the same ids, and their licence, card and
    misleading chunks are another's.
    """
    return head.get("parallel", True) is not False


def not_checked(folder: Path) -> list[str]:
    """Return a line for each check that `validate` leaves out on this benchmark, with the reason."""
    path = folder / "bench.json"
    if not path.is_file():
        return []
    head = read_json(path)
    langs = declared_languages(head, path)
    if is_parallel(head):
        note = uncompared_languages(langs) if len(langs) > 1 else ""
    else:
        note = ("bench.json says \"parallel\": false: languages are not compared; licence, card and gold out of reach "
                "are not looked at")  # fmt: skip
    return [note] if note else []


def _spans(folder: Path, language: LocatedRows) -> Iterator[str]:
    texts: dict[str, str | None] = {}
    for doc_id, (chunk, where) in language.chunks.items():
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


def _references(language: LocatedRows, blank: set[str]) -> Iterator[str]:
    with_references = any(located.record.reference for located in language.items.values())
    for query_id, (item, where) in language.items.items():
        named = [doc_id for group in item.gold for doc_id in group] + ([item.near_miss] if item.near_miss else [])
        for doc_id in named:
            if doc_id not in language.chunks:
                yield f"{where}: '{query_id}' names '{doc_id}', which is no chunk of corpus/{language.lang}.jsonl"
        if item.answerable and not item.reference and with_references:
            yield f"{where}: answerable query '{query_id}' has no reference"
    with_nuggets = set()
    for nugget_id, (nugget, where) in language.nuggets.items():
        with_nuggets.add(nugget.query_id)
        if nugget.query_id not in language.items:
            yield f"{where}: nugget '{nugget_id}' belongs to '{nugget.query_id}', which is no query"
        elif not language.items[nugget.query_id].record.answerable:
            yield f"{where}: nugget '{nugget_id}' belongs to an unanswerable query"
        for doc_id in nugget.doc_ids:
            if doc_id not in language.chunks and doc_id not in blank:
                yield f"{where}: nugget '{nugget_id}' names '{doc_id}', which is no chunk of '{language.lang}'"
    for query_id, (item, where) in language.items.items():
        if item.answerable and language.nuggets and query_id not in with_nuggets:
            yield f"{where}: answerable query '{query_id}' has no nugget"


def _texts(language: LocatedRows) -> Iterator[str]:
    first: dict[str, str] = {}
    for query_id, (item, where) in language.items.items():
        folded = " ".join(fold(item.query.text).split())
        if folded in first:
            yield f"{where}: the text of '{query_id}' is also that of '{first[folded]}'"
        first.setdefault(folded, query_id)
    texts = [(where, "text", chunk.text) for chunk, where in language.chunks.values()]
    texts += [(where, "text", item.query.text) for item, where in language.items.values()]
    texts += [(where, "reference", item.reference) for item, where in language.items.values()]
    texts += [(where, "text", nugget.text) for nugget, where in language.nuggets.values()]
    for where, key, text in texts:
        if is_foreign(text, language.lang):
            yield f"{where}: '{key}' does not look like '{language.lang}': {text[:60]!r}"


def _blank_documents(head: Row, lang: str) -> set[str]:
    """Return the judged documents that `bench.json` says were left out because they hold no text."""
    named = head.get("blank_documents")
    listed = named.get(lang, []) if isinstance(named, dict) else []
    return {doc_id for doc_id in listed if isinstance(doc_id, str)} if isinstance(listed, list) else set()


def _qrels(folder: Path, language: LocatedRows, blank: set[str], relevant: dict[str, set[str]]) -> Iterator[str]:
    """Yield what is wrong with the qrels of a language, and note in `relevant` what they call so."""
    path = folder / "qrels" / f"{language.lang}.tsv"
    if not path.is_file():
        yield f"{path}:1: missing; a benchmark has qrels for every language"
        return
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        row = _QRELS.fullmatch(line)
        if row is None:
            yield f"{path}:{number}: a qrels line is 'query_id 0 doc_id relevance'"
        elif row[1] not in language.items or (row[2] not in language.chunks and row[2] not in blank):
            yield f"{path}:{number}: '{row[1]}' is no query or '{row[2]}' is no chunk"
        elif int(row[3]) > 0:
            relevant.setdefault(row[1], set()).add(row[2])
    for query_id, (item, where) in language.items.items():
        missing = {doc_id for group in item.gold for doc_id in group} - relevant.get(query_id, set())
        if missing:
            yield f"{where}: gold '{min(missing)}' of '{query_id}' is not relevant in {path}"


def _differences(languages: Sequence[LocatedRows]) -> Iterator[str]:
    for language in languages[1:]:
        yield from _parallel(languages[0], language)
    yield from parity_findings(languages)


def _parallel(model: LocatedRows, other: LocatedRows) -> Iterator[str]:
    """Yield where two languages differ in what must be the same in all."""
    names = (model.lang, other.lang)
    yield from record_differences("chunk", names, (model.chunks, other.chunks), lambda chunk: ())
    yield from record_differences(
        "query", names, (model.items, other.items), lambda item: (item.answerable, item.type, item.gold, item.near_miss)
    )
    yield from record_differences(
        "nugget", names, (model.nuggets, other.nuggets), lambda one: (one.query_id, one.importance, one.doc_ids)
    )
