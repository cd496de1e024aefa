"""A text left untranslated, in a third language, with an item of a list dropped, or with a broken link."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from fault import Fault, aligned, replaced

from ragaliq.types.translation import TranslationPair

_LINK = re.compile(
    r"https?://[^\s，。；）]+|[\w.+-]+@[A-Za-z.-]+[A-Za-z]|`[^`\n]+`|(?<![\w-])[A-Z]-\d+(?![\w-])", re.ASCII
)
# Third languages, the nearest one first.
_NEAR = {
    "en": ("fr", "es", "ru", "zh"),
    "de": ("fr", "es", "ru", "zh"),
    "fr": ("es", "de", "ru", "zh"),
    "es": ("fr", "de", "ru", "zh"),
    "ru": ("de", "es", "fr", "zh"),
    "zh": ("ru", "de", "fr", "es"),
}


def item_faults(pair: TranslationPair, rng: random.Random) -> Iterator[Fault]:
    """Yield the target without one item of its list, or one row of its table; never a table's head."""
    del rng
    lines = pair.target.split("\n")
    for place, line in enumerate(lines):
        row = place > 1 and line.startswith("| ")
        if line.startswith("- ") or row:
            yield Fault("item", "row" if row else "item", "\n".join(lines[:place] + lines[place + 1 :]))


def untranslated_faults(pair: TranslationPair, rng: random.Random) -> Iterator[Fault]:
    """Yield the target with the source's text, or with one sentence or line of it."""
    del rng
    pieces = aligned(pair.source, pair.target)
    if len(pieces) == 1 and _worded(pair.source):
        yield Fault("untranslated", "whole", pair.source)
    for source, target in pieces if len(pieces) > 1 else ():
        if _worded(source.text) and source.text != target.text:
            yield Fault("untranslated", "sentence", replaced(pair.target, target.start, target.end, source.text))


def language_faults(pair: TranslationPair, thirds: dict[str, str], rng: random.Random) -> Iterator[Fault]:
    """Yield the target, or one sentence or line of it, in a third language.

    `thirds`: the record's text by language. Half of the faults are in the nearest language.
    """
    near = [lang for lang in _NEAR[pair.lang] if lang != pair.source_lang]
    third = near[0] if rng.random() < 0.5 else rng.choice(near[1:])
    if _worded(thirds[third]):
        yield Fault("language", f"whole {third}", thirds[third])
    pieces = aligned(thirds[third], pair.target)
    for other, target in pieces if len(pieces) > 1 else ():
        if _worded(other.text):
            yield Fault("language", f"sentence {third}", replaced(pair.target, target.start, target.end, other.text))


def link_faults(pair: TranslationPair, rng: random.Random) -> Iterator[Fault]:
    """Yield the target with one URL, e-mail, code span or room code broken that the source has."""
    for match in _LINK.finditer(pair.target):
        if match[0] in pair.source:
            form, broken = _broken(match[0], pair.lang, rng)
            yield Fault("link", form, replaced(pair.target, *match.span(), broken))


def _broken(link: str, lang: str, rng: random.Random) -> tuple[str, str]:
    inside = [place for place in range(2, len(link) - 2) if link[place].isalpha() and link[place] != link[place + 1]]
    if link.startswith("`"):
        # An option in another script or case, quotes for back-ticks, a changed word.
        changes = [
            link.replace("--days", "--day"),
            link.replace("--room", "—room"),
            f"«{link[1:-1]}»" if lang != "en" else f'"{link[1:-1]}"',
            replaced(link, 4, 5, ""),
            link.replace("vm-", "VM-"),
        ]
        return "code", rng.choice(changes)
    if "@" in link or link.startswith("http"):
        form = "e-mail" if "@" in link else "URL"
        place = rng.choice(inside)
        changes = [
            link.replace(".example", ".com"),
            replaced(link, place, place + 1, ""),
            link.replace("velmora", "velmara"),
            link.replace("@", " @ ") if form == "e-mail" else link.replace("page=", "seite="),
            link.replace("://", "：//") if lang == "zh" and form == "URL" else link.replace("brannick", "branik"),
            link[:place] + link[place + 1] + link[place] + link[place + 2 :],
        ]
        return form, rng.choice([change for change in changes if change != link])
    letter, _, number = link.partition("-")
    other = rng.choice([sign for sign in "BHKQTW" if sign != letter])
    return "room code", rng.choice([f"{other}-{number}", f"{letter}-{int(number) + 1}", f"{letter}{number[::-1]}"])


def _worded(text: str) -> bool:
    """Whether a text is more than names, numbers and links: three words in lower case, or six Chinese characters."""
    plain = _LINK.sub("", text)
    words = re.findall(r"(?<!\w)[^\W\d_A-ZА-Я][^\W\d_]+", plain)
    return len(words) >= 3 or len(re.findall(r"[\u4e00-\u9fff]", plain)) >= 6
