"""Drawing built questions that are like a given set: by type, length, and the words they share with their gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.answers.overlap import tokens

# In squared standard deviations: the cost of another type, and the distance beyond which two do not match.
_OTHER_TYPE = 1.0
_FARTHEST = 4.0

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class QuestionShape:
    """The features that questions are matched by.

    Attributes:
        question_id: its id.
        type: the kind of question; empty if unknown.
        length: its words; of scripts without spaces its characters.
        overlap: share of its words that one of its documents contains; None where they are not known, as in a query
            log.
    """

    question_id: str
    type: str
    length: int
    overlap: float | None


@dataclass(frozen=True, slots=True)
class Balance:
    """How far built questions are from the wanted ones in a feature, before they were drawn and after.

    Of `length` and `overlap` it is the difference of means in standard deviations of the wanted set, of `type` half the
    sum of the differences of shares (0..1). None where one side does not know the feature.
    """

    feature: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Matching:
    """Built questions drawn to match.

    Attributes:
        to: `human`, or the name of the file.
        drawn: ids of the built questions, sorted.
        balance: of each feature, before and after.
    """

    to: str
    drawn: tuple[str, ...]
    balance: tuple[Balance, ...]


def question_shape(question_id: str, text: str, kind: str, documents: Sequence[str] = ()) -> QuestionShape:
    """Return the shape of a question; `documents` are the texts of its gold."""
    asked = tokens(text)
    held = [sum(token in own for token in asked) for own in (frozenset(tokens(document)) for document in documents)]
    return QuestionShape(question_id, kind, len(asked), max(held) / len(asked) if held and asked else None)


def matched(to: str, built: Sequence[QuestionShape], wanted: Sequence[QuestionShape]) -> Matching:
    """Draw for each wanted question the built one that is most like it, each once, closest pairs first.

    The distance is the sum of squares of the differences of log length and overlap, in standard deviations of the
    wanted set, and 1 more for another type; what either side does not know costs nothing. Beyond a distance of 4 two
    questions do not match. Equal distances go by the ids, so nothing is random and the order of neither side matters.
    """
    ours, theirs = (sorted(side, key=lambda shape: shape.question_id) for side in (built, wanted))
    distance = np.zeros((len(ours), len(theirs)))
    for feature in _FEATURES.values():
        one, two = (np.array([feature(shape) for shape in side]) for side in (ours, theirs))
        gaps = (one[:, None] - two[None, :]) / _spread(_known(theirs, feature))
        distance += np.nan_to_num(gaps**2)
    kinds = [[bool(a.type and b.type and a.type != b.type) for b in theirs] for a in ours]
    distance += _OTHER_TYPE * np.array(kinds, dtype=np.float64).reshape(distance.shape)
    pairs = np.argsort(np.round(distance, 9), axis=None, kind="stable")
    drawn: dict[int, QuestionShape] = {}
    served: set[int] = set()
    for pair in pairs.tolist():
        own, other = divmod(pair, len(theirs))
        if distance[own, other] > _FARTHEST:
            break
        if own not in drawn and other not in served:
            served.add(other)
            drawn[own] = ours[own]
    balance = [
        Balance(name, _apart(ours, theirs, feature), _apart([*drawn.values()], theirs, feature))
        for name, feature in _FEATURES.items()
    ]
    kinds_apart = Balance("type", _types_apart(ours, theirs), _types_apart([*drawn.values()], theirs))
    return Matching(to, tuple(sorted(shape.question_id for shape in drawn.values())), (*balance, kinds_apart))


def _log_length(shape: QuestionShape) -> float:
    return float(np.log1p(shape.length))


def _overlap(shape: QuestionShape) -> float:
    return float("nan") if shape.overlap is None else shape.overlap


_Feature = Callable[[QuestionShape], float]
_FEATURES: Mapping[str, _Feature] = {"length": _log_length, "overlap": _overlap}


def _known(shapes: Sequence[QuestionShape], feature: _Feature) -> Array:
    values = (feature(shape) for shape in shapes)
    return np.array([value for value in values if not np.isnan(value)], dtype=np.float64)


def _spread(values: Array) -> float:
    return (float(values.std()) or 1.0) if len(values) else 1.0


def _apart(ours: Sequence[QuestionShape], theirs: Sequence[QuestionShape], feature: _Feature) -> float | None:
    one, two = _known(ours, feature), _known(theirs, feature)
    return float((one.mean() - two.mean()) / _spread(two)) if len(one) and len(two) else None


def _types_apart(ours: Sequence[QuestionShape], theirs: Sequence[QuestionShape]) -> float | None:
    one, two = (Counter(shape.type for shape in side if shape.type) for side in (ours, theirs))
    if not one or not two:
        return None
    return sum(abs(one[kind] / one.total() - two[kind] / two.total()) for kind in {*one, *two}) / 2
