"""The tokens that a run used."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.aggregate.run_rows import RunRows
from ragaliq.types import Usage


def usage_by_role(rows: RunRows) -> dict[str, dict[str, int]]:
    """Return the tokens of a run's answers and verdicts, as their endpoints reported them, and how many reported."""
    return {
        "reader": _total([answer.header.usage for answer in rows.answers.values()]),
        "judge": _total([verdict.header.usage for verdict in rows.verdicts.values()]),
    }


def _total(usages: Sequence[Usage | None]) -> dict[str, int]:
    reported = [usage for usage in usages if usage is not None]
    return {
        "n": len(usages),
        "n_reported": len(reported),
        "prompt_tokens": sum(usage.prompt_tokens for usage in reported),
        "completion_tokens": sum(usage.completion_tokens for usage in reported),
    }
