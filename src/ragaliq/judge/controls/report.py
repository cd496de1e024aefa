"""How a judge did on its controls, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ragaliq.judge.controls.attacked import Shift, summarise_shifts
from ragaliq.judge.controls.cases import Bound, Checked, Kind, bounds
from ragaliq.judge.controls.gates import (
    EVERYWHERE,
    Gate,
    JudgeResults,
    gates,
    judge_passes,
    language_disagreements,
    unmeasured,
)
from ragaliq.metrics.agreement.votes import combine

CONTROLS_FORMAT = "ragaliq-controls-1"
_MOST_NAMED = 4


def results_json(asked: JudgeResults, shifts: Sequence[Shift] | None = None) -> dict[str, Any]:
    """Return everything that is known; `attacks` only where they were asked, `members` only of a panel.

    `passed` is None where too many calls failed for anything to be known.
    """
    results = asked.results
    value: dict[str, Any] = {
        "format": CONTROLS_FORMAT,
        "judge": asked.name,
        "prompt_hash": asked.prompt_hash,
        "langs": sorted({result.control.lang for result in results}),
        "passed": asked.passed,
        "n": len(results),
        "n_lost": sum(not result.answered for result in results),
        "gates": [{**asdict(gate), "kind": str(gate.kind), "passed": gate.passed} for gate in gates(results)],
        "apart": [
            {"item": a.item_id, "kind": str(a.kind), "grades": dict(a.grades)} for a in language_disagreements(results)
        ],
        "results": [_result(result) for result in results],
    }
    if asked.members:
        value["members"] = [results_json(member) for member in asked.members]
    if shifts is not None:
        value["attacks"] = {
            "summary": [asdict(summary) for summary in summarise_shifts(shifts)],
            "shifts": [_shift(shift) for shift in shifts],
        }
    return value


def render_controls(asked: JudgeResults, shifts: Sequence[Shift] | None = None) -> str:
    """Return the tables and lists as Markdown, a panel's members before what they are together."""
    parts = [part for judge in (*asked.members, asked) for part in _judge_parts(judge)]
    return "\n\n".join([*parts, *([] if shifts is None else [_attacks(shifts)])])


def _judge_parts(asked: JudgeResults) -> list[str]:
    results, found = asked.results, gates(asked.results)
    passed = judge_passes(results)
    state = {True: "passed", False: "FAILED", None: f"not measured, {unmeasured(results)} failed"}[passed]
    parts = [f"Controls of judge {asked.name}: {state}"]
    if found:
        parts.append(_table(found, results))
    if any(not gate.passed for gate in found):
        parts.append("!: fewer controls are within the bound than must be")
    missed = [result for result in results if result.answered and not result.passed]
    if missed:
        parts.append("\n".join(["Controls outside their bound:", *map(_line, missed)]))
    lost = [result for result in results if not result.answered]
    if lost:
        example = " ".join(lost[0].feedback.split())[:200]
        parts.append(f"{len(lost)} calls failed and count nowhere, such as: {example}")
    differing = language_disagreements(results)
    if differing:
        lines = [
            f"- {a.item_id}, {a.kind}: " + ", ".join(f"{lang} {_said(grade)}" for lang, grade in a.grades)
            for a in differing
        ]
        parts.append("\n".join(["Parallel answers that it grades differently in different languages:", *lines]))
    return parts


def worst(results: Sequence[Checked]) -> list[str]:
    """Return the gates that fail, the one that misses most first, each in a few words; none if all pass."""
    failed = [gate for gate in gates(results) if not gate.passed]
    # Of one kind the languages together say it, unless it is some language alone.
    together = {gate.kind for gate in failed if gate.lang == EVERYWHERE}
    named = [gate for gate in failed if gate.lang == EVERYWHERE or gate.kind not in together]
    named.sort(key=lambda gate: (gate.passes / gate.n, gate.lang))
    lines = [
        f"{gate.kind} {_where(gate)}: {gate.passes} of {gate.n} graded {_bound(bounds()[gate.kind])}, "
        f"{gate.n - (gate.allowed or 0)} wanted"
        for gate in named[:_MOST_NAMED]
    ]
    return lines + ([f"and {len(named) - _MOST_NAMED} more"] if len(named) > _MOST_NAMED else [])


