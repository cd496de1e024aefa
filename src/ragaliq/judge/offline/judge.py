"""A judge without a model server: it compares words, numbers and names of answer and reference.

It needs no key, no network and no weights of a language model. A sum of regression trees, fitted on graded answers and
shipped as plain data, turns some sixty measures of agreement into an expected grade. It sees words, hardly any meaning:
the card beside the model (`offline_card.json`, docs/offline_judge.md) says how far that carries.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.judge.offline.caps import WRONG, cap, is_wrong
from ragaliq.judge.offline.cuts import grade_by, read_cuts
from ragaliq.judge.offline.features import features
from ragaliq.judge.offline.forest import Forest, forest, in_units
from ragaliq.judge.offline.text_features import TextFeatures, read, read_beside
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.text.polarity import affirmed
from ragaliq.text.refusals import refusal, refusal_version
from ragaliq.types import Answer, Item, Refusal, Verdict, VerdictOutcome

MODEL = Path(__file__).with_name("offline_model.json")
OFFLINE_CARD = Path(__file__).with_name("offline_card.json")
EMPTY = "the answer holds no word and no number"
NO_REFERENCE = "not graded: the reference holds no word and no number to compare with"
_SAME = "says the reference, word for word"
_CONTRADICTS = "opens with yes where the reference says no, or the other way round"
_DENIES = "says the reference's own words with a negation added or left out"
_OTHER_SIGN = "says the reference's words with another sign or currency"
# Counts up when a fixed rule below changes, so that its grades are another judge's.
_RULES = b"8"
# A minus before a number and after no number or word; powers; and what makes C++ and C# of C.
_SIGN = regex.compile(r"(?<![\p{N}\p{L})]\s*)[-−](?=\p{N})|[²³]|(?<=\w)(?:\+\+|#)")
_CURRENCY = regex.compile(r"\p{Sc}")
# With a smaller share of letters in the reference's script, words can hardly be compared.
_SAME_SCRIPT = 0.5
# Many systems answer the same questions.
_read_once = lru_cache(maxsize=4096)(read)


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """What the model says of one answer: `expected` is the grade 1..5 that it expects of one that does not refuse."""

    expected: float
    features: dict[str, float]


@dataclass(frozen=True, slots=True)
class OfflineModel:
    """The fitted trees and the cuts that part the expected grade into 1 to 5."""

    names: tuple[str, ...]
    grade: Forest
    cuts: tuple[float, ...]

    def estimate(self, features: dict[str, float]) -> ModelEstimate:
        """Return the estimate for one answer's features, rounded to 6 digits."""
        row = in_units([features[name] for name in self.names])
        return ModelEstimate(round(self.grade.value_of(row), 6), features)

    def decide(self, estimate: ModelEstimate) -> int:
        """Return the grade: 0 for a full refusal alone, else by the cuts; a value on a cut gets the higher grade."""
        return 0 if estimate.features["abstains"] else grade_by(self.cuts, estimate.expected)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A grade and its basis; `expected` is the value that the cuts parted, None where a rule decided."""

    grade: int
    feedback: str
    expected: float | None = None


class OfflineJudge:
    """Grades by agreement of words, numbers, addresses, names, yes or no, and by what is said beside them.

    Fixed rules come first: an answer without a word or number gets 1; one that says the reference word for word gets 5
    (0 if that is an abstention, 2 with another sign or currency); one that opens with yes for no, or no for yes, gets
    1, and so does one that says the reference's own words with a negation added or left out. `caps` come last. An item
    whose references hold no word or number has no grade. The reference or alias with the best grade in worth counts.
    """

    name = "offline"
    # There is no prompt; the model takes its place.
    prompt_hash = hashlib.sha256(MODEL.read_bytes() + _RULES + refusal_version().encode()).hexdigest()[:12]

    def __init__(self, cuts: str = "") -> None:
        """Load the model that ships with the package, and what its card says of it.

        Args:
            cuts: file that `ragaliq agree --recalibrate` wrote; its cuts take the place of the model's.

        Raises:
            ConfigError: if that file is none.
        """
        self._model = load_model()
        card = json.loads(OFFLINE_CARD.read_text(encoding="utf-8"))
        # What the card says of agreement with graders, cross-validated by question.
        self.certificate: dict[str, Any] = card["certificate"]
        if cuts:
            refitted = read_cuts(cuts, self.prompt_hash)
            self._model = replace(self._model, cuts=refitted.values)
            self.name = f"{self.name} with cuts {refitted.sha256[:6]}"
            self.prompt_hash = hashlib.sha256(f"{self.prompt_hash} {refitted.sha256}".encode()).hexdigest()[:12]
            note = f"{self.certificate['note']}; its cuts were refitted since, see {Path(cuts).name}"
            self.certificate = {**self.certificate, "note": note}

    def grade(self, item: Item, answer: Answer) -> Verdict:
        """Return a grade, or `REFUSED` with a reason where there is nothing to compare with."""
        weighed = self.weigh(item, answer)
        grade, feedback = (weighed.grade, weighed.feedback) if weighed else (None, NO_REFERENCE)
        return self._verdict(item, answer, grade, feedback)

    def weigh(self, item: Item, answer: Answer) -> Weighed | None:
        """Return the grade with its basis, None where there is nothing to compare with."""
        query = item.query
        texts = (_read_once(text, query.lang) for text in (item.reference, *item.aliases))
        references = [text for text in texts if text.words]
        if not references:
            return None
        question = _read_once(query.text, query.lang)
        readings = [read_beside(answer.text, reference, query.lang) for reference in references]
        if not readings[0].words:
            return Weighed(1, EMPTY)
        pairs = zip(references, readings, strict=True)
        weighed = [self._compare(question, reference, reading, query.lang) for reference, reading in pairs]
        return max(weighed, key=lambda one: (WEIGHTS[one.grade], one.grade if one.expected is None else one.expected))

    @property
    def cuts(self) -> tuple[float, ...]:
        """The four cuts that part the expected grade."""
        return self._model.cuts

    def recut(self, cuts: tuple[float, ...]) -> OfflineJudge:
        """Return the same judge with other cuts."""
        other = copy(self)
        other._model = replace(self._model, cuts=cuts)
        return other

    def _compare(self, question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> Weighed:
        estimate = self._model.estimate(features(question, reference, answer, lang))
        same = answer.words == reference.words and answer.tail == reference.tail
        if same and not estimate.features["abstains"]:
            return Weighed(5, _SAME) if same_signs(reference.body, answer.body) else Weighed(2, _OTHER_SIGN)
        if estimate.features["opening_agrees"] < 0 and not estimate.features["mentions_gap"]:
            return Weighed(1, _CONTRADICTS)
        if denies(question, reference, answer, lang):
            return Weighed(1, _DENIES)
        grade = self._model.decide(estimate)
        feedback = _feedback(grade, estimate)
        limit = cap(question, reference, answer, lang) if grade > 2 else None
        if limit is not None and limit.grade < grade:
            return Weighed(limit.grade, f"{limit.reason}; {feedback}")
        comparable = estimate.features["script"] >= _SAME_SCRIPT
        if grade == 2 and comparable and is_wrong(question, reference, answer, lang):
            return Weighed(1, f"{WRONG}; {feedback}")
        return Weighed(grade, feedback, estimate.expected if grade else None)

    def _verdict(self, item: Item, answer: Answer, grade: int | None, feedback: str) -> Verdict:
        outcome = VerdictOutcome.REFUSED if grade is None else VerdictOutcome.SCORED
        query, judge = item.query, (self.name, self.prompt_hash)
        refuses = refusal(answer.text, query.lang)
        if grade is not None and (grade == 0) != (refuses is Refusal.FULL):
            # What is graded above 0 answers; 0 is for what refuses in front of chat residue, too.
            refuses = Refusal.NONE if grade else Refusal.FULL
        return Verdict(query.query_id, query.lang, grade, outcome, feedback, *judge, refuses=refuses)


def denies(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> bool:
    """Return whether an answer says the reference's own words with a negation added or left out.

    The graded answers that the model was fitted on hold no such case. Where the question itself holds a negation, the
    reference may rest on it ("What is not allowed?" "Dogs"), and the result is False.
    """
    if question.negations or (answer.negations > 0) == (reference.negations > 0):
        return False
    content = affirmed(reference.folded, lang)
    return bool(content) and content == affirmed(answer.folded, lang)


def same_signs(one: str, other: str) -> bool:
    """Return whether two texts of the same words have the same signs; a currency counts where both name one."""
    currencies = [set(_CURRENCY.findall(text)) for text in (one, other)]
    signs = [[sign.strip().replace("−", "-") for sign in _SIGN.findall(text)] for text in (one, other)]
    return signs[0] == signs[1] and (not all(currencies) or currencies[0] == currencies[1])


@lru_cache(maxsize=1)
def load_model() -> OfflineModel:
    """Read the model that ships with the package."""
    return offline_model(json.loads(MODEL.read_bytes()))


def offline_model(data: Mapping[str, Any]) -> OfflineModel:
    """Read a model from its data: `features`, `grade` and the cuts of `rule`."""
    rule = data["rule"]
    return OfflineModel(
        names=tuple(data["features"]),
        grade=forest(data["grade"]),
        cuts=tuple(rule["cuts"]),
    )


def _feedback(grade: int, estimate: ModelEstimate) -> str:
    """Say in plain words what the grade rests on."""
    values = estimate.features
    if grade == 0:
        return "says that nothing was found"
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
    if values["script"] < _SAME_SCRIPT:
        parts.append("written in another script than the reference, so words can hardly be compared")
    if values["tail"]:
        parts.append("chat residue behind the answer")
    return "; ".join(parts)
