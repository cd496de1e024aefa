"""How a judge did on its controls: the gates, and where it treats languages differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.judge.controls.cases import Checked, Kind, bounds
from ragaliq.metrics.agreement.votes import combine
from ragaliq.metrics.answers.aggregates import WEIGHTS

EVERYWHERE = "all"
# Two steps of the scale, the least that is no matter of taste.
_APART = 0.4
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Gate:
    """How one kind of control went in one language, or in `all` of them together.

    Attributes:
        n: number of controls that the judge replied to.
        passes: how many of them are within the bound.
        allowed: how many may miss it; None if the kind gates nothing.
        median: median grade in worth (`combine`); None if there is no grade.
    """

    kind: Kind
    lang: str
    n: int
    passes: int
    allowed: int | None
    median: int | None

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


def gates(results: Sequence[Checked]) -> tuple[Gate, ...]:
    """Return how each kind went in each language and, of several languages, over all of them; sorted by kind.

    Controls whose call failed are left out.
    """
    answered = [result for result in results if result.answered]
    langs = sorted({result.control.lang for result in answered})
    return tuple(
        _gate(kind, lang, part)
        for kind in Kind
        for lang in [*langs, *([EVERYWHERE] if len(langs) > 1 else [])]
        if (part := [r for r in answered if r.control.kind is kind and lang in (r.control.lang, EVERYWHERE)])
    )


def worst_gates(results: Sequence[Checked]) -> list[str]:
    """Return the gates that fail, the one that misses most first, each in a few words; none if all pass."""
    failed = [gate for gate in gates(results) if not gate.passed]
    # Of one kind the languages together say it, unless it is some language alone.
    together = {gate.kind for gate in failed if gate.lang == EVERYWHERE}
    named = [gate for gate in failed if gate.lang == EVERYWHERE or gate.kind not in together]
    named.sort(key=lambda gate: (gate.passes / gate.n, gate.lang))
    lines = [
        f"{gate.kind} in {'all languages' if gate.lang == EVERYWHERE else gate.lang}: {gate.passes} of {gate.n} graded "
        f"{bounds()[gate.kind]}, {gate.n - (gate.allowed or 0)} wanted"
        for gate in named[:_MOST_NAMED]
    ]
    return lines + ([f"and {len(named) - _MOST_NAMED} more"] if len(named) > _MOST_NAMED else [])


def language_disagreements(results: Sequence[Checked]) -> tuple[Apart, ...]:
    """Return the parallel controls that a judge treats differently in different languages, sorted.

    They are those whose grades lie two steps of the scale or more apart in worth (.4 of a weight), and those with a
    grade in one language and none in another. Controls whose call failed are left out.
    """
    parallel: dict[tuple[str, Kind], dict[str, int | None]] = {}
    for result in results:
        if result.answered:
            parallel.setdefault((result.control.item_id, result.control.kind), {})[result.control.lang] = result.grade
    apart = []
    for (item_id, kind), grades in sorted(parallel.items()):
        weights = [WEIGHTS[grade] for grade in grades.values() if grade is not None]
        partly = 0 < len(weights) < len(grades)
        if partly or (weights and max(weights) - min(weights) > _APART - 1e-9):
            apart.append(Apart(item_id, kind, tuple(sorted(grades.items()))))
    return tuple(apart)


def _gate(kind: Kind, lang: str, part: Sequence[Checked]) -> Gate:
    passes = sum(result.passed for result in part)
    grades = [result.grade for result in part if result.grade is not None]
    return Gate(kind, lang, len(part), passes, bounds()[kind].allowed(len(part)), combine(grades) if grades else None)
