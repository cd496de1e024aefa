"""Which nuggets of a query an answer supports, as a record and as a line of `nugget_scores.jsonl`."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from ragaliq.judge.finding_rows import common_fields, finding_codec, finding_to_row
from ragaliq.metrics.answers.nuggets import NuggetScores, nugget_scores
from ragaliq.storage.files import Row
from ragaliq.types import Answer, AssignmentLabel, Importance, Item, Nugget, Usage, VerdictOutcome


@dataclass(frozen=True, slots=True)
class NuggetMatch:
    """How far an answer says what one nugget says."""

    nugget_id: str
    importance: Importance
    label: AssignmentLabel


@dataclass(frozen=True, slots=True)
class NuggetMatches:
    """The nuggets of one query against the answer to it, or the typed reason that none were matched.

    Attributes:
        assignments: one for each nugget, in the benchmark's order; none without `scored`.
        outcome: `scored` if every nugget has a label.
        judge: who matched them.
        answer_hash: of the answer that was matched; empty if not known.
        error: what came instead of labels, if anything did.
    """

    query_id: str
    lang: str
    assignments: tuple[NuggetMatch, ...]
    outcome: VerdictOutcome
    judge: str
    prompt_hash: str
    attempts: int = 1
    usage: Usage | None = None
    answer_hash: str = ""
    error: str = ""

    def __post_init__(self) -> None:
        """Refuse labels without `SCORED`, and `SCORED` without them."""
        if (self.outcome is VerdictOutcome.SCORED) != bool(self.assignments):
            raise ValueError(f"nuggets of {self.query_id}: {len(self.assignments)} labels with outcome {self.outcome}")

    @property
    def key(self) -> tuple[str, str]:
        """The item's place in every sorted output: language, then query id."""
        return (self.lang, self.query_id)

    @property
    def scores(self) -> NuggetScores:
        """The scores of the answer, all None without labels."""
        return nugget_scores([(match.importance, match.label) for match in self.assignments])


class NuggetMatcher(Protocol):
    """Anything that decides which nuggets an answer supports; the method may be a coroutine."""

    name: str
    prompt_hash: str

    def match(self, item: Item, answer: Answer, nuggets: Sequence[Nugget]) -> NuggetMatches | Awaitable[NuggetMatches]:
        """Return a label for each nugget, or the typed reason that there is none."""
        ...


@dataclass(frozen=True, slots=True)
class MatchHeader:
    """What is kept in memory of an answer's nuggets; `checker` is the name and prompt hash of who matched them.

    `outcome` is None if they are another answer's.
    """

    outcome: VerdictOutcome | None
    checker: tuple[str, str]
    answer_hash: str
    scores: NuggetScores

    @property
    def complete(self) -> bool:
        """Whether every nugget has a label."""
        return self.outcome is VerdictOutcome.SCORED


def _to_row(matches: NuggetMatches) -> Row:
    return {**finding_to_row(matches), "scores": asdict(matches.scores)}


def _from_row(row: Row) -> NuggetMatches:
    assignments = tuple(
        NuggetMatch(one["nugget_id"], Importance(one["importance"]), AssignmentLabel(one["label"]))
        for one in row["assignments"]
    )
    return NuggetMatches(assignments=assignments, **common_fields(row))


def _header(matches: NuggetMatches) -> MatchHeader:
    return MatchHeader(matches.outcome, (matches.judge, matches.prompt_hash), matches.answer_hash, matches.scores)


_SHAPE = {"assignments": [{"nugget_id": str, "importance": str, "label": str}]}
MATCHES = finding_codec(_from_row, _to_row, _header, _SHAPE)
