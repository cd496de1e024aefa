"""The terms of a build: those that stay as they are, and the glossary's translations."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ragaliq.benchmark.translation.terms_kept import Terms
from ragaliq.build.workspace import Workspace
from ragaliq.errors import InputError
from ragaliq.storage.files import read_text
from ragaliq.text.terms import fold


def build_terms(workspace: Workspace, source_lang: str, langs: Sequence[str]) -> Terms:
    """Return the terms of the settings: `translate.keep`, and `translate.glossary` from the source's language.

    The glossary is a CSV or TSV file with a column for each language, named by its code. An empty cell says nothing.
    Capitals do not tell two terms apart, in the checks neither.

    Raises:
        InputError: if the file is missing, is not CSV, lacks the column of the source or of one of `langs`, has a
            column or a term twice, a row of another width, or a line end in a cell; with the line.
    """
    path = glossary_file(workspace)
    glossary = _read(path, source_lang, langs) if path else {}
    return Terms(frozenset(workspace.settings.translate.keep), glossary)


def glossary_file(workspace: Workspace) -> Path | None:
    """Return the file of the glossary; None if the settings name none."""
    name = workspace.settings.translate.glossary
    return workspace.path / name if name else None


def _read(path: Path, source_lang: str, langs: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
    lines = _lines(path)
    columns = next(lines, (1, []))[1]
    twice = [name for name, count in Counter(columns).items() if name and count > 1]
    if twice:
        raise InputError(f"{path}:1: has the column '{twice[0]}' twice; leave one")
    missing = [lang for lang in (source_lang, *langs) if lang not in columns]
    if missing:
        raise InputError(f"{path}:1: has no column '{missing[0]}'; its first line names the languages")
    glossary: dict[str, dict[str, str]] = {lang: {} for lang in langs}
    seen: dict[str, int] = {}
    for line, row in lines:
        if len(row) != len(columns):
            raise InputError(f"{path}:{line}: has {len(row)} cells, not {len(columns)}")
        cells = dict(zip(columns, row, strict=True))
        term = cells[source_lang]
        first = seen.setdefault(fold(term), line) if term else line
        if first != line:
            raise InputError(f"{path}:{line}: has the term '{term}' of line {first} once more; leave one")
        for lang in langs:
            if term and cells[lang]:
                glossary[lang][term] = cells[lang]
    return glossary


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty with the lines that they begin in."""
    if not path.is_file():
        raise InputError(f"{path}: no such file; correct translate.glossary")
    text = read_text(path)
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in rows:
            if any(len(cell.splitlines()) > 1 for cell in row):
                raise InputError(f"{path}:{line}: a cell has a line end; close its quotes, or remove it")
            if row:
                yield line, [cell.strip() for cell in row]
            line = rows.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}:{line}: not CSV ({error}); correct the quotes") from None
