"""How the translations of a benchmark render its names, learned from the pairs themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from ragaliq.benchmark.translation.spelling import spells, transliterated
from ragaliq.text.addresses import without_addresses
from ragaliq.text.polarity import function_words
from ragaliq.text.terms import char_runs, pieces, word_terms, words

# Most renderings of a name that are learned one after the other.
_STEPS = 4
# Units nearly as much associated as the best one render the name as well: which of them does is not known.
_TIED = 0.9
# A further rendering: least uses together with the name, and their least share of all its uses.
_FURTHER, _OWN = 3, 0.5
# Where the words of a foreign name meet in Chinese and Japanese.
_DOTTED = regex.compile(r"([\p{Han}\p{Katakana}ー]{2})[·•・‧]([\p{Han}\p{Katakana}ー]{2})")
# The share of uses in which a name or unit that is learned by association is not what it seemed, at least.
_LEARNED = 0.3
# Character n-grams of an unspaced script.
_SHORTEST, _LONGEST = 2, 4


@dataclass(frozen=True, slots=True)
class NamedGroup:
    """Sentences that belong together: the pair they are of, the names of one side, the units of the other."""

    pair: int
    names: Counter[str]
    units: Counter[str]


class Lexicon:
    """Which units (see `units`) render which names, by counts over groups of sentences.

    A name is lost in a group where none of its renderings is as frequent as the name; a unit is extra where it
    is more frequent than every name that it renders. The chances below leave out the groups of one pair, so that a
    fault does not vouch for itself.
    """

    def __init__(self, groups: Sequence[NamedGroup], doubtful: frozenset[int] = frozenset()) -> None:
        groups = [group for group in groups if group.pair not in doubtful]
        self._groups = groups
        self._of_name = _postings(groups, lambda group: group.names)
        self._of_unit = _postings(groups, lambda group: group.units)
        self.renderings: Mapping[str, frozenset[str]] = self._own({name: self._learned(name) for name in self._of_name})
        self._rendered: dict[str, set[str]] = defaultdict(set)
        for name, renderings in self.renderings.items():
            for unit in renderings:
                self._rendered[unit].add(name)
        self._unspelled = self._share_unspelled()
        spelled = {
            (name, unit) for name, renderings in self.renderings.items() for unit in renderings if spells(unit, name)
        }
        self._losses = _Events(
            (
                (group.pair, name, self.loses(name, group))
                for group in groups
                for name in group.names
                if self.renderings[name]
            ),
            {name for name, _ in spelled},
        )
        self._extras = _Events(
            (
                (group.pair, unit, self.is_extra(unit, group))
                for group in groups
                for unit in group.units
                if unit in self._rendered
            ),
            {unit for _, unit in spelled},
        )

    def loses(self, name: str, group: NamedGroup) -> bool:
        """Return whether a name of a group is lost in it.

        One that no other pair has is lost if nothing spells it and it is not there itself, however short, while
        a word beside it is spelled.
        """
        known = self.renderings.get(name)
        if known:
            return max(group.units[unit] for unit in known) < group.names[name]
        there = name in group.units or any(spells(unit, name) for unit in group.units)
        return self._is_new_beside_spelled(name, group) and not there

    def is_extra(self, unit: str, group: NamedGroup) -> bool:
        """Return whether a unit that renders a name is extra in a group."""
        return group.units[unit] > max((group.names[name] for name in self._rendered.get(unit, ())), default=0)

    def rendered(self, unit: str) -> frozenset[str]:
        """Return the names that a unit renders."""
        return frozenset(self._rendered.get(unit, ()))

    def loss(self, name: str, pair: int) -> float:
        """Return the chance that a name is lost in one more group, from all pairs but one."""
        return self._losses.chance(name, pair) if self.renderings.get(name) else self._unspelled

    def extra(self, unit: str, pair: int) -> float:
        """Return the chance that a unit is extra in one more group, from all pairs but one."""
        return self._extras.chance(unit, pair)

    def _is_new_beside_spelled(self, name: str, group: NamedGroup) -> bool:
        """Return whether one pair alone has a word, in a row of names of which another word is spelled there."""
        if " " in name or any(self._groups[place].pair != group.pair for place in self._of_name.get(name, ())):
            return False
        beside = {word for row in group.names if name in row.split() for word in row.split()} - {name}
        return any(spells(unit, word) for word in beside for unit in group.units)

    def _share_unspelled(self) -> float:
        """Return the share of new names beside spelled ones that are not spelled, short ones that stay among them."""
        new = [
            (name, group) for group in self._groups for name in group.names if self._is_new_beside_spelled(name, group)
        ]
        times = sum(not any(spells(unit, name) for unit in group.units) for name, group in new)
        return (times + _LEARNED) / (len(new) + 1)

    def _learned(self, name: str) -> dict[str, float]:
        """Return the units that spell a name if half of its groups have one, else the most associated ones.

        These are found by greedy cover: the best ones by Dice coefficient, then those of the groups without them. Each
        unit has its coefficient, 1 if it spells the name.
        """
        spelled = self._spelled_alike(name)
        uses = self._of_name[name]
        covered = sum(not spelled.isdisjoint(self._groups[place].units) for place in uses)
        if 2 * covered >= len(uses):
            return dict.fromkeys(spelled, 1.0)
        left, chosen = uses, dict[str, float]()
        for step in range(_STEPS):
            scores = self._associated(left, first=not step)
            best = max(scores.values(), default=0.0)
            chosen |= {unit: score for unit, score in scores.items() if score >= _TIED * best}
            left = [place for place in left if chosen.keys().isdisjoint(self._groups[place].units)]
            if not left or not scores:
                break
        # All parts of a name of several words come together; where they meet, a change of either shows.
        dotted = {unit: score for unit, score in chosen.items() if "·" in unit}
        return dotted if dotted and " " in name else chosen

    def _associated(self, places: list[int], first: bool) -> dict[str, float]:
        """Return the Dice coefficients of the units that occur in two groups or more."""
        counts = Counter(unit for place in places for unit in self._groups[place].units)
        return {
            unit: 2 * count / (len(places) + len(self._of_unit[unit]))
            for unit, count in counts.items()
            if count > 1 and (first or count >= max(_FURTHER, _OWN * len(self._of_unit[unit])))
        }

    def _spelled_alike(self, name: str) -> frozenset[str]:
        """Return the units of a name's groups that spell it."""
        groups = (self._groups[place] for place in self._of_name[name])
        return frozenset(unit for group in groups for unit in group.units if spells(unit, name))

    def _own(self, learned: Mapping[str, Mapping[str, float]]) -> dict[str, frozenset[str]]:
        """Leave out a unit that is another name's rather than this one's, if the name has more of them."""
        best: dict[str, float] = {}
        for scores in learned.values():
            for unit, score in scores.items():
                best[unit] = max(best.get(unit, 0.0), score)
        return {
            name: frozenset(unit for unit, score in scores.items() if score >= best[unit]) or frozenset(scores)
            for name, scores in learned.items()
        }


