"""What a judge said to its controls, and the JSON object of `controls.json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ragaliq.judge.controls.attacks import Shift, summarise_shifts
from ragaliq.judge.controls.cases import Checked
from ragaliq.judge.controls.gates import gates, language_disagreements

CONTROLS_FORMAT = "ragaliq-controls-1"


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
        parts = [member.passed for member in self.members]
        parts.append(None if unmeasured(self.results) else all(gate.passed for gate in gates(self.results)))
        return False if False in parts else None if None in parts else True


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


def results_json(judge: JudgeResults, shifts: Sequence[Shift] | None = None) -> dict[str, Any]:
    """Return everything that is known; `attacks` only where they were asked, `members` only of a panel.

    `passed` is None where too many calls failed for anything to be known.
    """
    results = judge.results
    value: dict[str, Any] = {
        "format": CONTROLS_FORMAT,
        "judge": judge.name,
        "prompt_hash": judge.prompt_hash,
        "langs": sorted({result.control.lang for result in results}),
        "passed": judge.passed,
        "n": len(results),
        "n_lost": sum(not result.answered for result in results),
        "gates": [
            {"kind": g.kind, "lang": g.lang, "n": g.n, "passes": g.passes, "allowed": g.allowed, "passed": g.passed}
            for g in gates(results)
        ],
        "apart": [{"item": a.item_id, "kind": a.kind, "grades": dict(a.grades)}
                  for a in language_disagreements(results)],
        "results": [_result_json(result) for result in results],
    }  # fmt: skip
    if judge.members:
        value["members"] = [results_json(member) for member in judge.members]
    if shifts is not None:
        value["attacks"] = {
            "summary": [asdict(summary) for summary in summarise_shifts(shifts)],
            "shifts": [
                {"attack": s.attack.attack_id, "kind": s.attack.kind, "subtle": s.attack.subtle, "lang": s.lang,
                 "item": s.item_id, "before": s.before, "after": s.after}
                for s in shifts
            ],
        }  # fmt: skip
    return value


def _result_json(result: Checked) -> dict[str, Any]:
    control = result.control
    return {
        "lang": control.lang,
        "item": control.item_id,
        "kind": control.kind,
        "grade": result.grade,
        "outcome": result.outcome,
        "passed": result.passed if result.answered else None,
        "feedback": result.feedback,
    }
