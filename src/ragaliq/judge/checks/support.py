"""Questions about an answer that are asked beside its grade and never become part of it.

Does the answer abstain? Is it in the language of the query? Is each of its sentences supported by the passages that the
reader was shown, and by which? A grade compares an answer with a reference; none of this is in it.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Protocol

from ragaliq.storage.files import Row
from ragaliq.types import Answer, Item, Usage, VerdictOutcome


class Support(StrEnum):
    """How far a passage bears out a sentence."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    NOT = "not"


@dataclass(frozen=True, slots=True)
class SentenceCheck:
    """A sentence of an answer.

    Attributes:
        text: the sentence.
        support: whether the passages bear it out; None if it states nothing that they could, as in an abstention.
        doc_id: the passage that does, wholly or in part; None for the others.
    """

    text: str
    support: Support | None
    doc_id: str | None = None

    def __post_init__(self) -> None:
        """Refuse support that comes from nowhere, and a passage that supports nothing."""
        borne_out = self.support in (Support.SUPPORTED, Support.PARTLY)
        if borne_out != (self.doc_id is not None):
            raise ValueError(f"support {self.support} with passage {self.doc_id!r}")


@dataclass(frozen=True, slots=True)
class Check:
    """What was found about one answer, or the typed reason that nothing was.

    Attributes:
        abstains: whether the answer says that nothing was found.
        in_language: whether it is in the query's language; None if that cannot be told.
        sentences: its sentences in their order.
        outcome: `scored` if the questions were answered. Otherwise `abstains` and `in_language` are None and there are
            no sentences.
        judge: who answered them.
        error: what came instead of answers, if anything did.
    """

    query_id: str
    lang: str
    abstains: bool | None
    in_language: bool | None
    sentences: tuple[SentenceCheck, ...]
    outcome: VerdictOutcome
    judge: str
    prompt_hash: str
    attempts: int = 1
    usage: Usage | None = None
    error: str = ""

    def __post_init__(self) -> None:
        """Refuse findings without `SCORED`, and `SCORED` without them."""
        scored = self.outcome is VerdictOutcome.SCORED
        if scored == (self.abstains is None) or (not scored and (self.sentences or self.in_language is not None)):
            raise ValueError(f"check of {self.query_id}: findings with outcome {self.outcome}")

    @property
    def key(self) -> tuple[str, str]:
        """The item's place in every sorted output: language, then query id."""
        return (self.lang, self.query_id)


class Checker(Protocol):
    """Anything that answers the separate questions about one answer; the method may be a coroutine."""

    name: str
    prompt_hash: str

    def check(self, item: Item, answer: Answer) -> Check | Awaitable[Check]:
        """Return what was found, or the typed reason that nothing was."""
        ...


def check_to_row(check: Check) -> Row:
    """Return the line of `checks.jsonl`."""
    row = asdict(check)
    if not check.error:
        del row["error"]
    return row


def check_from_row(row: Row) -> Check:
    """Return the record of a line of `checks.jsonl`.

    Raises:
        KeyError, TypeError, ValueError: if a key is missing or its value is of another kind.
    """
    if not isinstance(row["query_id"], str) or not isinstance(row["lang"], str):
        raise TypeError("'query_id' and 'lang' must be texts")
    marks = (row["abstains"], row["in_language"])
    if not all(mark is None or isinstance(mark, bool) for mark in marks):
        raise TypeError("'abstains' and 'in_language' must be true, false or null")
    sentences = tuple(
        SentenceCheck(s["text"], None if s["support"] is None else Support(s["support"]), s["doc_id"])
        for s in row["sentences"]
    )
    usage = row.get("usage")
    return Check(
        row["query_id"],
        row["lang"],
        *marks,
        sentences,
        VerdictOutcome(row["outcome"]),
        row["judge"],
        row["prompt_hash"],
        row.get("attempts", 1),
        None if usage is None else Usage(usage["prompt_tokens"], usage["completion_tokens"]),
        row.get("error", ""),
    )
