"""Which faults are planted: of each kind and language 40, of all forms, in records of all sorts and lengths."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from date_faults import date_faults
from entity_faults import entity_faults
from fault import KINDS, Fault
from negation_faults import negation_faults
from number_faults import number_faults
from sample_pairs import LANGS, Key, sample_pairs, texts
from text_faults import item_faults, language_faults, link_faults, untranslated_faults

from ragaliq.types.translation import TranslationPair

# Of the pairs of a call, at most this share is planted, so that what a check learns from the pairs is not spoilt.
_SHARE = 0.08


# The faults of a kind that a pair has places for.
Maker = Callable[[str, TranslationPair, random.Random], Iterator[Fault]]


@dataclass(frozen=True, slots=True)
class Case:
    """A pair with one planted fault; `place` is the pair's place among the language's pairs."""

    place: int
    kind: str
    form: str
    pair: TranslationPair


def planted(lang: str, n: int, seed: int) -> tuple[list[TranslationPair], list[Case]]:
    """Return a language's sound pairs, and `n` cases of each kind, fewer where it has fewer places."""
    pairs = sample_pairs(lang)
    thirds = {other: texts(other) for other in LANGS if other != lang}
    label = f"{seed} {lang}"
    return pairs, cases(pairs, KINDS, label, n, lambda kind, pair, rng: _faults(kind, pair, thirds, rng))


def cases(pairs: Sequence[TranslationPair], kinds: Iterable[str], label: str, n: int, faults_of: Maker) -> list[Case]:
    """Return `n` cases of each kind, fewer where it has fewer places; the draws of a kind depend on the label alone."""
    records = [pair.record for pair in pairs]
    made = []
    for kind in kinds:
        rng = random.Random(f"{label} {kind}")
        faults = [(place, fault) for place, pair in enumerate(pairs) for fault in faults_of(kind, pair, rng)]
        faults = [(place, fault) for place, fault in faults if fault.target != pairs[place].target]
        for place, fault in drawn(faults, records, n, rng):
            made.append(Case(place, kind, fault.form, replace(pairs[place], target=fault.target)))
    return made


def drawn(
    faults: Sequence[tuple[int, Fault]], records: Sequence[str], n: int, rng: random.Random
) -> list[tuple[int, Fault]]:
    """Return `n` faults: from every form and sort of record in turn, a record again only when all have one."""
    groups: dict[tuple[str, str], list[tuple[int, Fault]]] = defaultdict(list)
    for place, fault in rng.sample(faults, len(faults)):
        groups[fault.form, records[place]].append((place, fault))
    chosen: list[tuple[int, Fault]] = []
    used: set[int] = set()
    for again in (False, True):
        while len(chosen) < n:
            before = len(chosen)
            for key in sorted(groups):
                fresh = (at for at, (place, fault) in enumerate(groups[key]) if again or place not in used)
                at = next(fresh, None)
                if at is not None and len(chosen) < n:
                    chosen.append(groups[key].pop(at))
                    used.add(chosen[-1][0])
            if len(chosen) == before:
                break
    return chosen


def batches(n_pairs: int, cases: Sequence[Case]) -> list[list[Case]]:
    """Split the cases so that a batch changes a record once, and at most `_SHARE` of the records."""
    limit = max(1, int(n_pairs * _SHARE))
    split: list[list[Case]] = []
    for case in cases:
        fits = (batch for batch in split if len(batch) < limit and all(other.place != case.place for other in batch))
        batch = next(fits, None)
        if batch is None:
            split.append(batch := [])
        batch.append(case)
    return split


def _faults(
    kind: str,
    pair: TranslationPair,
    thirds: dict[str, dict[Key, str]],
    rng: random.Random,
) -> Iterator[Fault]:
    if kind == "language":
        yield from language_faults(pair, {lang: known[pair.record, pair.id] for lang, known in thirds.items()}, rng)
    else:
        yield from _MAKERS[kind](pair, rng)


_MAKERS = {
    "number": number_faults, "date": date_faults, "negation": negation_faults, "entity": entity_faults,
    "item": item_faults, "untranslated": untranslated_faults, "link": link_faults,
}  # fmt: skip
