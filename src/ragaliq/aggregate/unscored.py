"""Why answers of a run have no grade."""

from __future__ import annotations

from dataclasses import dataclass

from ragaliq.aggregate.run_rows import RunRows
from ragaliq.types import VerdictOutcome

# Characters of a feedback that serve as an example.
_EXAMPLE = 200


@dataclass(frozen=True, slots=True)
class Unscored:
    """Verdicts without a grade for one reason: their number, and the first feedback among them that says something."""

    outcome: VerdictOutcome
    count: int
    example: str


def unscored_reasons(rows: RunRows) -> tuple[Unscored, ...]:
    """Return the reasons for which verdicts have no grade, by name."""
    feedback: dict[VerdictOutcome, list[str]] = {}
    for verdict in rows.verdicts.values():
        if verdict.header.grade is None:
            feedback.setdefault(verdict.header.outcome, []).append(" ".join(verdict.feedback.split())[:_EXAMPLE])
    return tuple(
        Unscored(outcome, len(texts), next(filter(None, texts), "")) for outcome, texts in sorted(feedback.items())
    )


def partly_graded(rows: RunRows) -> int:
    """Return how many verdicts have a grade, but not one from each draw."""
    headers = [verdict.header for verdict in rows.verdicts.values()]
    return sum(header.grade is not None and not header.complete for header in headers)
