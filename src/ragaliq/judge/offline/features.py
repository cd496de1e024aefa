"""Numbers that say how an answer agrees with a reference, given the question; the judge's model reads these."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import Any

from ragaliq.judge.offline.text_features import TextFeatures, grams_of, read, segments
from ragaliq.text.polarity import function_words
from ragaliq.text.refusals import refusal, without_refusals
from ragaliq.types import Refusal

# Refusals share less with the reference: the words of "for students" or "days" beside those of the question.
_SAYS = 0.5


def features(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> dict[str, float]:
    """Return the features by name, in the order of the model.

    New terms, numbers, addresses and names of a text are those that the question does not hold; where the reference
    has none of its own, all of its terms count.
    """
    english, overlap = function_words("en"), _overlap(question, reference, answer)
    refused = _refusal(question, reference, answer, lang)
    values = {
        **overlap,
        **_parts(question, reference, answer),
        **_answer_parts(question, reference, answer),
        **_numbers(question, reference, answer),
        **_exact("address", question.addresses, reference.addresses, answer.addresses),
        **_exact("code", question.codes, reference.codes, answer.codes),
        **_names(question, reference, answer),
        **_polarity(reference, answer),
        **_form(question, reference, answer),
        "english": 0.0 if function_words(lang) == english else _rate(answer.words, english),
        "abstains": float(refused is Refusal.FULL),
        "mentions_gap": float(refused is not Refusal.NONE),
    }
    return {name: round(value, 6) for name, value in values.items()}


def _refusal(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> Refusal:
    """Return how far an answer refuses.

    Not at all if its other clauses hold most of what a reference that refuses nothing adds to the question; all of its
    clauses, if the question has a negation, which the answer may repeat.
    """
    refused = refusal(answer.body, lang)
    if refused is not Refusal.FULL or refusal(reference.body, lang) is not Refusal.NONE:
        return refused
    beside = answer if question.negations else read(without_refusals(answer.body, lang), lang)
    return Refusal.NONE if _overlap(question, reference, beside)["new_recall"] > _SAYS else refused


def _overlap(question: TextFeatures, reference: TextFeatures, answer: TextFeatures) -> dict[str, float]:
    asked, wanted, given = question.terms, reference.terms, answer.terms
    new_wanted = {term: weight for term, weight in wanted.items() if term not in asked} or wanted
    new_given = {term: weight for term, weight in given.items() if term not in asked}
    extra = [weight for term, weight in new_given.items() if term not in wanted]
    wanted_grams, given_grams = reference.grams - question.grams or reference.grams, answer.grams - question.grams
    return {
        "new_recall": _share(new_wanted, given),
        "new_precision": _share(new_given, wanted),
        "recall": _share(wanted, given),
        "precision": _share(given, wanted),
        "asked": _share(given, asked),
        "reference_asked": _share(wanted, asked),
        "new_weight": math.log1p(math.fsum(new_wanted.values())),
        "extra_weight": math.log1p(math.fsum(extra)),
        "new_given": math.log1p(math.fsum(new_given.values())),
        "bigram_recall": _held(reference.bigrams, answer.bigrams),
        "gram_recall": _held(reference.grams, answer.grams),
        "gram_precision": _held(answer.grams, reference.grams),
        "new_gram_recall": _held(wanted_grams, answer.grams),
        "new_gram_precision": _held(given_grams, reference.grams),
    }


def _parts(question: TextFeatures, reference: TextFeatures, answer: TextFeatures) -> dict[str, float]:
    """Recall of each part of the reference's enumeration in the answer."""
    recalls = _part_recalls(question, reference, answer)
    return {
        "parts": math.log1p(len(recalls)),
        "part_mean": math.fsum(recalls) / len(recalls) if recalls else 1.0,
        "part_least": min(recalls, default=1.0),
        "parts_found": sum(value >= 0.6 for value in recalls) / len(recalls) if recalls else 1.0,
    }


def _answer_parts(question: TextFeatures, reference: TextFeatures, answer: TextFeatures) -> dict[str, float]:
    """Recall of each part of the answer's enumeration in the reference: how much of a list is right."""
    recalls = _part_recalls(question, answer, reference)
    strange = sum(value < 0.4 for value in recalls)
    return {
        "answer_parts": math.log1p(len(recalls)),
        "strange_part_share": strange / len(recalls) if recalls else 0.0,
        "strange_parts": float(min(strange, 8)),
        "answer_part_least": min(recalls, default=1.0),
        "answer_part_mean": math.fsum(recalls) / len(recalls) if recalls else 1.0,
    }


