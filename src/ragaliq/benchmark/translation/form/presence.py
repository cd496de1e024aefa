"""Texts that have no translation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragaliq.benchmark.translation.finding import finding_of
from ragaliq.types import Severity, TranslationFinding, TranslationPair


def missing_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `missing` errors: one of the two texts is blank and the other is not."""
    for pair in pairs:
        blank = [not text.strip() for text in (pair.source, pair.target)]
        if blank[0] != blank[1]:
            message = "the translation is empty" if blank[1] else "the source is empty, the translation is not"
            yield finding_of(pair, "missing", Severity.ERROR, message)
