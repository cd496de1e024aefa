"""Numbers in the words of alphabetic languages, and other words that stand for a number."""

from __future__ import annotations

from functools import cache

import regex

from ragaliq.text.numbers import JOINERS, sum_words
from ragaliq.text.quantities.mentions import Mention, Quantity, Scan, Strictness, mention
from ragaliq.text.quantities.words import firm_words, idioms, scale_at, spelled_numbers, unit_at
from ragaliq.text.terms import WORD, fold

# "dreitägig", "двухместный": a longer word that begins with a number.
_COMPOUNDING = ("de", "ru")
_SHORTEST_STEM = 4
# "Louis XIV", "XIX век", "XIXe siècle"; a lone I is another word too often.
_ROMAN = regex.compile(
    r"(?<![\p{Latin}\p{N}])(?=[IVXLC]{2,}|[VX])(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?:er?|è[mr]e)?(?![\p{Latin}\p{N}])"
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def read_words(scan: Scan, lang: str) -> None:
    """Read runs of number words as one number each, then idioms; none of them is demanded."""
    for pattern, quantities in idioms(lang):
        for match in pattern.finditer(scan.text):
            scan.add(
                match.start(),
                *(mention(match[0], quantity, strictness=_idiom_strictness(quantity)) for quantity in quantities),
            )
    for match in _ROMAN.finditer(scan.text):
        scan.add(
            match.start(),
            mention(match[0], Quantity("number", str(_roman(match[0].rstrip("eèrm")))), strictness=Strictness.ALLOWED),
        )
    table, firm = spelled_numbers(lang), firm_words(lang)
    run: list[regex.Match[str]] = []
    words = list(WORD.finditer(scan.text))
    folded = [fold(match[0]) for match in words]
    for place, match in enumerate(words):
        if folded[place] in table:
            if run and not _joined(scan.text[run[-1].end() : match.start()], table, run, folded[place]):
                scan.add(run[0].start(), *_read(scan.text, run, table, firm))
                run = []
            run.append(match)
        elif lang == "de" and (number := _in_one_word(folded[place], table)):
            scan.add(match.start(), mention(match[0], Quantity("number", str(number)), strictness=Strictness.SPELLED))
        elif lang in _COMPOUNDING and (value := _beginning(folded[place], lang)) is not None:
            scan.add(match.start(), mention(match[0], Quantity("number", str(value)), strictness=Strictness.ALLOWED))
    if run:
        scan.add(run[0].start(), *_read(scan.text, run, table, firm))


def _in_one_word(word: str, table: dict[str, int], scales: tuple[int, ...] = (1000, 100)) -> int | None:
    """Return the value of a German number above 100, "sechshundertvierzig"; None if the word is none."""
    if not scales:
        return table.get(word)
    scale, *smaller = scales
    head, mark, tail = word.partition("tausend" if scale == 1000 else "hundert")
    if not mark:
        return _in_one_word(word, table, tuple(smaller))
    factor = _in_one_word(head, table, tuple(smaller)) if head else 1
    rest = _in_one_word(tail.removeprefix("und"), table, tuple(smaller)) if tail else 0
    return factor * scale + rest if factor is not None and rest is not None and factor < scale > rest else None


def _idiom_strictness(quantity: Quantity) -> Strictness:
    """Noon is not midnight; what stands for a number may stand for several."""
    return Strictness.SPELLED if quantity.kind == "time" else Strictness.ALLOWED


def _joined(gap: str, table: dict[str, int], run: list[regex.Match[str]], word: str) -> bool:
    """Return whether a number word goes on with the run before it: "one hundred and twenty", "treinta y cinco"."""
    before, value = table[fold(run[-1][0])], table[word]
    if not gap.strip(" -"):
        # "twenty-one", "three hundred", "hundred twenty", "soixante-quinze", "quatre-vingt-dix".
        least = 20 if value < 10 else 60 if value < 20 else 100
        dix = fold(run[-1][0]) == "dix" and 7 <= value <= 9
        vingt = len(run) > 1 and (table[fold(run[-2][0])], before) == (4, 20)
        return value >= 100 > before or 0 < value < before >= least or (before, value) == (4, 20) or vingt or dix
    # "Seventeen and an hour" is no eighteen.
    return gap.strip() in JOINERS and 0 < value < (before if before >= 100 else before // 2 if before >= 20 else 0)


def _read(text: str, run: list[regex.Match[str]], table: dict[str, int], firm: frozenset[str]) -> list[Mention]:
    folded = [fold(match[0]) for match in run]
    scale, end = scale_at(text, run[-1].end())
    value = int(sum_words([table[word] for word in folded]) * scale)
    unit, _ = unit_at(text, end)
    # "Two weeks" are "quinze jours" in French.
    pair = value == 2 and unit not in ("", "week")
    sure = pair or (value > 2 and firm & set(folded)) or (value > 20 and value % 10)
    strictness = Strictness.SPELLED if sure else Strictness.ALLOWED
    return [mention(text[run[0].start() : run[-1].end()], Quantity("number", str(value), unit), strictness=strictness)]


def _roman(written: str) -> int:
    values = [_ROMAN_VALUES[char] for char in written]
    return sum(
        -each if any(later > each for later in values[place + 1 :]) else each for place, each in enumerate(values)
    )


def _beginning(word: str, lang: str) -> int | None:
    """Return the value of the longest number word that a longer word begins with."""
    for length in range(len(word) - 1, _SHORTEST_STEM - 1, -1):
        value = _stems(lang).get(word[:length])
        if value is not None:
            return value
    return None


@cache
def _stems(lang: str) -> dict[str, int]:
    return {word: value for word, value in spelled_numbers(lang).items() if len(word) >= _SHORTEST_STEM}
