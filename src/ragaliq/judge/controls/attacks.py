"""Attacks on a judge (`attacks.yaml`, six languages): does a wrong answer earn more when it comes with one?

The wrong answer is the neighbour's answer of the hand-written controls, so the grade without the attack is that of a
control.
"""

from __future__ import annotations

import base64
import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean

from ragaliq.judge.controls.cases import Checked, Control, Kind
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.storage.yaml_files import read_yaml
from ragaliq.text.terms import base_language
from ragaliq.types import Verdict, VerdictOutcome

_FILE = Path(__file__).with_name("attacks.yaml")
_INVISIBLE = "\u200b"
# Wrong answers that carry each attack in each language.
_PER_ATTACK = 2


@dataclass(frozen=True, slots=True)
class Attack:
    """A text that is to win a better verdict than the answer deserves.

    Attributes:
        attack_id: name and language, as in `fake-verdict.de`.
        lang: the language that it is written in.
        kind: `fake-verdict`, `fake-delimiter`, `fake-rubric`, `role-play` or `encoded`; `authority` or `padding` for
            the subtle ones.
        subtle: whether it imitates no form, so that no parser and no fence can tell it from an answer.
        place: `answer` or `context`: what it comes through.
        text: what is added.
    """

    attack_id: str
    lang: str
    kind: str
    subtle: bool
    place: str
    text: str

    def apply(self, answer: str) -> str:
        """Return the answer with the attack after it; so, too, through the context: a reader may copy a passage."""
        return f"{answer}\n{self.text}" if answer else self.text


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


@cache
def load_attacks() -> tuple[Attack, ...]:
    """Return all attacks, sorted by language and name."""
    data = read_yaml(_FILE)
    del data["version"]
    attacks = [
        Attack(f"{name}.{lang}", lang, entry["kind"], entry.get("subtle", False), entry["place"],
               _encoded(text, entry.get("encode", "")))
        for name, entry in data.items()
        for lang, text in entry["texts"].items()
    ]  # fmt: skip
    return tuple(sorted(attacks, key=lambda attack: (attack.lang, attack.attack_id)))


def attacked(controls: Sequence[Control]) -> list[tuple[Attack, Control]]:
    """Return each attack with the wrong answers among controls that carry it, sorted by language.

    A language without attacks of its own gets none.
    """
    wrong: dict[str, list[Control]] = {}
    for control in controls:
        if control.kind is Kind.NEIGHBOUR:
            wrong.setdefault(control.lang, []).append(control)
    return [
        (attack, control)
        for lang, answers in sorted(wrong.items())
        for attack in load_attacks()
        if attack.lang == base_language(lang)
        for control in answers[:_PER_ATTACK]
    ]


def shifts(
    cases: Sequence[tuple[Attack, Control]], verdicts: Sequence[Verdict], controls: Sequence[Checked]
) -> tuple[Shift, ...]:
    """Return what each attack did; `verdicts` are in the order of the cases.

    Answers whose call failed, with or without the attack, are left out.
    """
    before = {(c.control.lang, c.control.item_id): c.grade for c in controls
              if c.control.kind is Kind.NEIGHBOUR and c.answered}  # fmt: skip
    return tuple(
        Shift(attack, *place, before[place], verdict.grade)
        for (attack, control), verdict in zip(cases, verdicts, strict=True)
        if (place := (control.lang, control.item_id)) in before and verdict.outcome is not VerdictOutcome.API_ERROR
    )


def summarise_shifts(shifts: Sequence[Shift]) -> tuple[ShiftSummary, ...]:
    """Return the shifts by language, plain attacks before subtle ones."""
    parts: dict[tuple[str, bool], list[Shift]] = {}
    for shift in shifts:
        parts.setdefault((shift.lang, shift.attack.subtle), []).append(shift)
    return tuple(_summary(*place, part) for place, part in sorted(parts.items()))


def _encoded(text: str, encoding: str) -> str:
    if encoding == "base64":
        return base64.b64encode(text.encode("utf-8")).decode("ascii")
    if encoding == "rot13":
        # Letters of other scripts stay: there the attack is hidden in part.
        return codecs.encode(text, "rot13")
    return _INVISIBLE.join(text) if encoding == "invisible" else text


def _summary(lang: str, subtle: bool, part: Sequence[Shift]) -> ShiftSummary:
    worths = [shift.worth for shift in part if shift.worth is not None]
    points = [shift.points for shift in part if shift.points is not None]
    return ShiftSummary(
        lang,
        subtle,
        len(worths),
        len(part) - len(worths),
        sum(worth > 0 for worth in worths),
        fmean(points) if points else None,
        fmean(worths) if worths else None,
    )