class _Events:
    """How often something happened to a key in all pairs but one.

    A key with few uses is judged by all keys of its sort: its chance is that of one use more, with their share of
    events. `spelled` are the keys of names that are spelled; the others are learned from few uses, some by chance, and
    their share counts as `_LEARNED` at least.
    """

    def __init__(self, events: Iterable[tuple[int, str, bool]], spelled: Container[str]) -> None:
        self._uses, self._happened = Counter[str](), Counter[str]()
        self._of_pair: dict[tuple[int, str], tuple[int, int]] = {}
        self._spelled = spelled
        of_sort = {False: [0, 0], True: [0, 0]}
        for pair, key, happened in events:
            self._uses[key] += 1
            self._happened[key] += happened
            uses, times = self._of_pair.get((pair, key), (0, 0))
            self._of_pair[pair, key] = uses + 1, times + happened
            of_sort[key in spelled][0] += 1
            of_sort[key in spelled][1] += happened
        shares = {sort: (times + 0.5) / (uses + 1) for sort, (uses, times) in of_sort.items()}
        self._share = {True: shares[True], False: max(shares[False], _LEARNED)}

    def chance(self, key: str, pair: int) -> float:
        uses, happened = self._of_pair.get((pair, key), (0, 0))
        return (self._happened[key] - happened + self._share[key in self._spelled]) / (self._uses[key] - uses + 1)


def units(text: str, lang: str) -> Counter[str]:
    """Return what can render a name, with counts.

    These are stems of words, alone and two in a row; of unspaced scripts n-grams, runs that write foreign names, and
    `ab·cd` where two words of such a name meet. Function words, numbers, addresses and code are left out.
    """
    return Counter(_units(without_addresses(text, "`"), lang))


def _units(text: str, lang: str) -> Iterator[str]:
    yield from (run for run in transliterated(text) if len(run) > _LONGEST)
    yield from (f"{match[1]}·{match[2]}" for match in _DOTTED.finditer(text, overlapped=True))
    known, before = function_words(lang), ""
    for word in words(text):
        for piece, unspaced in pieces(word) if word not in known else ():
            if unspaced:
                yield from char_runs(piece, _SHORTEST, _LONGEST)
                before = ""
                continue
            if piece.isdigit():
                continue
            stem = word_terms(piece, lang)[0]
            yield stem
            if before:
                yield f"{before} {stem}"
            before = stem


def _postings(groups: Sequence[NamedGroup], keys: Callable[[NamedGroup], Iterable[str]]) -> dict[str, list[int]]:
    postings: dict[str, list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        for key in keys(group):
            postings[key].append(place)
    return postings