def _part_recalls(question: TextFeatures, one: TextFeatures, other: TextFeatures) -> list[float]:
    """Return how far the other text holds each part of one, by character n-grams, so that inflected words count."""
    asked = set(question.words)
    recalls = []
    for part in segments(one):
        new = [word for word in dict.fromkeys(part) if word not in asked]
        weights = [(min(len(word), 12), word) for word in new]
        total = sum(weight for weight, _ in weights)
        if total:
            recalls.append(math.fsum(weight * _gram_share(word, other) for weight, word in weights) / total)
    return recalls


def _numbers(question: TextFeatures, reference: TextFeatures, answer: TextFeatures) -> dict[str, float]:
    asked = set(question.numbers)
    wanted, given = set(reference.numbers) - asked, set(answer.numbers) - asked
    return {
        "numbers": float(len(wanted)),
        "number_recall": len(wanted & given) / len(wanted) if wanted else -1.0,
        "wrong_numbers": float(len(given - wanted)),
        "number_clash": float(bool(wanted) and bool(given) and not wanted & given),
        "number_lost": float(len(wanted - set(answer.numbers))),
    }


def _exact(name: str, question: Sequence[str], reference: Sequence[str], answer: Sequence[str]) -> dict[str, float]:
    """Compare addresses or codes, which are right to the last character or wrong; a closing slash does not count."""
    wanted = [text.rstrip("/") for text in reference if text not in question]
    given = [text.rstrip("/") for text in answer if text not in question]
    return {
        f"{name}_recall": sum(text in given for text in wanted) / len(wanted) if wanted else -1.0,
        f"wrong_{name}": float(sum(text not in wanted for text in given)),
    }


def _names(question: TextFeatures, reference: TextFeatures, answer: TextFeatures) -> dict[str, float]:
    asked, known, held = set(question.words), set(reference.words), set(answer.words)
    wanted = [name for name in reference.names if name not in asked]
    given = [name for name in answer.names if name not in asked]
    shares = [1.0 if name in held else _gram_share(name, answer) for name in wanted]
    strange = [name for name in given if name not in known and _gram_share(name, reference) < 0.6]
    return {
        "names": float(min(len(wanted), 6)),
        "name_recall": math.fsum(shares) / len(shares) if shares else -1.0,
        "wrong_names": float(min(len(strange), 6)),
    }


def _polarity(reference: TextFeatures, answer: TextFeatures) -> dict[str, float]:
    return {
        "reference_opening": float(reference.opening),
        "opening": float(answer.opening),
        "opening_agrees": float(reference.opening * answer.opening),
        "negations": float(min(answer.negations, 3)),
        "negation_clash": float((reference.negations > 0) != (answer.negations > 0)),
        "negation_added": float(answer.negations > 0 and reference.negations == 0),
        "negation_lost": float(answer.negations == 0 and reference.negations > 0),
        "hedges": float(min(answer.hedges, 4)),
    }


def _form(question: TextFeatures, reference: TextFeatures, answer: TextFeatures) -> dict[str, float]:
    expected = reference.scripts if max(reference.scripts) > 0 else question.scripts
    scripts_known = any(expected) and any(answer.scripts)
    same, inside = reference.folded.strip(" .。"), answer.folded.strip(" .。")
    return {
        "reference_length": _length(reference),
        "length": _length(answer),
        "longer": _length(answer) - _length(reference),
        "words": math.log1p(len(answer.words)),
        "sentences": float(min(answer.sentences, 8)),
        "repetition": 1.0 - len(set(answer.words)) / len(answer.words) if answer.words else 0.0,
        "equal": float(same == inside),
        "holds_reference": float(bool(same) and same in inside),
        "held_by_reference": float(bool(inside) and inside in same),
        "script": math.fsum(map(min, expected, answer.scripts)) if scripts_known else 1.0,
        "wide": float(_is_wide(reference)),
        "tail": math.log1p(answer.tail),
        "placeholder": float(answer.placeholder),
    }


def _is_wide(text: TextFeatures) -> bool:
    """Return whether Chinese characters, each about a word, are more than 30 % of a text's letters."""
    return text.scripts[2] > 0.3


def _length(text: TextFeatures) -> float:
    return math.log1p(len(text.folded) * (3 if _is_wide(text) else 1))


def _share(part: dict[str, float], whole: dict[str, float]) -> float:
    # Exact sums, because the order of terms differs between texts that hold the same ones.
    total = math.fsum(part.values())
    return math.fsum(weight for term, weight in part.items() if term in whole) / total if total else 0.0


def _gram_share(word: str, text: TextFeatures) -> float:
    return _held(grams_of(word), text.grams)


def _held(part: Set[Any], whole: Set[Any]) -> float:
    return len(part & whole) / len(part) if part else 0.0


def _rate(words: Sequence[str], known: frozenset[str]) -> float:
    return sum(word in known for word in words) / len(words) if words else 0.0
