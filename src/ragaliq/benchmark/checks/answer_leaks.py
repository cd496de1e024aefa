"""Questions that give their own answer away."""

from __future__ import annotations

from collections.abc import Iterator

from ragaliq.benchmark.located import LocatedRows
from ragaliq.text.quantities.extract import comparable, quantities
from ragaliq.text.quantities.mentions import Mention
from ragaliq.text.terms import UNSPACED, reading_length, words
from ragaliq.types import Item

# These questions name what the answer chooses from, or refuses.
_NAMING = ("false-premise", "comparative")
# Letters; a longer answer says more than its numbers.
_SHORT = 60
_COUNTED = ("number", "time", "date")


def leak_findings(language: LocatedRows) -> Iterator[str]:
    """Yield the answerable queries whose text contains the answer; see `leaked`."""
    for query_id, (item, where) in language.items.items():
        how = leaked(item) if item.answerable else ""
        if how:
            yield f"{where}: the question of '{query_id}' {how}"


def leaked(item: Item) -> str:
    """Return how the text of a query contains its answer; empty if it does not.

    It contains the reference word for word. Unless the type is in `_NAMING`, an alias word for word counts too, and so
    does every number, time and date of a reference or alias of at most `_SHORT` letters that states any.
    """
    if holds(item.query.text, item.reference):
        return "contains its own answer"
    return next(_shown(item, item.query.lang), "") if item.type not in _NAMING else ""


def holds(question: str, answer: str) -> bool:
    """Return whether the words of an answer are in the question, one after the other; a single short word never is."""
    asked, wanted = words(question), words(answer)
    if len("".join(wanted)) < 4 and not any(UNSPACED.search(word) for word in wanted):
        return False
    spaced = " " + " ".join(asked) + " "
    return f" {' '.join(wanted)} " in spaced or (UNSPACED.search(answer) is not None and "".join(wanted) in spaced)


def _shown(item: Item, lang: str) -> Iterator[str]:
    for alias in item.aliases:
        if holds(item.query.text, alias):
            yield f"contains its own answer '{alias}'"
            return
    if not comparable(lang):
        return
    asked = _values(quantities(item.query.text, lang))
    for answer in (item.reference, *item.aliases):
        if answer and reading_length(answer) <= _SHORT and asked:
            wanted = _values([each for each in quantities(answer, lang) if not each.strictness])
            if wanted and wanted <= asked:
                yield f"states every number of its answer '{answer}'"
                return


def _values(mentions: tuple[Mention, ...] | list[Mention]) -> set[tuple[str, str]]:
    """Return the numbers, times and dates, each once, in their likeliest readings."""
    atoms = {(atom.kind, atom.value) for each in mentions for atom in each.readings[0]}
    return {atom for atom in atoms if atom[0] in _COUNTED}
