"""A judge without a model server: it compares words, numbers and names of answer and reference.

It needs no key, no network and no weights of a language model. A sum of regression trees, fitted on graded answers and
shipped as plain data, turns some fifty measures of agreement into an expected grade. It sees words, not meaning:
the card beside the model (`offline_card.json`, docs/offline_judge.md) says how far that carries.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.judge.offline.features import features
from ragaliq.judge.offline.forest import Forest, forest, in_units
from ragaliq.judge.offline.text_features import TextFeatures, read
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.text.polarity import affirmed
from ragaliq.types import Answer, Item, Verdict, VerdictOutcome

MODEL = Path(__file__).with_name("offline_model.json")
OFFLINE_CARD = Path(__file__).with_name("offline_card.json")
EMPTY = "the answer holds no word and no number"
NO_REFERENCE = "not graded: the reference holds no word and no number to compare with"
_SAME = "says the reference, word for word"
_CONTRADICTS = "opens with yes where the reference says no, or the other way round"
_DENIES = "says the reference's own words with a negation added or left out"
_OTHER_SIGN = "says the reference's words with another sign or currency"
# Counts up when a fixed rule below changes, so that its grades are another judge's.
_RULES = b"3"
# A minus before a number, which no number or word stands before; powers; and what makes C++ and C# of C.
_SIGN = regex.compile(r"(?<![\p{N}\p{L})]\s*)[-−](?=\p{N})|[²³]|(?<=\w)(?:\+\+|#)")
_CURRENCY = regex.compile(r"\p{Sc}")
# Many systems answer the same questions.
_read_once = lru_cache(maxsize=4096)(read)


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """What the model says of one answer: `abstains` in 0..1, `expected` the grade 1..5 that it expects otherwise."""

    abstains: float
    expected: float
    features: dict[str, float]


@dataclass(frozen=True, slots=True)
class OfflineModel:
    """The fitted trees and the decision rule; `cuts` part the expected grade into 1 to 5."""

    names: tuple[str, ...]
    zero: Forest
    grade: Forest
    zero_above: float
    cuts: tuple[float, ...]

    def estimate(self, features: dict[str, float]) -> ModelEstimate:
        """Return the estimate for one answer's features; both values are rounded to 6 digits."""
        row = in_units([features[name] for name in self.names])
        return ModelEstimate(round(self.zero.value_of(row), 6), round(self.grade.value_of(row), 6), features)

    def decide(self, estimate: ModelEstimate) -> int:
        """Return the grade: 0 above the threshold of abstaining, else by the cuts; a value on a cut goes up."""
        if estimate.abstains > self.zero_above:
            return 0
        return 1 + bisect_right(self.cuts, estimate.expected)


