"""Which lines of a text are in its translation, by meaning, numbers and order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import regex
from numpy.typing import NDArray

from ragaliq.benchmark.translation.form.lines import Line
from ragaliq.text import sentence_encoder
from ragaliq.text.sentences import sentences

# A list mark inside a line: the item was joined to the line before.
_JOINED = regex.compile(r"(?<=[^\s*\-•|])\s*(?:(?<!\*)\*(?!\*)|•|\s-)\s+(?=\S)")
_WORD = regex.compile(r"\p{L}{2}|\p{Nd}|\p{Han}")
# Emphasis, headings, code, escapes, and images that are named elsewhere.
_MARKUP = regex.compile(r"!\[\]\[\w+\]|[*_`#\\]")
_SIGN = regex.compile(r"\p{Nd}+|[\p{Lu}\p{Nd}]{2,}|[\w.]+@[\w.]+")
# Cosines below the first say nothing, and what signs that both have, or one alone has, add.
_LEAST, _SHARED, _ALONE = 0.3, 0.25, -0.15


def absent_lines(source: Sequence[Line], target: Sequence[Line], least: float = _LEAST) -> list[int]:
    """Return the places of the source's lines of which no part has a counterpart in the translation, ascending.

    Parts of lines, sentences and joined list items, are paired in order, one with one, so that their likeness in total
    is largest: the cosine of their vectors above `least`, and the numbers and words in capitals that they share.
    """
    here = [(place, part) for place, line in enumerate(source) for part in _parts(line.text)]
    there = [part for line in target for part in _parts(line.text)]
    worded = sorted({place for place, _ in here})
    if not here or not there:
        return worded
    likeness = _likeness([part for _, part in here], there, least)
    present = {here[row][0] for row in _paired_rows(likeness)}
    return [place for place in worded if place not in present]


def _parts(text: str) -> list[str]:
    pieces = (part for piece in _JOINED.split(text) for part in sentences(piece))
    return [plain for part in pieces if _WORD.search(plain := _MARKUP.sub("", part).strip())]


def _likeness(here: Sequence[str], there: Sequence[str], least: float) -> NDArray[np.float32]:
    """Return what pairing each part with each is worth, 0 where it is worth nothing."""
    vectors = sentence_encoder.encode([*here, *there])
    cosines = vectors[: len(here)] @ vectors[len(here) :].T
    signs = [[frozenset(_SIGN.findall(part)) for part in side] for side in (here, there)]
    worth = np.round(cosines, 4) - np.float32(least)
    for row, one in enumerate(signs[0]):
        for column, other in enumerate(signs[1]):
            if one or other:
                worth[row, column] += _SHARED if one & other else _ALONE
    return np.maximum(worth, 0).astype(np.float32)


def _paired_rows(worth: NDArray[np.float32]) -> list[int]:
    """Return the rows that the best pairing in order pairs: the largest sum of cells, rows and columns ascending."""
    rows, columns = worth.shape
    best = np.zeros((rows + 1, columns + 1), dtype=np.float32)
    for row in range(rows):
        diagonal = best[row, :-1] + worth[row]
        best[row + 1, 1:] = np.maximum.accumulate(np.maximum(best[row, 1:], diagonal))
    paired: list[int] = []
    row, column = rows, columns
    while row and column:
        if best[row, column] == best[row - 1, column]:
            row -= 1
        elif best[row, column] == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            paired.append(row)
    return paired[::-1]
