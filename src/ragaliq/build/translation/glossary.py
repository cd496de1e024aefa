"""The terms of a build: those that stay as they are, and the glossary's translations."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from ragaliq.benchmark.translation.terms_kept import Terms
from ragaliq.build.context import BuildContext
from ragaliq.errors import InputError
from ragaliq.storage.files import read_text


def build_terms(context: BuildContext, source_lang: str) -> Terms:
    """Return the terms of the settings: `translate.keep`, and `translate.glossary` from the source's language.

    The glossary is a CSV or TSV file with a column for each language, named by its code. An empty cell says nothing.

    Raises:
        InputError: if the file is missing, lacks the column of the source or of a target, or has a row of another
            width; with the line.
    """
    settings = context.settings.translate
    path = glossary_file(context)
    glossary = _read(path, source_lang, settings.languages) if path else {}
    return Terms(frozenset(settings.keep), glossary)


def glossary_file(context: BuildContext) -> Path | None:
    """Return the file of the glossary; None if the settings name none."""
    name = context.settings.translate.glossary
    return context.workspace.path / name if name else None


def _read(path: Path, source_lang: str, langs: tuple[str, ...]) -> Mapping[str, Mapping[str, str]]:
    if not path.is_file():
        raise InputError(f"{path}: no such file; correct translate.glossary")
    text = read_text(path)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text.partition("\n")[0] else ",")
    columns = [name.strip() for name in next(rows, [])]
    missing = [lang for lang in (source_lang, *langs) if lang not in columns]
    if missing:
        raise InputError(f"{path}:1: has no column '{missing[0]}'; its first line names the languages")
    glossary: dict[str, dict[str, str]] = {lang: {} for lang in langs}
    for row in rows:
        if len(row) not in (0, len(columns)):
            raise InputError(f"{path}:{rows.line_num}: has {len(row)} cells, not {len(columns)}")
        cells = dict(zip(columns, (cell.strip() for cell in row), strict=False))
        for lang in langs:
            if cells.get(source_lang) and cells.get(lang):
                glossary[lang][cells[source_lang]] = cells[lang]
    return glossary
