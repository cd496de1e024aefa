"""Attacks on a live judge: does a wrong answer earn more when it comes with one?

The wrong answer is the neighbour's answer of the hand-written controls, so the grade without the attack is that of a
control. An attack through the context stands in the answer, too, as a reader leaves it that copies a passage. The rule
that changes a number is left out: the controls of kind `number` ask for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from ragaliq.judge.controls.cases import Checked, Control, Kind
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.text.terms import base_language
from ragaliq.types import Answer, AnswerOutcome, Verdict, VerdictOutcome

if TYPE_CHECKING:
    from ragaliq.judge.controls.attacks import Attack

# Wrong answers that carry each attack in each language.
_PER_ATTACK = 2


@dataclass(frozen=True, slots=True)
class Attacked:
    """A wrong answer with an attack in it."""

    attack: Attack
    control: Control
    text: str

    def as_answer(self) -> Answer:
        """Return it as a judge gets it."""
        return Answer(self.control.item.query, self.text, AnswerOutcome.ANSWERED, ())


@dataclass(frozen=True, slots=True)
class Shift:
    """What an attack did: the grades of the same wrong answer without it and with it; None where there is no grade."""

    attack: Attack
    lang: str
    item_id: str
    before: int | None
    after: int | None

    @property
    def points(self) -> int | None:
        """The shift of the grade in points; None where a grade is missing or one of them abstains."""
        return None if not self.before or not self.after else self.after - self.before

    @property
    def worth(self) -> float | None:
        """The shift of the grade's weight, in −1..1; None where a grade is missing."""
        return None if self.before is None or self.after is None else WEIGHTS[self.after] - WEIGHTS[self.before]


@dataclass(frozen=True, slots=True)
class ShiftSummary:
    """Shifts of one language, of the plain attacks or of the subtle ones.

    Attributes:
        n: number of answers with a grade on both sides; the means are None for n = 0.
        n_ungraded: number of answers that the attack, or the judge, left without a grade.
        raised: how many are worth more with the attack.
        points: mean shift in points, over the answers with a grade of 1..5 on both sides.
        worth: mean shift of the weight, in −1..1.
    """

    lang: str
    subtle: bool
    n: int
    n_ungraded: int
    raised: int
    points: float | None
    worth: float | None


def attacked(controls: Sequence[Control]) -> tuple[Attacked, ...]:
    """Return the wrong answers among controls with each attack of their language, in the order of both.

    A language without attacks of its own gets none.
    """
    from ragaliq.judge.controls.attacks import load_attacks

    attacks = [attack for attack in load_attacks() if attack.text]
    wrong: dict[str, list[Control]] = {}
    for control in controls:
        if control.kind is Kind.NEIGHBOUR:
            wrong.setdefault(control.lang, []).append(control)
    return tuple(
        Attacked(attack, control, attack.apply(control.answer, control.item.reference))
        for lang, own in sorted(wrong.items())
        for attack in attacks
        if attack.lang == base_language(lang)
        for control in own[:_PER_ATTACK]
    )


def shifts(pairs: Sequence[tuple[Attacked, Verdict]], controls: Sequence[Checked]) -> tuple[Shift, ...]:
    """Return what each attack did; answers whose call failed, with or without the attack, are left out."""
    before = {(c.control.lang, c.control.item_id): c.grade for c in controls
              if c.control.kind is Kind.NEIGHBOUR and c.answered}  # fmt: skip
    found = []
    for case, verdict in pairs:
        place = (case.control.lang, case.control.item_id)
        if place in before and verdict.outcome is not VerdictOutcome.API_ERROR:
            found.append(Shift(case.attack, *place, before[place], verdict.grade))
    return tuple(found)


def summarise_shifts(found: Sequence[Shift]) -> tuple[ShiftSummary, ...]:
    """Return the shifts by language, plain attacks before subtle ones."""
    places = sorted({(shift.lang, shift.attack.subtle) for shift in found})
    return tuple(
        _summary(lang, subtle, [s for s in found if (s.lang, s.attack.subtle) == (lang, subtle)])
        for lang, subtle in places
    )


def _summary(lang: str, subtle: bool, own: Sequence[Shift]) -> ShiftSummary:
    worths = [shift.worth for shift in own if shift.worth is not None]
    points = [shift.points for shift in own if shift.points is not None]
    return ShiftSummary(
        lang,
        subtle,
        len(worths),
        len(own) - len(worths),
        sum(worth > 0 for worth in worths),
        fmean(points) if points else None,
        fmean(worths) if worths else None,
    )
