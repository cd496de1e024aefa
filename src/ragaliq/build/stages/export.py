"""Export: the benchmark itself in `DIR`, and its unfiltered twin in `DIR/build/unfiltered`."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ragaliq.benchmark.judgements import binary_qrels
from ragaliq.benchmark.layout import file_hash
from ragaliq.build.context import BuildContext
from ragaliq.build.models_used import built_with
from ragaliq.build.stage_row import FAILED, StageRow
from ragaliq.build.stages import filter as filter_stage
from ragaliq.build.stages import ingest, relevance
from ragaliq.build.stages.chunk import chunks_of
from ragaliq.errors import InputError, RagaliqError
from ragaliq.formats.trec.qrels import write_nugget_qrels, write_qrels
from ragaliq.storage.files import Row, read_json, write_atomic, write_json, write_jsonl
from ragaliq.storage.own_json import misfit, read_own_json
from ragaliq.text.refusals import knows_abstentions, not_found
from ragaliq.types import Chunk

NAME = "export"
_HEAD = "bench.json"
# Folder → suffix of its files, one a language. Under `qrels` relevance is the number of supported nuggets.
_KINDS = {"corpus": "jsonl", "queries": "jsonl", "nuggets": "jsonl", "qrels": "tsv", "binary_qrels": "tsv",
          "nugget_qrels": "tsv"}  # fmt: skip
_GRADED = "relevance_qrels"
_UNANSWERABLE = "unanswerable"


class ItemsFailed(RagaliqError):
    """No query is left, because items failed."""

    exit_code = 1


def export(context: BuildContext) -> None:
    """Write the benchmark, and beside it the set that FreshStack's two rules have not filtered.

    In `sources/`, what was withheld for unanswerable queries is blanked out, letter by letter: all offsets stay valid.
    Files of an earlier export that are no longer part of it are removed; no other file is touched.

    Raises:
        InputError: if no query is left, or a file that no export wrote is in the way.
        ItemsFailed: if no query is left and items of earlier stages failed.
    """
    rows = context.workspace.rows(filter_stage.NAME)
    kept = [row for row in rows if row.kept]
    if not kept:
        path = context.workspace.rows_file(filter_stage.NAME)
        failed = [name for name in context.workspace.finished() if context.workspace.counts(name)[FAILED]]
        if failed:
            raise ItemsFailed(
                f"{path}: no query is left, but items of {failed[0]} failed; the same command tries them again"
            )
        raise InputError(f"{path}: no query is left; see the reasons there")
    corpus = {lang: filter_stage.corpus_of(context, lang) for lang in sorted({row.lang for row in kept})}
    graded = relevance.grades_of(context) if context.settings.judge.relevance else {}
    sources = {
        f"sources/{row.lang}/{row.item_id}": row for row in context.workspace.kept(ingest.NAME) if row.lang in corpus
    }
    names = _names(corpus, graded)
    twin = "build/unfiltered"
    with_twin = [*names, *sources, *(f"{twin}/{name}" for name in names)]
    _claim(context, with_twin)
    blanks = _blanks(context, corpus)
    for name, document in sources.items():
        write_atomic(context.workspace.path / name, _source(context, document, blanks).encode("utf-8"))
    _write(context, "", kept, corpus, graded, [*names, *sources])
    unfiltered = [row for row in rows if row.kept or row.reason in filter_stage.RULES]
    _write(context, twin, unfiltered, corpus, graded, names)
    _note_files(context, with_twin)
    context.workspace.write_rows(NAME, [StageRow(row.item_id, row.lang, {}, inputs=row.inputs) for row in kept])


def _names(langs: Iterable[str], graded: Mapping[Any, Any]) -> list[str]:
    kinds = _KINDS | ({_GRADED: "tsv"} if graded else {})
    return [_HEAD, *(f"{kind}/{lang}.{suffix}" for lang in langs for kind, suffix in kinds.items())]


def _claim(context: BuildContext, names: Sequence[str]) -> None:
    """Remove what an earlier export wrote and this one does not; refuse to replace any other file."""
    folder, earlier = context.workspace.path, _noted_files(context)
    foreign = [name for name in names if name not in earlier and (folder / name).exists()]
    if foreign:
        raise InputError(f"{folder / foreign[0]}: is in the way, and no export wrote it; move it")
    # Before anything is written: a kill must not leave unknown files.
    _note_files(context, sorted({*earlier, *names}))
    for name in sorted(earlier - set(names), reverse=True):
        path = folder / name
        path.unlink(missing_ok=True)
        with suppress(OSError):
            # A folder with anything else in it stays.
            for above in path.relative_to(folder).parents[:-1]:
                (folder / above).rmdir()


def _noted_files(context: BuildContext) -> set[str]:
    """Return the files that an export wrote; else those that a built `bench.json` names with the same hash."""
    path, folder = _files_file(context), context.workspace.path
    if path.is_file():
        return set(read_own_json(path, [str], "the list of what was exported", "write it again: a JSON list of names"))
    head = read_json(folder / _HEAD) if (folder / _HEAD).is_file() else {}
    if misfit(head, {"built_with": object, "hashes?": {str: str}}):
        return set()
    hashes = head.get("hashes", {})
    return {_HEAD, *(name for name in hashes if (folder / name).is_file() and file_hash(folder / name) == hashes[name])}


def _note_files(context: BuildContext, names: Sequence[str]) -> None:
    write_json(_files_file(context), sorted(names))


def _files_file(context: BuildContext) -> Path:
    return context.workspace.build / f"{NAME}_files.json"


def _write(
    context: BuildContext,
    place: str,
    rows: Sequence[StageRow],
    corpus: Mapping[str, Sequence[Chunk]],
    graded: Mapping[tuple[str, str], Mapping[str, int]],
    names: Sequence[str],
) -> None:
    """Write a set of queries with its corpus below `place`."""
    folder = context.workspace.path / place
    for lang, chunks in corpus.items():
        of_lang = [row for row in rows if row.lang == lang]
        answerable = [row for row in of_lang if row.value["answerable"]]
        qrels = {row.item_id: row.value["judged"] for row in answerable}
        write_jsonl(folder / f"corpus/{lang}.jsonl", map(_chunk_row, chunks))
        write_jsonl(folder / f"queries/{lang}.jsonl", map(_query_row, of_lang))
        write_jsonl(folder / f"nuggets/{lang}.jsonl", [nugget for row in answerable for nugget in _nugget_rows(row)])
        write_qrels(folder / f"qrels/{lang}.tsv", qrels)
        write_qrels(folder / f"binary_qrels/{lang}.tsv", binary_qrels(qrels))
        write_nugget_qrels(folder / f"nugget_qrels/{lang}.tsv", {row.item_id: _nugget_qrels(row) for row in answerable})
        if graded:
            shipped = {chunk.doc_id for chunk in chunks}
            grades = {row.item_id: graded.get((lang, row.item_id), {}) for row in answerable}
            write_qrels(folder / f"{_GRADED}/{lang}.tsv", {
                query_id: {doc_id: grade for doc_id, grade in documents.items() if doc_id in shipped}
                for query_id, documents in grades.items()
            })  # fmt: skip
    name = context.settings.name + ("-unfiltered" if place else "")
    hashes = {file: file_hash(folder / file) for file in sorted(names) if file != _HEAD}
    write_json(folder / _HEAD, _head(context, name, list(corpus), hashes))


def _head(context: BuildContext, name: str, langs: list[str], hashes: Mapping[str, str]) -> Row:
    settings = context.settings
    licences = sorted({source.licence for source in settings.sources if source.licence})
    mark = uuid.uuid5(uuid.NAMESPACE_URL, "\0".join([name, settings.version, *hashes.values()]))
    return {
        "name": name,
        "version": settings.version,
        "licence": ", ".join(licences) or "as the documents",
        "languages": langs,
        "parallel": False,
        "canary": f"ragaliq-{name} benchmark data, not for training: {mark}",
        "built_with": built_with(context),
        "hashes": dict(hashes),
    }


def _chunk_row(chunk: Chunk) -> Row:
    row: Row = {key: getattr(chunk, key) for key in ("doc_id", "source_id", "start", "end", "text", "lang")}
    # A path from the benchmark's folder.
    row["source_id"] = f"sources/{chunk.lang}/{chunk.source_id}"
    return {**row, "title": chunk.title} if chunk.title else row


def _query_row(row: StageRow) -> Row:
    """Return a query as a benchmark has it.

    The reference of an unanswerable one says that the documents do not have the answer. Where no vital nugget is
    supported, as in the unfiltered set, there is no gold.
    """
    value = row.value
    head = {"query_id": row.item_id, "lang": row.lang, "text": value["text"]}
    if not value["answerable"]:
        reference = not_found(row.lang) if knows_abstentions(row.lang) else ""
        return {**head, "reference": reference, "answerable": False, "type": _UNANSWERABLE, "gold": [],
                "near_miss": value["near_miss"]}  # fmt: skip
    gold = {"gold": value["gold"]} if value["gold"] else {}
    return {**head, "reference": value["reference"], "answerable": True, "type": value["type"], **gold}


def _nugget_qrels(row: StageRow) -> dict[str, dict[str, int]]:
    """Return nugget → judged document → 1 or 0; cells that are missing have no row, a nugget always has one."""
    missing = {(nugget_id, doc_id) for nugget_id, doc_id in row.value["missing"]}
    return {
        one["nugget_id"]: {
            doc_id: int(doc_id in one["doc_ids"])
            for doc_id in row.value["judged"]
            if (one["nugget_id"], doc_id) not in missing
        }
        or {"none": 0}
        for one in row.value["nuggets"]
    }


def _nugget_rows(row: StageRow) -> list[dict[str, Any]]:
    keys = ("nugget_id", "text", "importance", "doc_ids")
    return [{"query_id": row.item_id, **{key: one[key] for key in keys}} for one in row.value["nuggets"]]


def _blanks(context: BuildContext, corpus: Mapping[str, Sequence[Chunk]]) -> dict[str, list[tuple[int, int]]]:
    """Return the spans of each source that are left out, since their chunks were withheld."""
    shipped = {chunk.doc_id for chunks in corpus.values() for chunk in chunks}
    blanks: dict[str, list[tuple[int, int]]] = {}
    for lang, chunks in chunks_of(context).items():
        for chunk in chunks if lang in corpus else ():
            if chunk.doc_id not in shipped:
                blanks.setdefault(chunk.source_id, []).append((chunk.start, chunk.end))
    return blanks


def _source(context: BuildContext, document: StageRow, blanks: Mapping[str, Sequence[tuple[int, int]]]) -> str:
    """Return a source with the withheld text blanked out; line ends stay."""
    characters = list(ingest.read_copy(context, document))
    for start, end in blanks.get(document.item_id, ()):
        characters[start:end] = [char if char in "\r\n" else " " for char in characters[start:end]]
    return "".join(characters)
