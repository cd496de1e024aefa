"""Where a passage says something else than a sentence: another number, another name, the opposite."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import regex

from ragaliq.judge.checks.evidence import Context, Evidence, Piece, piece, split_clauses, words_held
from ragaliq.judge.checks.names import CAPITALISED, HAN_NAME, name_pairs, names
from ragaliq.text.polarity import function_words, negations
from ragaliq.text.quantities.extract import comparable, quantities
from ragaliq.text.quantities.mismatch import unmatched_mentions
from ragaliq.text.sentence_encoder import cosine
from ragaliq.text.terms import UNSPACED, base_language, fold, word_ngrams, word_terms

# Least agreement of a sentence with the one that it is compared with, in hundredths; below it they are on other topics.
_WORDS, _MEANING, _MEANING_ACROSS = 45, 50, 35
# Least share of the sentence's words that the passage's sentence holds; and, where the negation is in that one, of its
# closest clause's words that the sentence holds.
_DENIED, _DENYING = 0.5, 0.6
# Without spaces a word that differs also changes the pairs of characters at its two ends.
_DENIED_UNSPACED = 0.4
# Sentences with a smaller share of the words are on other topics; a number in them supports nothing.
_RELATED = 0.15
# Names this close in meaning may be two spellings of one.
_SAME_NAME = 0.65
_LONGEST_NAME = 3
_OPENING = ".!?…:\"'«“„(*-"
_TOKEN = regex.compile(rf"{HAN_NAME.pattern}|\p{{Han}}|(?:(?!\p{{Han}})[\p{{L}}\p{{M}}\p{{N}}])+")


def contradicts(text: str, passages: Context, evidence: Evidence) -> bool:
    """Return whether the sentence of the passages that is closest to `text` says otherwise.

    It does if it has another number, time, date or name in the place of one that no passage holds, or says the same
    words with a negation added or left out. Names and negations are compared within one language.
    """
    other = passages.sentences[evidence.closest]
    meaning = _MEANING_ACROSS if passages.foreign else _MEANING
    near = evidence.closest_words >= _WORDS or evidence.closest_cosine >= meaning
    if near and _other_number(text, passages, other):
        return True
    if base_language(other.lang) != base_language(passages.lang):
        return False
    return _denies(piece(text, passages.lang), other) or (passages.meaning and _other_name(text, passages, other))


def unknown(text: str, passages: Context) -> bool:
    """Return whether a sentence has a number or, in the passages' language, a name that no passage holds."""
    held = {number for one in passages.pieces for number in one.numbers}
    if not piece(text, passages.lang).numbers <= held and _unmatched(text, passages, passages.pieces) != []:
        return True
    return not passages.foreign and bool(_strange_names(text, passages))


def _unmatched(text: str, passages: Context, others: Sequence[Piece]) -> list[str] | None:
    """Return the numbers, times and dates of a text that all the others lack; None if they cannot be compared."""
    if not comparable(passages.lang) or not all(comparable(other.lang) for other in others):
        return None
    stated = quantities(text, passages.lang)
    lost = [unmatched_mentions(stated, quantities(other.text, other.lang))[0] for other in others]
    return [each for each in lost[0] if all(each in one for one in lost)] if lost else []


def _other_number(text: str, passages: Context, other: Piece) -> bool:
    if not comparable(passages.lang) or not comparable(other.lang):
        stated, there = piece(text, passages.lang).numbers, other.numbers
        held = {number for one in passages.pieces for number in one.numbers}
        return bool(stated - held) and bool(there - stated)
    here, there_too = unmatched_mentions(quantities(text, passages.lang), quantities(other.text, other.lang))
    if not here or not there_too:
        return False
    sentence = piece(text, passages.lang)
    related = [one for one in passages.sentences if passages.foreign or words_held(sentence, one) >= _RELATED]
    lost = _unmatched(text, passages, related) if related else here
    return lost is None or any(each in lost for each in here)


def _denies(sentence: Piece, other: Piece) -> bool:
    """Return whether one of two sentences negates what the other's closest clause says."""
    spans = [piece(part, other.lang) for part in split_clauses(other.text)]
    closest = max(spans, key=lambda span: words_held(sentence, span))
    denied = negations(fold(sentence.text), sentence.lang) > 0
    # A negation anywhere else in the sentence may belong to what is said.
    least = _DENIED_UNSPACED if UNSPACED.search(sentence.text) else _DENIED
    if denied in (_negated(closest), _negated(other)) or words_held(sentence, other) < least:
        return False
    return denied or words_held(closest, sentence) >= _DENYING


def _negated(one: Piece) -> bool:
    return negations(fold(one.text), one.lang) > 0


def _other_name(text: str, passages: Context, other: Piece) -> bool:
    """Return whether a name that no passage holds takes the place of another name in the other sentence."""
    strange = _strange_names(text, passages)
    if not strange:
        return False
    for here, there in _replaced(text, other.text, passages.lang):
        replaced = [name for name in names(here) if name in strange]
        others = names(there)[: len(replaced)]
        if replaced and others and not _same_name(" ".join(replaced), " ".join(others)):
            return True
    return False


def _same_name(one: str, other: str) -> bool:
    if HAN_NAME.search(one) and HAN_NAME.search(other):
        # Two spellings of a name share half the characters; for the encoder all foreign cities are alike.
        here, there = ({char for char in name if char.isalpha()} for name in (one, other))
        return 2 * len(here & there) >= min(len(here), len(there))
    return round(cosine(one, other), 3) >= _SAME_NAME


def _replaced(text: str, other: str, lang: str) -> list[tuple[str, str]]:
    """Return the short runs of words of `text` that replace others between the same words."""
    here, there = list(_TOKEN.finditer(text)), list(_TOKEN.finditer(other))
    one, two = ([(word_terms(fold(match[0]), lang) or [match[0]])[0] for match in side] for side in (here, there))
    runs = []
    for kind, i, j, k, m in difflib.SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        content = [
            sum(fold(match[0]) not in function_words(lang) for match in side) for side in (here[i:j], there[k:m])
        ]
        if kind == "replace" and min(content) > 0 and content[0] <= _LONGEST_NAME:
            runs.append((text[here[i].start() : here[j - 1].end()], other[there[k].start() : there[m - 1].end()]))
    return runs


def _strange_names(text: str, passages: Context) -> list[str]:
    """Return the words with a capital inside a sentence, and foreign Chinese names, that no passage holds."""
    held_texts = [fold(one.text) for one in passages.pieces]
    strange = [name for name in HAN_NAME.findall(text) if _strange_in_han(name, held_texts)]
    for match in CAPITALISED.finditer(text):
        word, before = fold(match[0]), text[: match.start()].rstrip()
        if not before or before[-1] in _OPENING or word in function_words(passages.lang):
            continue
        grams = word_ngrams(word, 3, 3)
        known = any(word in held for held in held_texts) or any(
            term in one.units for term in word_terms(word, passages.lang) for one in passages.pieces
        )
        shared = sum(any(gram in one.grams for one in passages.pieces) for gram in grams)
        if not known and 2 * shared < len(grams):
            strange.append(match[0])
    return strange


def _strange_in_han(name: str, held_texts: Sequence[str]) -> bool:
    """Return whether a part of a name has less than half of its pairs of characters in a passage."""
    return any(
        2 * sum(any(pair in held for held in held_texts) for pair in pairs) < len(pairs) for pairs in name_pairs(name)
    )
