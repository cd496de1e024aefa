"""Translations that belong to another text: swapped and shifted ones, and texts on another topic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragaliq.benchmark.translation.alignment import aligned
from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.text.sentence_encoder import encode, knows
from ragaliq.text.terms import reading_length
from ragaliq.types import RecordKind, Severity, TranslationFinding, TranslationPair

# How much closer another source must be. Of XQuAD's 2,620 human translations per language, at most 1 has such an error.
_ERROR_LEAD, _WARNING_LEAD = 0.25, 0.15
# Of fewer letters the vector tells little: no error, and a warning only for such a lead.
_SHORT, _SHORT_LEAD = 30, 0.4
# Below this cosine two texts of some length have no topic in common.
_UNRELATED = 0.2
# Translations that are compared with all sources at once.
_BLOCK = 1024


def meaning_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield a finding for each pair of one target language that translates another text of its kind.

    Of chunks the sentences are compared, in the groups of `aligned`, of other records the whole texts. Closeness is the
    cosine of the embedded multilingual encoder: it tells topic, not truth. The lead of another source is its cosine
    with a translation minus that of the translation's own source. A lead of 0.25 in another pair is an error; a warning
    is one of 0.15, one in the same pair, or a cosine below 0.2 with the own source. Texts of less than 30 letters have
    warnings at most, from a lead of 0.4. Languages that the encoder does not know have no findings.
    """
    if not pairs or not (knows(pairs[0].source_lang) and knows(pairs[0].lang)):
        return
    units: dict[RecordKind, list[_Unit]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        units[pair.record] += _units(place, pair)
    worst: dict[int, _Match] = {}
    for same_kind in units.values():
        for match in _matches(same_kind):
            known = worst.get(match.pair)
            if known is None or (match.severity, -match.lead) < (known.severity, -known.lead):
                worst[match.pair] = match
    for place, match in sorted(worst.items()):
        pair, nearest = pairs[place], pairs[match.nearest].id
        message = f"closer to the source of {nearest} ({match.lead:+.2f})" if match.lead else "another topic"
        yield finding_of(pair, "meaning", match.severity, f"translation is {message}: {quoted([match.text])}")


@dataclass(frozen=True, slots=True)
class _Unit:
    """Sentences that belong together, and the place of their pair."""

    pair: int
    source: str
    target: str


def _units(place: int, pair: TranslationPair) -> list[_Unit]:
    if pair.record is not RecordKind.CHUNK:
        return [_Unit(place, pair.source, pair.target)]
    groups = [group for group in aligned(pair.source, pair.target) if group.source and group.target]
    return [_Unit(place, "\n".join(group.source), "\n".join(group.target)) for group in groups]


@dataclass(frozen=True, slots=True)
class _Match:
    """A translated text of a pair, the pair whose source is nearest and its lead, 0 where none is near."""

    pair: int
    nearest: int
    lead: float
    severity: Severity
    text: str


def _matches(units: list[_Unit]) -> Iterator[_Match]:
    sources = encode([unit.source for unit in units])
    for start in range(0, len(units), _BLOCK):
        block = units[start : start + _BLOCK]
        targets = encode([unit.target for unit in block])
        own = np.einsum("ij,ij->i", targets, sources[start : start + _BLOCK])
        cosines: NDArray[np.float32] = targets @ sources.T
        best = cosines.argmax(axis=1)
        for unit, place, mine, highest in zip(
            block, best.tolist(), own.tolist(), cosines.max(axis=1).tolist(), strict=True
        ):
            match = _judged(unit, units[place].pair, mine, round(highest - mine, 2))
            if match:
                yield match


def _judged(unit: _Unit, nearest: int, own: float, lead: float) -> _Match | None:
    short = min(reading_length(unit.source), reading_length(unit.target)) < _SHORT
    if lead >= (_SHORT_LEAD if short else _WARNING_LEAD):
        sure = lead >= _ERROR_LEAD and not short and nearest != unit.pair
        return _Match(unit.pair, nearest, lead, Severity.ERROR if sure else Severity.WARNING, unit.target)
    if own < _UNRELATED and not short:
        return _Match(unit.pair, nearest, 0.0, Severity.WARNING, unit.target)
    return None
