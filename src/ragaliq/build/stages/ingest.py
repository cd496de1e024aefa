"""Ingest: the files of the sources, copied and listed; skipped ones with the reason."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.build.context import BuildContext
from ragaliq.build.documents.language import (
    DECLARED,
    RECOGNISED,
    check_declared,
    document_language,
    main_language,
)
from ragaliq.build.documents.names import document_id, too_long
from ragaliq.build.documents.reading import PROSE, Document, content_digest, read_files
from ragaliq.build.settings import SourceSettings, settings_to_json
from ragaliq.build.stage_row import StageRow, content_hash
from ragaliq.errors import InputError
from ragaliq.storage.files import write_atomic, write_json
from ragaliq.storage.own_json import read_own_json

NAME = "ingest"
_SOURCES = "sources.json"


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """A source as it was read."""

    source: SourceSettings
    single: bool
    documents: tuple[Document, ...]
    sha256: str

    def id_of(self, document: Document) -> str:
        return document_id(self.source.label, document.path, self.single)


def ingest(context: BuildContext) -> None:
    """Write a row for each file of the sources, and a copy of each text below `DIR/build/documents/`.

    `DIR/build/sources.json` lists the sources with the hash that `sha256` in `build.yaml` can pin.

    Raises:
        InputError: if a source is missing, its content does not match its `sha256`, or none has text.
    """
    if not context.settings.sources:
        raise InputError(f"{context.workspace.settings_file}: names no documents; list them under 'sources'")
    check_declared(context.settings.languages, str(context.workspace.settings_file))
    snapshots = [_snapshot(context, source) for source in context.settings.sources]
    for one in snapshots:
        if one.source.sha256 not in ("", one.sha256):
            raise InputError(
                f"{_path(context, one.source)}: its content has the SHA-256 {one.sha256}, not the one in build.yaml; "
                "take that version, or pin this one"
            )
    rows = list(_rows(context, snapshots))
    context.workspace.write_rows(NAME, rows)
    if not any(row.kept for row in rows):
        raise InputError(f"{context.workspace.settings_file}: the sources have no text; see {NAME}.jsonl")
    write_json(context.workspace.build / _SOURCES, [_entry(one) for one in snapshots])
    _remove_old_copies(context, {row.item_id for row in rows if row.kept})
    for line in _report(snapshots, rows):
        print(line, file=sys.stderr)


def content_hashes(context: BuildContext) -> list[str]:
    """Return the hash of each source's content; for a missing source, that of what was ingested."""
    path = context.workspace.build / _SOURCES
    what, remedy = "the list of the sources", "remove it, the same command writes it anew"
    entries = read_own_json(path, [{"name": str, "sha256": str}], what, remedy) if path.is_file() else []
    known = {entry["name"]: entry["sha256"] for entry in entries}
    return [
        _snapshot(context, source).sha256 if _path(context, source).exists() else str(known.get(source.label, ""))
        for source in context.settings.sources
    ]


def document_hashes(context: BuildContext) -> dict[str, str]:
    """Return the hash of each document of the sources as they are now, by id; skipped files have none."""
    snapshots = [_snapshot(context, source) for source in context.settings.sources]
    return {one.id_of(document): document.sha256 for one in snapshots for document in one.documents if document.sha256}


def read_copy(context: BuildContext, document: StageRow) -> str:
    """Return the text of a document as it was ingested.

    Raises:
        InputError: if the copy is missing, or another text.
    """
    path, rows = _copy(context, document.item_id), context.workspace.rows_file(NAME)
    text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
    if _inputs(document.item_id, text, document.lang) != document.inputs:
        raise InputError(f"{path}: not what was ingested; remove {rows}, the same command writes both anew")
    return text


def _copy(context: BuildContext, source_id: str) -> Path:
    return context.workspace.build / "documents" / source_id


def _path(context: BuildContext, source: SourceSettings) -> Path:
    return context.workspace.path / source.path


def _snapshot(context: BuildContext, source: SourceSettings) -> _Snapshot:
    path = _path(context, source)
    documents = tuple(read_files(path, without=[context.workspace.path]))
    return _Snapshot(source, path.is_file(), documents, content_digest(documents, path.is_file()))


def _rows(context: BuildContext, snapshots: Sequence[_Snapshot]) -> Iterator[StageRow]:
    languages = _languages(context, snapshots)
    everywhere = [lang for known in languages.values() for lang in known.values()]
    for one in snapshots:
        recognised = languages[one.source.label]
        around, how = main_language(recognised.values(), everywhere)
        if len(context.settings.languages) == 1:
            around, how = context.settings.languages[0], DECLARED
        for document in one.documents:
            source_id = one.id_of(document)
            value = {"source": one.source.label, "path": document.path}
            if document.skipped:
                yield StageRow(source_id, around, value, document.skipped, document.detail)
            elif too_long(source_id):
                yield StageRow(source_id, around, value, "name too long", "rename the file")
            else:
                known = (recognised[document.path], RECOGNISED) if document.path in recognised else (around, how)
                yield _kept(context, source_id, document, value, known)


def _languages(context: BuildContext, snapshots: Sequence[_Snapshot]) -> dict[str, dict[str, str]]:
    """Return source → path → language of the documents whose language is recognised; code has none."""
    declared = context.settings.languages
    if len(declared) == 1:
        return {one.source.label: {} for one in snapshots}
    return {
        one.source.label: {
            document.path: lang
            for document in one.documents
            if not document.skipped and document.kind == PROSE and (lang := document_language(document.text, declared))
        }
        for one in snapshots
    }


def _kept(
    context: BuildContext, source_id: str, document: Document, value: dict[str, str], known: tuple[str, str]
) -> StageRow:
    lang, how = known
    write_atomic(_copy(context, source_id), document.text.encode("utf-8"))
    facts = {"kind": document.kind, "language_by": how, "characters": len(document.text), "sha256": document.sha256}
    return StageRow(source_id, lang, {**value, **facts}, inputs=_inputs(source_id, document.text, lang))


def _inputs(source_id: str, text: str, lang: str) -> str:
    return content_hash([NAME, source_id, text, lang])


def _entry(one: _Snapshot) -> dict[str, object]:
    n_read = sum(not document.skipped for document in one.documents)
    counts = {"documents": n_read, "skipped": len(one.documents) - n_read}
    return {**settings_to_json(one.source), "name": one.source.label, "sha256": one.sha256, **counts}


def _remove_old_copies(context: BuildContext, kept: set[str]) -> None:
    """Remove copies that no row names: their files are gone."""
    folder = context.workspace.build / "documents"
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                shutil.rmtree(path)
        elif path.relative_to(folder).as_posix() not in kept:
            path.unlink()


def _report(snapshots: Sequence[_Snapshot], rows: Sequence[StageRow]) -> Iterator[str]:
    for one in snapshots:
        yield f"{NAME}: source '{one.source.label}' has the SHA-256 {one.sha256}"
    counts = Counter((row.lang, row.value["language_by"]) for row in rows if row.kept)
    told = ", ".join(f"{n} in {lang} ({how})" for (lang, how), n in sorted(counts.items()))
    yield f"{NAME}: documents: {told}"
