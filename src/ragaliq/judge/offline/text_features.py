"""One text, folded and cut into terms once, with all that is compared between texts."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

import regex

from ragaliq.text.addresses import addresses, codes
from ragaliq.text.numbers import with_digits
from ragaliq.text.polarity import answer_word, function_words, hedges, negations
from ragaliq.text.quantities.decimals import decimals_in_digits, without_vulgar_fractions
from ragaliq.text.quantities.restated import restated
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import UNSPACED, WORD, base_language, fold, word_ngrams, word_terms

# What chat models leave behind where their end-of-turn token was not understood.
_TURN = regex.compile(r"<\|[^<>|]{1,40}\|>|</?s>|<eos>|<(?:start|end)_of_turn>|\[/?INST\]")
_PLACEHOLDER = regex.compile(r"<[^<>\d@/]{2,40}>|\[[^\[\]\d@.:/]{4,60}\](?!\()|\bx{3,}\b|\.\.\.@|example\.(?:com|org)")
_SEGMENT = regex.compile(r"[,;:，、；：\n]|\s(?:and|or|und|oder|et|ou|y|o|и|или)\s|和|以及|或")
_NAME = regex.compile(r"[\p{Lu}][\p{L}\p{M}\p{N}]*")
_LATIN_WORD = regex.compile(r"[\p{Latin}\p{N}]++")
_SCRIPTS = tuple(
    regex.compile(rf"\p{{{name}}}")
    for name in ("Latin", "Cyrillic", "Han", "Arabic", "Devanagari", "Hangul", "Thai", "Hiragana", "Greek", "Hebrew")
)
# Longer texts are read up to here; an answer that long is no longer graded by its details.
_LONGEST = 6000
_FUNCTION_WEIGHT, _NUMBER_WEIGHT, _ADDRESS_WEIGHT = 0.1, 2.0, 4.0


@dataclass(frozen=True, slots=True)
class TextFeatures:
    """A text with its terms and their weights, its character n-grams, and its numbers, addresses and names.

    `folded` ends with the addresses, which `plain` leaves out. `tail` is the number of characters behind the first
    end-of-turn mark; nothing else of them is read.
    """

    body: str
    folded: str
    plain: str
    tail: int
    words: tuple[str, ...]
    terms: dict[str, float]
    bigrams: frozenset[tuple[str, str]]
    grams: frozenset[str]
    numbers: tuple[str, ...]
    addresses: tuple[str, ...]
    codes: tuple[str, ...]
    names: tuple[str, ...]
    scripts: tuple[float, ...]
    opening: int
    negations: int
    hedges: int
    sentences: int
    placeholder: bool


def read(text: str, lang: str) -> TextFeatures:
    """Read a text; a term's weight is least for function words, greater for long words, greatest for numbers."""
    kept, tail = body(text[:_LONGEST])
    return _read(kept, tail + max(0, len(text) - _LONGEST), _folded(kept, lang), lang)


def read_beside(text: str, reference: TextFeatures, lang: str) -> TextFeatures:
    """Read an answer, with the measures and dates that the reference states too as the reference writes them."""
    kept, tail = body(text[:_LONGEST])
    raw = restated(_folded(kept, lang), _folded(reference.body, lang), lang)
    return _read(kept, tail + max(0, len(text) - _LONGEST), raw, lang)


