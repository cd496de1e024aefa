"""Writing findings: a pair's place, and texts as they are quoted."""

from __future__ import annotations

from collections.abc import Iterable

from ragaliq.types import Severity, TranslationFinding, TranslationPair

# Enough to find a line again; a message stays one line.
_LONGEST = 300


def finding_of(pair: TranslationPair, kind: str, severity: Severity, message: str) -> TranslationFinding:
    """Return a finding on a pair."""
    return TranslationFinding(pair.lang, pair.record, pair.id, kind, severity, message)


def quoted(texts: Iterable[str]) -> str:
    """Return texts in quotes, each on one line and cut where it is very long, with commas between them."""
    return ", ".join(f"'{_shortened(text)}'" for text in texts)


def _shortened(text: str) -> str:
    """Return a text on one line, cut where it is very long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
