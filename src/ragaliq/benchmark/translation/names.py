"""Names that a translation exchanges or loses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ragaliq.benchmark.translation.alignment import aligned
from ragaliq.benchmark.translation.finding import finding_of
from ragaliq.benchmark.translation.lexicon import Lexicon, NamedGroup, units
from ragaliq.benchmark.translation.name_spans import NameSpans, has_capitals, writes_names
from ragaliq.types import Severity, TranslationFinding, TranslationPair

# How likely a sound translation may be to lose the name and to have the other's rendering, times the number of names:
# for an error, for a warning; and to do one of the two, for a warning. Chosen on XQuAD's human translations.
_ERROR_CHANCE, _WARNING_CHANCE, _ALONE_CHANCE = 0.1, 0.2, 0.06
# The same times the number of names again: in a long text any two of many names may seem exchanged.
_LONG_TEXT_CHANCE = 0.15
# A unit that is extra more often makes no error.
_OFTEN = 0.35
# Below it, a pair is left out when names are learned.
_DOUBTFUL_CHANCE = 0.5
# Names that share their first letters, as many as this, may be one.
_SAME_START = 4


def name_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield a finding for each pair of one target language in which a name is another one, or is not there.

    How names are rendered is learned from the pairs (see `Lexicon`). Names are read where capitals mark them: in the
    source, or in the translation if the source is German or its script has no capitals; between German and such a
    language, rows of capitalised words in German. An error is a name whose rendering is missing from a sentence that
    has that of another name instead; a warning is one of the two alone.
    """
    sides = _sides(pairs) if pairs else None
    if sides is None:
        return
    groups = [
        NamedGroup(place, sides.spans.names("\n".join(named)), units("\n".join(other), sides.lang))
        for place, pair in enumerate(pairs)
        for named, other in sides.groups(pair)
    ]
    of_pair: dict[int, list[NamedGroup]] = defaultdict(list)
    for group in groups:
        of_pair[group.pair].append(group)
    lexicon = Lexicon(groups, _doubtful(of_pair, Lexicon(groups)))
    for place, pair in enumerate(pairs):
        finding = _exchanged(of_pair[place], lexicon) or _alone(of_pair[place], lexicon)
        if finding:
            severity, name, unit = finding
            yield _finding(pair, severity, name, unit, lexicon, sides.reverse)


@dataclass(frozen=True, slots=True)
class _Sides:
    """Which side of a pair names are read on, and the language of the other."""

    reverse: bool
    spans: NameSpans
    lang: str

    def groups(self, pair: TranslationPair) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        for group in aligned(pair.source, pair.target):
            yield (group.target, group.source) if self.reverse else (group.source, group.target)


def _sides(pairs: Sequence[TranslationPair]) -> _Sides | None:
    """Return the side whose capitals tell names best, the source of two alike; None if neither language has any."""
    source_lang, lang = pairs[0].source_lang, pairs[0].lang
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    for tells in (writes_names, has_capitals):
        if tells(source_lang, sources):
            return _Sides(False, NameSpans(sources, source_lang), lang)
        if tells(lang, targets):
            return _Sides(True, NameSpans(targets, lang), source_lang)
    return None


def _doubtful(of_pair: Mapping[int, list[NamedGroup]], lexicon: Lexicon) -> frozenset[int]:
    """Return the pairs that seem to exchange a name, from which nothing should be learned.

    What several pairs exchange alike is how these names are translated.
    """
    best = {pair: min(_best(groups, lexicon), default=(1.0, "", "")) for pair, groups in of_pair.items()}
    alike = Counter(found[1:] for found in best.values() if found[0] <= _DOUBTFUL_CHANCE)
    return frozenset(pair for pair, found in best.items() if alike[found[1:]] == 1 and found[0] <= _DOUBTFUL_CHANCE)


def _exchanged(groups: list[NamedGroup], lexicon: Lexicon) -> tuple[Severity, str, str] | None:
    """Return the name and the unit in its place, the least likely ones, if unlikely enough."""
    best = min(_best(groups, lexicon), default=(1.0, "", ""))
    if best[0] > _WARNING_CHANCE:
        return None
    whole = _whole(groups)
    often = lexicon.extra(best[2], whole.pair) > _OFTEN
    sure = best[0] <= _ERROR_CHANCE and best[0] * len(whole.names) <= _LONG_TEXT_CHANCE and not often
    return (Severity.ERROR if sure else Severity.WARNING, best[1], best[2])


def _best(groups: list[NamedGroup], lexicon: Lexicon) -> Iterator[tuple[float, str, str]]:
    if not groups:
        return
    whole = _whole(groups)
    lost_in_all = {name: lexicon.loss(name, whole.pair) for name in whole.names if lexicon.loses(name, whole)}
    extra_in_all = {
        unit: lexicon.extra(unit, whole.pair)
        for unit in whole.units
        if lexicon.rendered(unit) and lexicon.is_extra(unit, whole)
    }
    for group in groups:
        lost = [name for name in group.names if name in lost_in_all and lexicon.loses(name, group)]
        extra = [unit for unit in group.units if unit in extra_in_all and lexicon.is_extra(unit, group)]
        for name, unit in product(lost, extra):
            if not any(_related(name, other) for other in lexicon.rendered(unit)):
                yield lost_in_all[name] * extra_in_all[unit] * len(whole.names), name, unit


def _whole(groups: list[NamedGroup]) -> NamedGroup:
    """Return the groups of a pair as one."""
    names, others = Counter[str](), Counter[str]()
    for group in groups:
        names.update(group.names)
        others.update(group.units)
    return NamedGroup(groups[0].pair if groups else -1, names, others)


def _related(name: str, other: str) -> bool:
    """Return whether two names may be forms of one, as China and Chinese: one word each, the same first letters."""
    return " " not in name and " " not in other and name[:_SAME_START] == other[:_SAME_START]


def _alone(groups: list[NamedGroup], lexicon: Lexicon) -> tuple[Severity, str, str] | None:
    best = _alone_score(groups, lexicon)
    return (Severity.WARNING, best[1], best[2]) if best[0] <= _ALONE_CHANCE else None


def _alone_score(groups: list[NamedGroup], lexicon: Lexicon) -> tuple[float, str, str]:
    """Return a name that is nowhere in the pair's other text, or a unit whose names are nowhere in this one."""
    here = frozenset(name for group in groups for name in group.names)
    there = frozenset(unit for group in groups for unit in group.units)
    best = (1.0, "", "")
    for group in groups:
        for name in group.names:
            if lexicon.loses(name, group) and lexicon.renderings.get(name, frozenset()).isdisjoint(there):
                best = min(best, (lexicon.loss(name, group.pair) * len(here), name, ""))
        for unit in group.units:
            names = lexicon.rendered(unit)
            if names and names.isdisjoint(here):
                best = min(best, (lexicon.extra(unit, group.pair) * max(1, len(here)), "", unit))
    return best


def _finding(
    pair: TranslationPair, severity: Severity, name: str, unit: str, lexicon: Lexicon, reverse: bool
) -> TranslationFinding:
    here, there = ("translation", "source") if reverse else ("source", "translation")
    parts = [f"{here} has '{name}'"] if name else []
    if unit:
        parts.append(f"{there} has '{unit}' ({', '.join(sorted(lexicon.rendered(unit))[:3])})")
    return finding_of(pair, "name", severity, ", ".join(parts))