def _read(kept: str, tail: int, raw: str, lang: str) -> TextFeatures:
    exact = addresses(raw)
    # Two addresses of one house share most of their letters and are as wrong as any: each counts as one word.
    whole = tuple(address for address in exact if _is_exact(address))
    for address in whole:
        raw = raw.replace(address, " ")
    plain, numbers = with_digits(raw, lang)
    folded = " ".join([plain, *whole])
    words = (*WORD.findall(plain), *whole)
    weighted = [pair for word in words for pair in _terms(word, lang)]
    return TextFeatures(
        body=kept,
        folded=folded,
        plain=plain,
        tail=tail,
        words=words,
        terms=dict(weighted),
        bigrams=frozenset(itertools.pairwise(term for term, _ in weighted)),
        grams=frozenset().union(*(grams_of(word) for word in words)),
        numbers=tuple(numbers),
        addresses=exact,
        codes=codes(raw),
        names=tuple(name for name in _names(kept, lang) if not any(name in address for address in whole)),
        scripts=_scripts(folded),
        opening=answer_word(folded, lang),
        negations=negations(folded, lang),
        hedges=hedges(folded, lang),
        sentences=len(sentences(kept)),
        placeholder=bool(_PLACEHOLDER.search(kept)),
    )


def _folded(text: str, lang: str) -> str:
    return decimals_in_digits(fold(without_vulgar_fractions(text)), lang)


def segments(text: TextFeatures) -> list[tuple[str, ...]]:
    """Return the words of each part of a text, cut at commas and at "and", then each address as a part of its own."""
    parts = [tuple(WORD.findall(part)) for part in _SEGMENT.split(text.plain)]
    return [*(part for part in parts if part), *((word,) for word in text.words if _is_exact(word))]


@lru_cache(maxsize=65536)
def grams_of(word: str) -> frozenset[str]:
    """Return the character 3-grams of a folded word with its ends, 1-grams and 2-grams of an unspaced script.

    An address is its own only one.
    """
    return frozenset([word]) if _is_exact(word) else frozenset(word_ngrams(word, 3, 3))


def _is_exact(word: str) -> bool:
    """Return whether a word is an e-mail address or a link with a path; a host name may also be given in words."""
    return "@" in word or "/" in word


def body(text: str) -> tuple[str, int]:
    """Return the text before the first end-of-turn mark, and how many characters are left out.

    A text that begins with marks has the part behind them.
    """
    if "<" not in text and "[" not in text:
        return text.strip(), 0
    parts = _TURN.split(text)
    first = next((part for part in parts if part.strip()), "")
    return first.strip(), max(0, len(text) - len(first)) if len(parts) > 1 else 0


@lru_cache(maxsize=65536)
def _terms(word: str, lang: str) -> tuple[tuple[str, float], ...]:
    if _is_exact(word):
        return ((word, _ADDRESS_WEIGHT),)
    if word in function_words(lang) or word in function_words("en"):
        return tuple((term, _FUNCTION_WEIGHT) for term in word_terms(word, lang))
    return tuple((term, _weight(term)) for term in word_terms(word, lang))


def _weight(term: str) -> float:
    if any(char.isdigit() for char in term):
        return _NUMBER_WEIGHT
    if UNSPACED.match(term):
        return 1.0 if len(term) > 1 else 0.3
    return min(1.5, 0.2 * len(term))


def _names(text: str, lang: str) -> tuple[str, ...]:
    """Return the folded words that look like names: capitals inside a sentence, Latin words in another script."""
    if UNSPACED.search(text) or not _NAME.search(text):
        latin = [fold(word) for word in _LATIN_WORD.findall(text) if any(map(str.isalpha, word))]
        return tuple(dict.fromkeys(latin))
    german = base_language(lang) == "de"
    names = []
    for match in _NAME.finditer(text):
        word = match.group()
        inside = any(char.isupper() or char.isdigit() for char in word[1:])
        before = text[: match.start()].rstrip()
        opens = not before or before[-1] in ".!?…:\n\"'«“„(*-"
        if inside or (not german and not opens):
            names.append(fold(word))
    return tuple(dict.fromkeys(names))


def _scripts(folded: str) -> tuple[float, ...]:
    if folded.isascii():
        counts = [sum(map(str.isalpha, folded)), *[0] * (len(_SCRIPTS) - 1)]
    else:
        counts = [len(script.findall(folded)) for script in _SCRIPTS]
    total = sum(counts)
    return tuple(count / total if total else 0.0 for count in counts)
