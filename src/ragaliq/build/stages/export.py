"""Export: the benchmark itself in `DIR`, and its unfiltered twin in `DIR/build/unfiltered`."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragaliq.benchmark.judgements import binary_qrels
from ragaliq.benchmark.layout import file_hash
from ragaliq.build.context import BuildContext
from ragaliq.build.exported.files import HEAD, claim_files, note_files
from ragaliq.build.exported.records import chunk_row, nugget_qrels_of, nugget_rows, query_row
from ragaliq.build.exported.sources import source_documents, source_names
from ragaliq.build.models_used import built_with
from ragaliq.build.stage_row import FAILED, StageRow
from ragaliq.build.stages import check_translation, relevance
from ragaliq.build.stages import filter as filter_stage
from ragaliq.errors import InputError, RagaliqError
from ragaliq.formats.trec.qrels import write_nugget_qrels, write_qrels
from ragaliq.storage.files import Row, write_atomic, write_json, write_jsonl
from ragaliq.types import Chunk

NAME = "export"
# Folder → suffix of its files, one a language. Under `qrels` relevance is the number of supported nuggets.
_KINDS = {"corpus": "jsonl", "queries": "jsonl", "nuggets": "jsonl", "qrels": "tsv", "binary_qrels": "tsv",
          "nugget_qrels": "tsv"}  # fmt: skip
_GRADED = "relevance_qrels"
_TWIN = "build/unfiltered"


class NoQueryLeft(RagaliqError):
    """No query is left, because items failed or nothing was translated."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class _Shipped:
    """A set of queries with its corpus; languages in the order of `bench.json`."""

    rows: Sequence[StageRow]
    corpus: Mapping[str, Sequence[Chunk]]
    parallel: bool = False


def export(context: BuildContext) -> None:
    """Write the benchmark, and beside it the set that FreshStack's two rules have not filtered.

    The benchmark is in every language that it was translated into, the unfiltered set in those of the documents. In
    `sources/`, what was withheld for unanswerable queries is blanked out, letter by letter: all offsets stay valid.
    Files of an earlier export that are no longer part of it are removed; no other file is touched.

    Raises:
        InputError: if no query is left, or a file that no export wrote is in the way.
        NoQueryLeft: if no query is left, and items of earlier stages failed or no query is translated.
    """
    rows = context.workspace.rows(filter_stage.NAME)
    kept = [row for row in rows if row.kept]
    langs = sorted({row.lang for row in kept})
    corpus = filter_stage.corpora_of(context, langs)
    shipped = _translated(context, langs) if context.settings.translate.languages else _Shipped(kept, corpus)
    if not shipped.rows:
        raise _nothing_left(context, bool(kept))
    graded = relevance.grades_of(context) if context.settings.judge.relevance else {}
    names, twin_names = _names(shipped.corpus, graded), _names(corpus, graded)
    sources = source_names(context, shipped.corpus, langs)
    all_names = [*names, *sources, *(f"{_TWIN}/{name}" for name in twin_names)]
    claim_files(context, all_names)
    for name, text in source_documents(context, shipped.corpus, langs):
        write_atomic(context.workspace.path / name, text.encode("utf-8"))
    _write(context, "", shipped, graded, [*names, *sources])
    unfiltered = [row for row in rows if row.kept or row.reason in filter_stage.RULES]
    _write(context, _TWIN, _Shipped(unfiltered, corpus), graded, twin_names)
    note_files(context, all_names)
    context.workspace.write_rows(NAME, [StageRow(row.item_id, row.lang, {}, inputs=row.inputs) for row in shipped.rows])


def _translated(context: BuildContext, langs: Sequence[str]) -> _Shipped:
    """Return what `check-translation` kept: the same ids in every language."""
    kept = context.workspace.kept(check_translation.NAME)
    corpus: dict[str, list[Chunk]] = {lang: [] for lang in (*langs, *context.settings.translate.languages)}
    for row in kept:
        if row.value["record"] == "chunk":
            value = row.value
            corpus[row.lang].append(Chunk(row.item_id, row.lang, value["text"], value["source_id"], value["start"],
                                          value["end"], value["title"]))  # fmt: skip
    return _Shipped([row for row in kept if row.value["record"] == "query"], corpus, parallel=True)


