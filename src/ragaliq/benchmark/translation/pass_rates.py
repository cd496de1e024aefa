"""How many texts of each language pass the checks of their translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragaliq.metrics.statistics.intervals import Interval, share_interval
from ragaliq.types import Severity, TranslationFinding, TranslationPair


@dataclass(frozen=True, slots=True)
class PassRate:
    """The texts of one target language.

    Attributes:
        lang: the language.
        n: texts, those without a counterpart included.
        passed: texts without an error, of `n`; `interval` is the 95 % Wilson interval of their share, None for n = 0.
        warned: texts with a warning and no error.
        errors: findings that are errors, by kind.
        warnings: findings that are warnings, by kind.
    """

    lang: str
    n: int
    passed: int
    interval: Interval | None
    warned: int
    errors: Counter[str]
    warnings: Counter[str]


def translation_pass_rates(
    pairs: Iterable[TranslationPair], findings: Sequence[TranslationFinding], languages: Sequence[str]
) -> list[PassRate]:
    """Return the pass rate of each language, in their order."""
    texts = [(pair.lang, pair.record, pair.id) for pair in pairs]
    return [_rate(lang, {key for key in texts if key[0] == lang}, findings) for lang in languages]


def _rate(lang: str, texts: set[tuple[str, str, str]], findings: Sequence[TranslationFinding]) -> PassRate:
    own = [finding for finding in findings if finding.lang == lang]
    at = {
        severity: {(lang, finding.record, finding.id) for finding in own if finding.severity is severity}
        for severity in (Severity.ERROR, Severity.WARNING)
    }
    n = len(texts | at[Severity.ERROR])
    passed = n - len(at[Severity.ERROR])
    counts = [Counter(finding.kind for finding in own if finding.severity is severity) for severity in at]
    interval = share_interval(passed, n) if n else None
    return PassRate(lang, n, passed, interval, len(at[Severity.WARNING] - at[Severity.ERROR]), counts[0], counts[1])