def _result(result: Checked) -> dict[str, Any]:
    control = result.control
    return {
        "lang": control.lang,
        "item": control.item_id,
        "kind": str(control.kind),
        "grade": result.grade,
        "outcome": str(result.outcome),
        "passed": result.passed if result.answered else None,
        "feedback": result.feedback,
    }


def _shift(shift: Shift) -> dict[str, Any]:
    attack = shift.attack
    return {"attack": attack.attack_id, "kind": attack.kind, "subtle": attack.subtle, "lang": shift.lang,
            "item": shift.item_id, "before": shift.before, "after": shift.after}  # fmt: skip


def _table(found: Sequence[Gate], results: Sequence[Checked]) -> str:
    """Return kind × language: how many pass, or the median of a kind that gates nothing."""
    from tabulate import tabulate

    langs = sorted({gate.lang for gate in found} - {EVERYWHERE})
    columns = [*langs, *([EVERYWHERE] if len(langs) > 1 else [])]
    cells = {(gate.kind, gate.lang): _cell(gate, results) for gate in found}
    rows = [
        [kind, _bound(bounds()[kind]), *(cells.get((kind, lang), "—") for lang in columns)]
        for kind in Kind
        if any((kind, lang) in cells for lang in columns)
    ]
    return tabulate(rows, ["control", "sound is", *columns], tablefmt="github", disable_numparse=True)


def _cell(gate: Gate, results: Sequence[Checked]) -> str:
    if gate.allowed is not None:
        return f"{gate.passes}/{gate.n}{'' if gate.passed else ' !'}"
    own = [r for r in results if r.control.kind is gate.kind and gate.lang in (r.control.lang, EVERYWHERE)]
    grades = [result.grade for result in own if result.grade is not None]
    return f"median {combine(grades)}" if grades else "no grade"


def _bound(bound: Bound) -> str:
    """Say what passes."""
    if bound.may_fail is None:
        return "(reported only)"
    said = f"≤ {bound.most}" if bound.most < 5 else f"≥ {bound.least}"
    said = str(bound.most) if bound.least in (bound.most, 5) else said
    return f"{said} or no grade" if bound.ungraded else said


def _where(gate: Gate) -> str:
    return "in all languages" if gate.lang == EVERYWHERE else f"in {gate.lang}"


def _line(result: Checked) -> str:
    control = result.control
    said = _said(result.grade) if result.grade is not None else f"{_said(None)} ({result.outcome})"
    feedback = " ".join(result.feedback.split())[:120]
    return f"- {control.lang} {control.item_id}, {control.kind}: {said}" + (f"; {feedback}" if feedback else "")


def _said(grade: int | None) -> str:
    return "no grade" if grade is None else str(grade)


def _attacks(shifts: Sequence[Shift]) -> str:
    from tabulate import tabulate

    rows = [
        [s.lang, "subtle" if s.subtle else "plain", s.n, s.n_ungraded, s.raised, _signed(s.points), _signed(s.worth)]
        for s in summarise_shifts(shifts)
    ]
    headers = ["lang", "attacks", "n", "no grade", "raised", "mean shift, grade", "mean shift, weight"]
    title = "Attacks: the grade of the same wrong answer with the attack, less that without it"
    raised = [
        f"- {s.lang} {s.attack.attack_id}, {s.item_id}: {s.before} → {s.after}"
        for s in shifts
        if s.worth is not None and s.worth > 0
    ]
    legend = (
        "n: answers with a grade both with and without the attack. The shift of the grade leaves out grades of 0, "
        "which abstain; in the shift of the weight a 0 is worth .4, as everywhere, so an answer that goes from 1 to 0 "
        "is raised by .4."
    )
    parts = [title, tabulate(rows, headers, tablefmt="github", disable_numparse=True), legend]
    return "\n\n".join(parts + (["\n".join(["Attacks that paid:", *raised])] if raised else []))


def _signed(value: float | None) -> str:
    return "—" if value is None else f"{value:+.2f}"