def _nothing_left(context: BuildContext, untranslated: bool) -> RagaliqError:
    workspace = context.workspace
    failed = [name for name in workspace.finished() if workspace.counts(name)[FAILED]]
    path = workspace.rows_file(check_translation.NAME if untranslated else filter_stage.NAME)
    if failed:
        return NoQueryLeft(
            f"{path}: no query is left, but items of {failed[0]} failed; the same command tries them again"
        )
    if untranslated:
        return NoQueryLeft(f"{path}: no query is left in every language; see the reasons there")
    update = workspace.update
    back = "; `ragaliq build update --retire` without ids takes back what is to be retired" if update.requested else ""
    return InputError(f"{path}: no query is left; see the reasons there{'' if update.done else back}")


def _names(langs: Iterable[str], graded: Mapping[Any, Any]) -> list[str]:
    kinds = _KINDS | ({_GRADED: "tsv"} if graded else {})
    return [HEAD, *(f"{kind}/{lang}.{suffix}" for lang in langs for kind, suffix in kinds.items())]


def _write(
    context: BuildContext,
    place: str,
    shipped: _Shipped,
    graded: Mapping[tuple[str, str], Mapping[str, int]],
    names: Sequence[str],
) -> None:
    """Write a set of queries with its corpus below `place`."""
    folder = context.workspace.path / place
    for lang, chunks in shipped.corpus.items():
        of_lang = [row for row in shipped.rows if row.lang == lang]
        answerable = [row for row in of_lang if row.value["answerable"]]
        qrels = {row.item_id: row.value["judged"] for row in answerable}
        write_jsonl(folder / f"corpus/{lang}.jsonl", map(chunk_row, chunks))
        write_jsonl(folder / f"queries/{lang}.jsonl", map(query_row, of_lang))
        write_jsonl(folder / f"nuggets/{lang}.jsonl", [nugget for row in answerable for nugget in nugget_rows(row)])
        write_qrels(folder / f"qrels/{lang}.tsv", qrels)
        write_qrels(folder / f"binary_qrels/{lang}.tsv", binary_qrels(qrels))
        write_nugget_qrels(
            folder / f"nugget_qrels/{lang}.tsv", {row.item_id: nugget_qrels_of(row) for row in answerable}
        )
        if graded:
            in_corpus = {chunk.doc_id for chunk in chunks}
            grades = {row.item_id: _grades(graded, row) for row in answerable}
            write_qrels(folder / f"{_GRADED}/{lang}.tsv", {
                query_id: {doc_id: grade for doc_id, grade in documents.items() if doc_id in in_corpus}
                for query_id, documents in grades.items()
            })  # fmt: skip
    hashes = {file: file_hash(folder / file) for file in sorted(names) if file != HEAD}
    write_json(folder / HEAD, _head(context, place, shipped, hashes))


def _grades(graded: Mapping[tuple[str, str], Mapping[str, int]], row: StageRow) -> Mapping[str, int]:
    """Return the grades of a query's documents; a translated query has those of its source."""
    own = graded.get((row.lang, row.item_id))
    return own or next((grades for (_, query_id), grades in graded.items() if query_id == row.item_id), {})


def _head(context: BuildContext, place: str, shipped: _Shipped, hashes: Mapping[str, str]) -> Row:
    settings = context.settings
    name = settings.name + ("-unfiltered" if place else "")
    licences = sorted({source.licence for source in settings.sources if source.licence})
    mark = uuid.uuid5(uuid.NAMESPACE_URL, "\0".join([name, settings.version, *hashes.values()]))
    return {
        "name": name,
        "version": settings.version,
        "licence": ", ".join(licences) or "as the documents",
        "languages": list(shipped.corpus),
        "parallel": shipped.parallel,
        "canary": f"ragaliq-{name} benchmark data, not for training: {mark}",
        "built_with": built_with(context),
        "hashes": dict(hashes),
    }