class OfflineJudge:
    """Grades by agreement of words, numbers, addresses, names, yes or no, and by what is said beside them.

    Fixed rules come first: an answer without a word or number gets 1; one that says the reference word for word gets 5
    (0 if that is an abstention, 2 with another sign or currency); one that opens with yes for no, or no for yes, gets
    1, and so does one that says the reference's own words with a negation added or left out. An item whose references
    hold no word or number has no grade. The reference or alias with the best grade in worth counts.
    """

    name = "offline"
    # There is no prompt; the model takes its place.
    prompt_hash = hashlib.sha256(MODEL.read_bytes() + _RULES).hexdigest()[:12]

    def __init__(self) -> None:
        """Load the model that ships with the package, and what its card says of it."""
        self._model = load_model()
        card = json.loads(OFFLINE_CARD.read_text(encoding="utf-8"))
        # What the card says of agreement with graders, cross-validated by question.
        self.certificate: dict[str, Any] = card["certificate"]

    def grade(self, item: Item, answer: Answer) -> Verdict:
        """Return a grade, or `REFUSED` with a reason where there is nothing to compare with."""
        query = item.query
        texts = (_read_once(text, query.lang) for text in (item.reference, *item.aliases))
        references = [text for text in texts if text.words]
        if not references:
            return self._verdict(item, None, NO_REFERENCE)
        said = read(answer.text, query.lang)
        if not said.words:
            return self._verdict(item, 1, EMPTY)
        question = _read_once(query.text, query.lang)
        grades = [self._compare(question, reference, said, query.lang) for reference in references]
        grade, feedback, _ = max(grades, key=lambda one: (WEIGHTS[one[0]], one[2]))
        return self._verdict(item, grade, feedback)

    def _compare(
        self, question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str
    ) -> tuple[int, str, float]:
        """Return the grade, what it rests on, and the expected grade."""
        estimate = self._model.estimate(features(question, reference, answer, lang))
        same = answer.words == reference.words and answer.tail == reference.tail
        if same and not estimate.features["abstains"]:
            return (5, _SAME, 5.0) if same_signs(reference.body, answer.body) else (2, _OTHER_SIGN, 2.0)
        if estimate.features["opening_agrees"] < 0 and not estimate.features["mentions_gap"]:
            return 1, _CONTRADICTS, 1.0
        if denies(question, reference, answer, lang):
            return 1, _DENIES, 1.0
        grade = self._model.decide(estimate)
        return grade, _feedback(grade, estimate), estimate.expected

    def _verdict(self, item: Item, grade: int | None, feedback: str) -> Verdict:
        outcome = VerdictOutcome.REFUSED if grade is None else VerdictOutcome.SCORED
        query = item.query
        return Verdict(query.query_id, query.lang, grade, outcome, feedback, self.name, self.prompt_hash)


def denies(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> bool:
    """Tell whether an answer says the reference's own words with a negation added or left out.

    The graded answers that the model was fitted on hold no such case. Where the question itself holds a negation, the
    reference may rest on it ("What is not allowed?" "Dogs"), and nothing is told.
    """
    if question.negations or (answer.negations > 0) == (reference.negations > 0):
        return False
    content = affirmed(reference.folded, lang)
    return bool(content) and content == affirmed(answer.folded, lang)


def same_signs(one: str, other: str) -> bool:
    """Tell whether two texts of the same words have the same signs; a currency counts where both name one."""
    currencies = [set(_CURRENCY.findall(text)) for text in (one, other)]
    signs = [[sign.strip().replace("−", "-") for sign in _SIGN.findall(text)] for text in (one, other)]
    return signs[0] == signs[1] and (not all(currencies) or currencies[0] == currencies[1])


@lru_cache(maxsize=1)
def load_model() -> OfflineModel:
    """Read the model that ships with the package."""
    return offline_model(json.loads(MODEL.read_bytes()))


def offline_model(data: Mapping[str, Any]) -> OfflineModel:
    """Read a model from its data: `features`, `zero`, `grade` and `rule`."""
    rule = data["rule"]
    return OfflineModel(
        names=tuple(data["features"]),
        zero=forest(data["zero"]),
        grade=forest(data["grade"]),
        zero_above=rule["zero_above"],
        cuts=tuple(rule["cuts"]),
    )


def _feedback(grade: int, estimate: ModelEstimate) -> str:
    """Say in plain words what the grade rests on."""
    values = estimate.features
    if grade == 0:
        return f"says that nothing was found (certainty {estimate.abstains:.2f})"
    parts = [
        f"expected grade {estimate.expected:.2f}",
        f"holds {values['new_recall']:.0%} of what is new in the reference",
        f"{values['new_precision']:.0%} of what it adds to the question is in the reference",
    ]
    if values["numbers"]:
        parts.append(f"{values['number_recall']:.0%} of the reference's numbers")
    if values["wrong_numbers"] and values["numbers"]:
        parts.append("other numbers")
    if values["address_recall"] >= 0:
        parts.append("the reference's address" if values["address_recall"] == 1 else "not the reference's address")
    if values["opening_agrees"] < 0:
        parts.append("yes and no differ")
    if values["mentions_gap"]:
        parts.append("mentions that something was not found")
    if values["script"] < 0.5:
        parts.append("written in another script than the reference, so words can hardly be compared")
    if values["tail"]:
        parts.append("chat residue behind the answer")
    return "; ".join(parts)
