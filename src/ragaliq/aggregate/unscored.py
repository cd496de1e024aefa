"""Why answers of a run have no grade, or no findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragaliq.aggregate.run_rows import RunRows
from ragaliq.types import VerdictOutcome

# Characters of an explanation that serve as an example.
_EXAMPLE = 200


@dataclass(frozen=True, slots=True)
class Unscored:
    """Answers unscored for one reason: their number, and the first explanation among them that says something."""

    outcome: VerdictOutcome
    count: int
    example: str

    def __str__(self) -> str:
        answers = "answer" if self.count == 1 else "answers"
        return f"{self.count} {answers} {self.outcome}" + (f", such as: {self.example}" if self.example else "")


def unscored_reasons(failures: Iterable[tuple[VerdictOutcome, str]]) -> tuple[Unscored, ...]:
    """Return the reasons by name, from each answer's outcome and explanation."""
    texts_by: dict[VerdictOutcome, list[str]] = {}
    for outcome, text in failures:
        texts_by.setdefault(outcome, []).append(" ".join(text.split())[:_EXAMPLE])
    return tuple(
        Unscored(outcome, len(texts), next(filter(None, texts), "")) for outcome, texts in sorted(texts_by.items())
    )


def partly_graded(rows: RunRows) -> int:
    """Return how many verdicts have a grade, but not one from each draw."""
    headers = [verdict.header for verdict in rows.verdicts.values()]
    return sum(header.grade is not None and not header.complete for header in headers)
