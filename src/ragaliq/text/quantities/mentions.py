"""What a text states, mention by mention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import regex

# Stands in the place of what has been read; it is neither letter, digit nor blank.
READ = "\ufffc"


class Strictness(IntEnum):
    """How much a mention asks of the other text.

    `DEMANDED` must stand there. `SPELLED`, a number or time in words, must not be contradicted by another one there.
    `ALLOWED` may stand for a mention there, and asks nothing: "one" is often an article.
    """

    DEMANDED = 0
    SPELLED = 1
    ALLOWED = 2


@dataclass(frozen=True, slots=True)
class Quantity:
    """One value in the form that is compared.

    `kind` is `number` (`1450`, `2.5`), `time` (`16:30`), `date` (`11-15`, month and day), `month`, `weekday` (both from
    1) or `name` (an address, link or code). `unit` is that of a number, "" if none is known.
    """

    kind: str
    value: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of text with the ways it can be read, the likeliest first; each reading states one or more values."""

    text: str
    readings: tuple[tuple[Quantity, ...], ...]
    strictness: Strictness = Strictness.DEMANDED


class Scan:
    """A text that is read piece by piece: what one pattern has taken, the next does not see."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: list[tuple[int, Mention]] = []

    def take(self, pattern: regex.Pattern[str], read: Callable[[regex.Match[str]], Sequence[Mention]]) -> None:
        """Read all matches of a pattern; those that give no mention stay for other patterns."""

        def note(match: regex.Match[str]) -> str:
            mentions = read(match)
            self.add(match.start(), *mentions)
            return READ * len(match[0]) if mentions else match[0]

        self.text = pattern.sub(note, self.text)

    def add(self, place: int, *mentions: Mention) -> None:
        """Note mentions without taking their text."""
        self._found += [(place, mention) for mention in mentions]

    def mentions(self) -> tuple[Mention, ...]:
        """Return what was found, in reading order."""
        return tuple(mention for _, mention in sorted(self._found, key=lambda pair: pair[0]))


def mention(
    text: str, *readings: Quantity | tuple[Quantity, ...], strictness: Strictness = Strictness.DEMANDED
) -> Mention:
    """Return a mention with its readings; a lone quantity is a reading by itself, a repeated reading counts once."""
    tuples = [reading if isinstance(reading, tuple) else (reading,) for reading in readings]
    return Mention(text.strip(), tuple(dict.fromkeys(tuples)), strictness)
