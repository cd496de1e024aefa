"""Lists, tables, headings and lines that a translation loses or joins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.benchmark.translation.form.line_alignment import absent_lines
from ragaliq.benchmark.translation.form.lines import Line, LineKind, lines_of
from ragaliq.types import Severity, TranslationFinding, TranslationPair

_MARKED = (LineKind.HEADING, LineKind.ITEM, LineKind.ROW)


def structure_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `structure` findings where a translation has other lines than its source.

    An error names each line that is not in the translation, a warning one that begins inside a sentence. Where
    headings, list items or table rows are fewer or more, or rows have other columns, one finding has the numbers: an
    error if a table differs, else a warning. Other lines that are joined or split are a warning.
    """
    for pair in pairs:
        if pair.target.strip():
            source, target = lines_of(pair.source), lines_of(pair.target)
            if len(source) > 1 or len(target) > 1:
                yield from _findings(pair, source, target)


def _findings(pair: TranslationPair, source: list[Line], target: list[Line]) -> Iterator[TranslationFinding]:
    counts = [Counter(line.kind for line in side) for side in (source, target)]
    fewer = any(counts[0][kind] > counts[1][kind] for kind in LineKind)
    absent = [source[place] for place in absent_lines(source, target)] if fewer else []
    for line in absent:
        # One that goes on in the middle of a sentence may be joined to the line before.
        sure = line.kind is not LineKind.PLAIN or not (line.text[0].islower() or line.text[0].isdigit())
        severity = Severity.ERROR if sure else Severity.WARNING
        yield finding_of(pair, "structure", severity, f"{line.kind} not in the translation: {quoted([line.text])}")
    rows = [[line.columns for line in side if line.kind is LineKind.ROW] for side in (source, target)]
    told = [f"{counts[0][kind]} {kind}s, {counts[1][kind]} in the translation" for kind in LineKind
            if counts[0][kind] != counts[1][kind] and (kind in _MARKED or not absent)]  # fmt: skip
    if rows[0] != rows[1] and len(rows[0]) == len(rows[1]):
        told.append(f"table rows of {_columns(rows[0])} columns, {_columns(rows[1])} in the translation")
    if told:
        severity = Severity.ERROR if rows[0] != rows[1] else Severity.WARNING
        yield finding_of(pair, "structure", severity, "; ".join(told))


def _columns(rows: Sequence[int]) -> str:
    return "/".join(str(columns) for columns in sorted(set(rows)))
