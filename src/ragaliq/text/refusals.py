"""Saying, and recognising, that an answer does not know."""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from itertools import takewhile

import regex

from ragaliq.text.polarity import negations
from ragaliq.text.refusal_clauses import Clause, clauses
from ragaliq.text.refusal_model import MODEL, refuses, states
from ragaliq.text.refusal_words import WORDS, has_negation, has_words, may_refuse, refusal_data, refusal_texts
from ragaliq.text.terms import base_language, fold
from ragaliq.types import Refusal

# Counts up when a rule below or a feature of the model changes, so that its findings are another detector's.
_RULES = b"3"
_EDGE = regex.compile(r"^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$")
_COMMA = regex.compile(r",\s+")
_QUESTION = regex.compile(r"[?？]\s*$")
# Text is read up to here, in characters.
_LONGEST = 3000
# A longer answer, in characters, is judged by its clauses alone.
_SHORT = 400
_ON_KNOWING = ("know", "say", "source", "info", "self", "if")


def refusal(text: str, lang: str) -> Refusal:
    """Return whether an answer in `lang` says that it does not know.

    An answer refuses if a clause of it says that something is not known, found, stated or answered. It is `PARTIAL` if
    another clause states something that could answer a question; an apology, a pointer elsewhere, an offer of help and
    a word on what the passages deal with state nothing. So "I don't know when, but it costs 5 euros" is partial, "I
    could not find this. Please ask the town hall" is full, and "No, dogs are not allowed" is none. English is
    understood in every language.
    """
    return _judged(text[:_LONGEST], base_language(lang))


def without_refusals(text: str, lang: str) -> str:
    """Return the clauses of an answer, the first ones of a long one, without those that refuse.

    One stays if it holds no word on knowing, saying or "whether": "The deadline is no later than May". Behind the first
    refusal one without a negation stays: "I don't know. If I had to guess, bus 17." Of the others the pieces before the
    first with a denial or a "whether" stay: "It opens at six, not at seven as the page says".
    """
    base = base_language(lang)
    kept: list[str] = []
    refused = False
    for part in clauses(text[:_LONGEST], base):
        refuses_here = _refuses(part.text, base) and any(has_words(name, part.text, base) for name in _ON_KNOWING)
        if refuses_here and (not refused or negations(fold(part.text), base)):
            refused = True
            pieces = _COMMA.split(part.text)
            kept += takewhile(lambda one: not (has_negation(one, base) or has_words("if", one, base)), pieces)
        else:
            kept.append(part.text)
    return " ".join(kept)


def abstains(text: str, lang: str) -> bool:
    """Return whether an answer says that it does not know, and nothing else."""
    return refusal(text, lang) is Refusal.FULL


def not_found(lang: str) -> str:
    """Return the sentence with which our reader abstains, in `lang` or else in English."""
    return refusal_texts("phrase", lang)[0]


def knows_abstentions(lang: str) -> bool:
    """Return whether there are a phrase and words for `lang`; other languages have the English ones."""
    return base_language(lang) in refusal_data()


@cache
def refusal_version() -> str:
    """Return what the findings depend on as a hash: words, model, rules."""
    return hashlib.sha256(WORDS.read_bytes() + MODEL.read_bytes() + _RULES).hexdigest()[:12]


# An answer is looked at by the reader, the judge and the checker.
@lru_cache(maxsize=16384)
def _judged(text: str, lang: str) -> Refusal:
    if _is_whole(text, lang):
        return Refusal.FULL
    parts = clauses(text, lang)
    refusing = [_refuses(part.text, lang) for part in parts]
    if not any(refusing):
        # "They do not tell" says little without the words before its "but".
        refusing = [has_negation(part.text, lang) and _refuses(part.sentence, lang) for part in parts]
    if not any(refusing):
        # What refuses only as a whole, such as a pointer elsewhere with a reason, states nothing beside.
        return Refusal.FULL if len(parts) > 1 and _refuses_as_whole(text, lang) else Refusal.NONE
    stated = any(_states(part, lang, gap) for part, gap in zip(parts, refusing, strict=True))
    return Refusal.PARTIAL if stated else Refusal.FULL


def _refuses(text: str, lang: str) -> bool:
    if _is_whole(text, lang) or has_words("says", text, lang):
        return True
    return may_refuse(text, lang) and refuses(text, lang)


def _refuses_as_whole(text: str, lang: str) -> bool:
    return len(text) <= _SHORT and may_refuse(text, lang) and refuses(text, lang)


def _states(clause: Clause, lang: str, refusing: bool) -> bool:
    if _QUESTION.search(clause.text) or has_words("only", clause.text, lang):
        return False
    # A refusing clause states something else only with a figure: "it leaves at nine, the price is unknown".
    texts = [part for part in clause.parts if not has_negation(part, lang)] if refusing else [clause.text]
    return any(states(text, lang) for text in texts)


def _is_whole(text: str, lang: str) -> bool:
    """Return whether a text is one of the fixed answers that refuse."""
    return _EDGE.sub("", fold(text)) in _wholes(lang)


@cache
def _wholes(lang: str) -> frozenset[str]:
    return frozenset(_EDGE.sub("", fold(whole)) for whole in refusal_texts("whole", lang))
