"""Back-translation: how near a text comes to the source when its translation is translated back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragaliq.types import Severity, TranslationFinding, TranslationPair

_PERCENTILE = 5


@dataclass(frozen=True, slots=True)
class BackTranslation:
    """A pair whose translation was translated back, with the chrF of that against the source, 0..100."""

    pair: TranslationPair
    chrf: float


def back_translation(pair: TranslationPair, back: str) -> BackTranslation:
    """Return the chrF of a text that was translated back (Popović 2015, by sacrebleu's defaults)."""
    from sacrebleu.metrics.chrf import CHRF

    return BackTranslation(pair, round(CHRF().sentence_score(back, [pair.source]).score, 2))


def back_translation_findings(translations: Iterable[BackTranslation]) -> Iterator[TranslationFinding]:
    """Yield a hint for each pair whose chrF is below the 5th percentile of its language.

    A low chrF is a reason to look, nothing more: the way back has errors of its own.
    """
    by_lang: dict[str, list[BackTranslation]] = {}
    for one in translations:
        by_lang.setdefault(one.pair.lang, []).append(one)
    for lang, listed in sorted(by_lang.items()):
        least = percentile([one.chrf for one in listed], _PERCENTILE)
        for one in listed:
            if one.chrf < least:
                message = f"chrF {one.chrf:.1f} when translated back, below {least:.1f}, the 5th percentile of '{lang}'"
                yield TranslationFinding(lang, one.pair.record, one.pair.id, "back-translation", Severity.HINT, message)


def percentile(values: Sequence[float], percent: float) -> float:
    """Return a percentile of at least one value, between two values by linear interpolation."""
    import numpy as np

    return float(np.percentile(values, percent))
