"""A synthetic parallel corpus of any size: texts of drawn words by Zipf's law, in three scripts, the same by seed.

A chunk is a sequence of concepts; a language writes each concept in its own letters: Latin with spaces, Cyrillic with
spaces, Han without. So the chunks of a number are parallel, and their index terms grow as those of text do: frequent
words come again and again, and new ones never end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import Side
from ragaliq.types import Chunk, Query

LANGS = ("en", "ru", "zh")
DIMENSIONS = 384
# Concepts that there are, the exponent of their frequencies, and concepts of a chunk and of a query.
_CONCEPTS, _EXPONENT, _LENGTH, _ASKED = 300_000, 1.07, 70, 7
_BLOCK = 10_000
_LETTERS = {"en": "etaoinshrdlucmfwygpbvk", "ru": "оеаинтсрвлкмдпуяыьгзбч"}
_HAN = 0x4E00, 3_000


def chunks(lang: str, n: int) -> Iterator[Chunk]:
    """Yield `n` chunks of a language."""
    write = _writer(lang)
    for start in range(0, n, _BLOCK):
        for place, concepts in enumerate(_drawn(start, min(_BLOCK, n - start)), start):
            text = write(concepts.tolist())
            yield Chunk(f"d{place:08}", lang, text, "drawn", 0, len(text))


def queries(lang: str, n: int, count: int) -> list[Query]:
    """Return queries, each of some concepts of one chunk of `n`, frequent ones among them as in people's questions."""
    write, rng = _writer(lang), np.random.default_rng(7)
    asked = []
    for number in range(count):
        start = int(rng.integers(0, max(1, n // _BLOCK))) * _BLOCK
        size = min(_BLOCK, n - start)
        concepts = np.unique(_drawn(start, size)[int(rng.integers(0, size))])
        some = rng.choice(concepts, min(_ASKED, len(concepts)), replace=False)
        asked.append(Query(f"q{number}", lang, write(sorted(some.tolist()))))
    return asked


class DrawnEmbedder:
    """Vectors of unit length, drawn by the texts that are embedded together: a search reads as many numbers as ever."""

    def __str__(self) -> str:
        return f"drawn vectors of {DIMENSIONS} dimensions"

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one vector for each text."""
        seed = int.from_bytes(hashlib.sha256("\0".join((str(side), *texts[:9])).encode()).digest()[:8], "big")
        rows = np.random.default_rng(seed).standard_normal((len(texts), DIMENSIONS), dtype=np.float32)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def _drawn(start: int, n: int) -> NDArray[np.int64]:
    """Return the concepts of the chunks from a number on, a row for each; the least number is the most frequent."""
    rng = np.random.default_rng(start)
    weights = 1.0 / np.arange(1, _CONCEPTS + 1) ** _EXPONENT
    drawn: NDArray[np.int64] = np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random((n, _LENGTH)))
    return np.minimum(drawn, _CONCEPTS - 1)


class _writer:
    """Writes concepts in a language, the same letters for the same concept."""

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self._words: dict[int, str] = {}

    def __call__(self, concepts: Sequence[int]) -> str:
        """Return the text."""
        return ("" if self._lang == "zh" else " ").join(map(self._word, concepts))

    def _word(self, concept: int) -> str:
        if concept not in self._words:
            first, count = _HAN
            letters = _LETTERS.get(self._lang)
            digits, rest = [], concept + 1
            while rest:
                rest, digit = divmod(rest, len(letters) if letters else count)
                digits.append(digit)
            # At least two letters, so that most concepts are words of usual length.
            word = "".join(letters[d] for d in (*digits, *([3] if len(digits) < 2 else []))) if letters else ""
            self._words[concept] = word or "".join(chr(first + d) for d in digits)
        return self._words[concept]
