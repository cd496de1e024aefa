"""Lists, tables, headings and lines that a translation loses or joins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.benchmark.translation.form.line_alignment import absent_lines
from ragaliq.benchmark.translation.form.lines import Line, LineKind, lines_of
from ragaliq.text.sentence_encoder import knows
from ragaliq.text.terms import reading_length
from ragaliq.types import Severity, TranslationFinding, TranslationPair

# Lines of one side times those of the other: beyond, the comparison is made only where lines are fewer.
_MOST_CELLS = 250_000
# Where as many lines are there, one below the first cosine is surely another line; one that is there twice is the
# translation of two lines only above the second, and short ones (in letters) often are.
_UNLIKE, _ALIKE, _SHORT = 0.2, 0.5, 8
_MARKED = (LineKind.HEADING, LineKind.ITEM, LineKind.ROW)


def structure_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `structure` findings where a translation has other lines than its source.

    An error names each line that is not in the translation, a warning one that begins inside a sentence, or in whose
    place another line is that may yet be its translation; no line is named if the encoder does not know one of the
    languages. Where headings, list items or table rows are fewer or more, or rows have other columns, one finding has
    the numbers: an error if a table differs, else a warning. Other lines that are joined or split are a warning.
    """
    for pair in pairs:
        if pair.target.strip():
            source, target = lines_of(pair.source), lines_of(pair.target)
            if len(source) > 1 or len(target) > 1:
                yield from _findings(pair, source, target)


def _findings(pair: TranslationPair, source: list[Line], target: list[Line]) -> Iterator[TranslationFinding]:
    counts = [Counter(line.kind for line in side) for side in (source, target)]
    fewer = any(counts[0][kind] > counts[1][kind] for kind in LineKind)
    lost = _lost(source, target, fewer) if knows(pair.source_lang) and knows(pair.lang) else {}
    absent = [source[place] for place in lost]
    for line, certain in zip(absent, lost.values(), strict=True):
        # One that goes on in the middle of a sentence may be joined to the line before.
        whole = line.kind is not LineKind.PLAIN or not (line.text[0].islower() or line.text[0].isdigit())
        sure = certain and whole
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


def _lost(source: list[Line], target: list[Line], fewer: bool) -> dict[int, bool]:
    """Return the places of the source's lines that are not in the translation, ascending, each with whether it is sure.

    A line that occurs twice in the translation, where no line of the source does, is another's translation once.
    """
    if not fewer and len(source) * len(target) > _MOST_CELLS:
        return {}
    once = _without_repeats(source, target)
    lost = absent_lines(source, once)
    if lost and len(once) < len(target):
        # Either of two equal lines may be the one in its place.
        lost = min(lost, absent_lines(source, _without_repeats(source, target[::-1])[::-1]), key=len)
    if not lost:
        return {}
    sure = set(absent_lines(source, target)) if fewer else set(absent_lines(source, target, _UNLIKE))
    if len(once) < len(target):
        sure.update(absent_lines(source, target, _ALIKE))
    return {place: place in sure for place in lost}


def _without_repeats(source: list[Line], target: list[Line]) -> list[Line]:
    most = max(Counter(line.text for line in source).values(), default=1)
    seen, left = Counter[str](), list[Line]()
    for line in target:
        seen[line.text] += 1
        if seen[line.text] <= most or reading_length(line.text) < _SHORT:
            left.append(line)
    return left


def _columns(rows: Sequence[int]) -> str:
    return "/".join(str(columns) for columns in sorted(set(rows)))
