"""What the stages asked of models, and how many tokens that took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.build.context import BuildContext
from ragaliq.storage.journal import read_journal


@dataclass(frozen=True, slots=True)
class StageCalls:
    """The requests that the rows of a stage come from.

    Attributes:
        stage: its name.
        calls: different requests; a second attempt at a reply's form is one of its own.
        prompt_tokens: as the endpoint reported, each request once; `completion_tokens` too.
        unreported: requests without such a report: rules, recordings, endpoints that report nothing.
    """

    stage: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    unreported: int


def stage_calls(context: BuildContext, stages: Sequence[str]) -> list[StageCalls]:
    """Return the calls of the stages that ask models; requests of earlier versions of a row are not counted."""
    usages: dict[str, dict[str, int]] = {}
    path = context.workspace.traces_file
    for _, row in read_journal(path) if path.is_file() else ():
        if row.get("usage"):
            # Two items that ask the same have a trace each.
            usages[str(row["request_hash"])] = row["usage"]
    counted = []
    for stage in stages:
        keys = {key for row in context.workspace.rows(stage) for key in row.traces}
        reported = [usages[key] for key in keys if key in usages]
        asked, said = (
            sum(usage.get(name) or 0 for usage in reported) for name in ("prompt_tokens", "completion_tokens")
        )
        if keys:
            counted.append(StageCalls(stage, len(keys), asked, said, sum(key not in usages for key in keys)))
    return counted
