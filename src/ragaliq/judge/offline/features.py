"""Numbers that say how an answer agrees with a reference, given the question; the judge's model reads these."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ragaliq.judge.offline.text_features import TextFeatures, grams_of, segments
from ragaliq.text.polarity import function_words
from ragaliq.text.refusals import abstains, mentions_gap


def features(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> dict[str, float]:
    """Return the features by name, in the order of the model.

    New terms, numbers, addresses and names of a text are those that the question does not hold; where the reference
    has none of its own, all of its terms count.
    """
    found: dict[str, float] = {}
    _overlap(question, reference, answer, found)
    _parts(question, reference, answer, found)
    _numbers(question, reference, answer, found)
    _addresses(question, reference, answer, found)
    _names(question, reference, answer, found)
    _polarity(reference, answer, found)
    _form(question, reference, answer, found)
    english = function_words("en")
    own = function_words(lang)
    found["english"] = _rate(answer.words, english) if own != english else 0.0
    found["abstains"] = float(abstains(answer.body, lang))
    found["mentions_gap"] = float(mentions_gap(answer.body, lang))
    return {name: round(value, 6) for name, value in found.items()}


def _overlap(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, found: dict[str, float]) -> None:
    asked, wanted, given = question.terms, reference.terms, answer.terms
    new_wanted = {term: weight for term, weight in wanted.items() if term not in asked} or wanted
    new_given = {term: weight for term, weight in given.items() if term not in asked}
    found["new_recall"] = _share(new_wanted, given)
    found["new_precision"] = _share(new_given, wanted)
    found["recall"] = _share(wanted, given)
    found["precision"] = _share(given, wanted)
    found["asked"] = _share(given, asked)
    found["reference_asked"] = _share(wanted, asked)
    found["new_weight"] = math.log1p(math.fsum(new_wanted.values()))
    extra = [weight for term, weight in new_given.items() if term not in wanted]
    found["extra_weight"] = math.log1p(math.fsum(extra))
    found["new_given"] = math.log1p(math.fsum(new_given.values()))
    found["bigram_recall"] = _fraction(len(reference.bigrams & answer.bigrams), len(reference.bigrams))
    found["gram_recall"] = _fraction(len(reference.grams & answer.grams), len(reference.grams))
    found["gram_precision"] = _fraction(len(reference.grams & answer.grams), len(answer.grams))
    wanted_grams, given_grams = reference.grams - question.grams or reference.grams, answer.grams - question.grams
    found["new_gram_recall"] = _fraction(len(wanted_grams & answer.grams), len(wanted_grams))
    found["new_gram_precision"] = _fraction(len(given_grams & reference.grams), len(given_grams))


def _parts(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, found: dict[str, float]) -> None:
    """Recall of each part of an enumeration, by character n-grams, so that inflected words count."""
    asked = set(question.words)
    recalls = []
    for part in segments(reference):
        new = [word for word in dict.fromkeys(part) if word not in asked]
        weights = [(min(len(word), 12), word) for word in new]
        total = sum(weight for weight, _ in weights)
        if total:
            recalls.append(math.fsum(weight * _gram_share(word, answer) for weight, word in weights) / total)
    found["parts"] = math.log1p(len(recalls))
    found["part_mean"] = math.fsum(recalls) / len(recalls) if recalls else 1.0
    found["part_least"] = min(recalls, default=1.0)
    found["parts_found"] = _fraction(sum(value >= 0.6 for value in recalls), len(recalls)) if recalls else 1.0


def _numbers(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, found: dict[str, float]) -> None:
    asked = set(question.numbers)
    wanted, given = set(reference.numbers) - asked, set(answer.numbers) - asked
    found["numbers"] = float(len(wanted))
    found["number_recall"] = len(wanted & given) / len(wanted) if wanted else -1.0
    found["wrong_numbers"] = float(len(given - wanted))
    found["number_clash"] = float(bool(wanted) and bool(given) and not wanted & given)
    found["number_lost"] = float(len(wanted - set(answer.numbers)))


def _addresses(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, found: dict[str, float]) -> None:
    for name, theirs, own, asked in (
        ("address", reference.addresses, answer.addresses, question.addresses),
        ("code", reference.codes, answer.codes, question.codes),
    ):
        wanted = [text for text in theirs if text not in asked]
        given = [text for text in own if text not in asked]
        hits = sum(any(_same_address(text, other) for other in given) for text in wanted)
        found[f"{name}_recall"] = hits / len(wanted) if wanted else -1.0
        found[f"wrong_{name}"] = float(sum(not any(_same_address(text, other) for other in wanted) for text in given))


def _same_address(one: str, other: str) -> bool:
    return one == other or one.rstrip("/") == other.rstrip("/")


def _names(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, found: dict[str, float]) -> None:
    asked = set(question.words)
    wanted = [name for name in reference.names if name not in asked]
    given = [name for name in answer.names if name not in asked]
    known = set(reference.words)
    held = set(answer.words)
    shares = [1.0 if name in held else _gram_share(name, answer) for name in wanted]
    found["names"] = float(min(len(wanted), 6))
    found["name_recall"] = math.fsum(shares) / len(shares) if shares else -1.0
    strange = [name for name in given if name not in known and _gram_share(name, reference) < 0.6]
    found["wrong_names"] = float(min(len(strange), 6))


def _polarity(reference: TextFeatures, answer: TextFeatures, found: dict[str, float]) -> None:
    found["reference_opening"] = float(reference.opening)
    found["opening"] = float(answer.opening)
    found["opening_agrees"] = float(reference.opening * answer.opening)
    found["negations"] = float(min(answer.negations, 3))
    found["negation_clash"] = float((reference.negations > 0) != (answer.negations > 0))
    found["negation_added"] = float(answer.negations > 0 and reference.negations == 0)
    found["negation_lost"] = float(answer.negations == 0 and reference.negations > 0)
    found["hedges"] = float(min(answer.hedges, 4))


def _form(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, found: dict[str, float]) -> None:
    wide = reference.scripts[2] > 0.3
    found["reference_length"] = math.log1p(len(reference.folded) * (3 if wide else 1))
    found["length"] = math.log1p(len(answer.folded) * (3 if answer.scripts[2] > 0.3 else 1))
    found["longer"] = found["length"] - found["reference_length"]
    found["words"] = math.log1p(len(answer.words))
    found["sentences"] = float(min(answer.sentences, 8))
    found["repetition"] = 1.0 - _fraction(len(set(answer.words)), len(answer.words)) if answer.words else 0.0
    same, inside = reference.folded.strip(" .。"), answer.folded.strip(" .。")
    found["equal"] = float(same == inside)
    found["holds_reference"] = float(bool(same) and same in inside)
    found["held_by_reference"] = float(bool(inside) and inside in same)
    expected = reference.scripts if max(reference.scripts) > 0 else question.scripts
    found["script"] = math.fsum(map(min, expected, answer.scripts)) if any(expected) and any(answer.scripts) else 1.0
    found["wide"] = float(wide)
    found["tail"] = math.log1p(answer.tail)
    found["placeholder"] = float(answer.placeholder)


def _share(part: dict[str, float], whole: dict[str, float]) -> float:
    # Exact sums, because the order of terms differs between texts that hold the same ones.
    total = math.fsum(part.values())
    return math.fsum(weight for term, weight in part.items() if term in whole) / total if total else 0.0


def _gram_share(word: str, text: TextFeatures) -> float:
    grams = grams_of(word)
    return len(grams & text.grams) / len(grams) if grams else 0.0


def _fraction(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _rate(words: Iterable[str], known: frozenset[str]) -> float:
    flags = [word in known for word in words]
    return sum(flags) / len(flags) if flags else 0.0
