"""What the stages asked of models, and how many tokens that took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.build.context import BuildContext
from ragaliq.storage.journal import read_journal


@dataclass(frozen=True, slots=True)
class StageCalls:
    """The requests that the rows of a stage come from.

    Attributes:
        stage: its name.
        calls: requests; the same one counts once, and a second attempt at its form does not count.
        prompt_tokens: as the endpoint reported, over all attempts; `completion_tokens` too.
        unreported: calls without such a report: rules, recordings, endpoints that report nothing.
    """

    stage: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    unreported: int


def stage_calls(context: BuildContext, stages: Sequence[str]) -> list[StageCalls]:
    """Return the calls of the stages that ask models; requests of earlier versions of a row are not counted."""
    usages: dict[str, list[dict[str, int]]] = defaultdict(list)
    path = context.workspace.traces_file
    for _, row in read_journal(path) if path.is_file() else ():
        if row.get("usage"):
            usages[str(row["request_hash"])].append(row["usage"])
    counted = []
    for stage in stages:
        keys = {key for row in context.workspace.rows(stage) for key in row.traces}
        told = [usage for key in keys for usage in usages.get(key, ())]
        asked, said = (sum(usage.get(name) or 0 for usage in told) for name in ("prompt_tokens", "completion_tokens"))
        if keys:
            counted.append(StageCalls(stage, len(keys), asked, said, sum(key not in usages for key in keys)))
    return counted
