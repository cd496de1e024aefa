"""Upper bounds of a grade, for an answer that denies what it says or leaves it open."""

from __future__ import annotations

from dataclasses import dataclass

from ragaliq.judge.offline.alternatives import leaves_open
from ragaliq.judge.offline.text_features import TextFeatures
from ragaliq.text.denials import denied, light_words
from ragaliq.text.numbers import with_digits
from ragaliq.text.polarity import content_terms, function_words, negations
from ragaliq.text.sentence_encoder import cosine, knows

_DENIED = "denies what the reference says"
WRONG = "holds no word, number or name of what is new in the reference"
_OPEN = "offers alternatives where the reference has one value"


# With a smaller share of character n-grams in common, texts share no word, not even in another inflection.
_LEAST_GRAMS = 0.35
# Texts with at least this cosine are near in meaning; chosen on answers to questions left out of the fit.
_NEAR = 0.5
_LONGEST = 600
# An answer takes back what the reference says if it denies half of what is new in it, and affirms less than a third.
_TAKEN_BACK, _AFFIRMED = 0.5, 1 / 3


@dataclass(frozen=True, slots=True)
class Cap:
    """The best grade that a rule allows, and why."""

    grade: int
    reason: str


def cap(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> Cap | None:
    """Return the lowest cap that applies to an answer, None if there is none.

    A denial of what the reference says allows 2, an open choice among several values 3.
    """
    if takes_back(question, reference, answer, lang):
        return Cap(2, _DENIED)
    if leaves_open(question, reference, answer, lang):
        return Cap(3, _OPEN)
    return None


def is_wrong(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> bool:
    """Return whether an answer shares nothing with what is new in the reference: no word, number, name or meaning.

    The sentence encoder compares what each of the two adds to the question. In a language that it does not know no
    answer is called wrong.
    """
    wanted = _new_terms(question, reference, lang)
    if not knows(lang) or not wanted or wanted & content_terms(answer.folded, lang):
        return False
    grams = reference.grams - question.grams or reference.grams
    if len(grams & answer.grams) >= _LEAST_GRAMS * len(grams):
        return False
    near = cosine(_new_words(question, reference, lang), _new_words(question, answer, lang))
    return round(near, 3) < _NEAR


def takes_back(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> bool:
    """Return whether an answer holds what is new in the reference only in words that it denies.

    A claim denied as a whole ("…, but that is not true") counts if it is as negative as the reference. A clause with a
    "not" counts if neither question nor reference is negative, and if it adds no word to theirs: "not open" may mean
    "closed".
    """
    parts = denied(answer.body, lang)
    if not (parts.claims or parts.negated) or denied(reference.body, lang).claims:
        return False
    wanted = _new_terms(question, reference, lang)
    if not wanted or _share(wanted, parts.rest, lang) >= _AFFIRMED:
        return False
    negative = reference.negations > 0 or reference.opening < 0
    if _share(wanted, parts.claims, lang) >= _TAKEN_BACK:
        return (negations(parts.claims, lang) > 0) == negative
    if negative or question.negations or _share(wanted, parts.negated, lang) < _TAKEN_BACK:
        return False
    familiar = " ".join([question.folded, reference.folded, *light_words(lang)])
    return content_terms(parts.negated, lang) <= content_terms(familiar, lang)


def _new_terms(question: TextFeatures, reference: TextFeatures, lang: str) -> frozenset[str]:
    """Return the content terms of the reference that the question lacks, all of them if it lacks none."""
    terms = content_terms(reference.folded, lang)
    return terms - content_terms(question.folded, lang) or terms


def _new_words(question: TextFeatures, text: TextFeatures, lang: str) -> str:
    skipped = {*question.words, *function_words(lang)}
    return " ".join(word for word in text.words if word not in skipped)[:_LONGEST]


def _share(wanted: frozenset[str], folded: str, lang: str) -> float:
    """Return the share of terms that a text holds, its numbers in any spelling."""
    held = wanted & content_terms(with_digits(folded, lang)[0], lang)
    return len(held) / len(wanted) if wanted else 0.0
