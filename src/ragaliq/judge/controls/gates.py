"""How a judge did on its controls: the gates, and where it treats languages differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.judge.controls.cases import Checked, Kind, bounds
from ragaliq.metrics.answers.aggregates import WEIGHTS

EVERYWHERE = "all"
# Two steps of the scale, the least that is no matter of taste.
_APART = 0.4


@dataclass(frozen=True, slots=True)
class Gate:
    """How one kind of control went in one language, or in `all` of them together.

    Attributes:
        n: number of controls that the judge replied to.
        passes: how many of them are within the bound.
        allowed: how many may miss it; None if the kind gates nothing.
    """

    kind: Kind
    lang: str
    n: int
    passes: int
    allowed: int | None

    @property
    def passed(self) -> bool:
        """Whether no more controls miss the bound than may."""
        return self.allowed is None or self.n - self.passes <= self.allowed


@dataclass(frozen=True, slots=True)
class Apart:
    """Parallel controls that a judge grades differently: the grade in each language."""

    item_id: str
    kind: Kind
    grades: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class JudgeResults:
    """A judge and what it said to controls; `members` are those of a panel that call an endpoint."""

    name: str
    prompt_hash: str
    results: tuple[Checked, ...]
    members: tuple[JudgeResults, ...] = ()

    @property
    def passed(self) -> bool | None:
        """Whether the judge passes every gate, and so does each member; None if too little was measured to tell."""
        said = [judge_passes(self.results), *(member.passed for member in self.members)]
        if False in said:
            return False
        return None if None in said else True


def judge_passes(results: Sequence[Checked]) -> bool | None:
    """Tell whether all gates are passed; None if too many calls failed to tell (`unmeasured`)."""
    return None if unmeasured(results) else all(gate.passed for gate in gates(results))


def unmeasured(results: Sequence[Checked]) -> str:
    """Say which calls failed if they are too many for anything to be known about the judge, else return an empty text.

    These are more than half of all calls or of those in one language, or all of one kind in one language.
    """
    parts: dict[str, list[Checked]] = {"": list(results)}
    for result in results:
        control = result.control
        for part in (f" in {control.lang}", f" of kind {control.kind} in {control.lang}"):
            parts.setdefault(part, []).append(result)
    for part, own in parts.items():
        lost = sum(not result.answered for result in own)
        if lost == len(own) or (2 * lost > len(own) and " of kind " not in part):
            return f"{lost} of {len(own)} calls{part}"
    return ""


def gates(results: Sequence[Checked]) -> tuple[Gate, ...]:
    """Return how each kind went in each language and, of several languages, over all of them; sorted by kind.

    Controls whose call failed are left out.
    """
    answered = [result for result in results if result.answered]
    langs = sorted({result.control.lang for result in answered})
    return tuple(
        gate
        for kind in Kind
        for lang in [*langs, *([EVERYWHERE] if len(langs) > 1 else [])]
        if (gate := _gate(kind, lang, answered)).n
    )


def language_disagreements(results: Sequence[Checked]) -> tuple[Apart, ...]:
    """Return the parallel controls that a judge treats differently in different languages, sorted.

    They are those whose grades lie two steps of the scale or more apart in worth (.4 of a weight), and those with a
    grade in one language and none in another. Controls whose call failed are left out.
    """
    parallel: dict[tuple[str, Kind], dict[str, int | None]] = {}
    for result in results:
        if result.answered:
            parallel.setdefault((result.control.item_id, result.control.kind), {})[result.control.lang] = result.grade
    found = []
    for (item_id, kind), grades in sorted(parallel.items()):
        weights = [WEIGHTS[grade] for grade in grades.values() if grade is not None]
        partly = 0 < len(weights) < len(grades)
        if partly or (weights and max(weights) - min(weights) > _APART - 1e-9):
            found.append(Apart(item_id, kind, tuple(sorted(grades.items()))))
    return tuple(found)


def _gate(kind: Kind, lang: str, answered: Sequence[Checked]) -> Gate:
    own = [r for r in answered if r.control.kind is kind and lang in (r.control.lang, EVERYWHERE)]
    return Gate(kind, lang, len(own), sum(result.passed for result in own), bounds()[kind].allowed(len(own)))
