"""Questions about an answer that are asked beside its grade and never become part of it.

Does the answer abstain? Is it in the language of the query? Is each of its sentences supported by the passages that the
reader was shown, and by which? A grade compares an answer with a reference; none of this is in it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ragaliq.judge.finding_rows import common_fields, finding_to_row
from ragaliq.metrics.answers.citations import CitationScores, citation_scores
from ragaliq.storage.files import Row
from ragaliq.types import Answer, Item, Usage, VerdictOutcome


class Support(StrEnum):
    """How far a passage supports a sentence, or that one contradicts it."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    NOT = "not"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class SentenceCheck:
    """A sentence of an answer.

    Attributes:
        text: the sentence.
        support: whether the passages support it; None if it states nothing that they could, as in an abstention.
        doc_id: the passage that does, wholly or in part, or that contradicts it; None for the others.
    """

    text: str
    support: Support | None
    doc_id: str | None = None

    def __post_init__(self) -> None:
        """Refuse support or contradiction without a passage, and a passage with neither."""
        if (self.support in (None, Support.NOT)) != (self.doc_id is None):
            raise ValueError(f"support {self.support} with passage {self.doc_id!r}")


# What support by a cited document is worth; a contradicted sentence is worth no more than an unsupported one.
_WORTH = {Support.SUPPORTED: 1.0, Support.PARTLY: 0.5}


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """A document that a sentence of the answer cites, and whether this document alone supports the sentence.

    `sentence` counts those that the reader listed, from 1. `support` is None where that was not found out; `outcome`
    then says why.
    """

    sentence: int
    doc_id: str
    support: Support | None
    outcome: VerdictOutcome = VerdictOutcome.SCORED

    def __post_init__(self) -> None:
        """Refuse support without `SCORED`, and `SCORED` without it."""
        if (self.outcome is VerdictOutcome.SCORED) == (self.support is None):
            raise ValueError(f"citation of {self.doc_id}: support {self.support} with outcome {self.outcome}")


@dataclass(frozen=True, slots=True)
class Check:
    """What was found about one answer, or the typed reason that nothing was.

    Attributes:
        abstains: whether the answer says that nothing was found.
        in_language: whether it is in the query's language; None if that is unknown.
        sentences: its sentences in their order.
        outcome: `scored` if the questions were answered. Otherwise `abstains` and `in_language` are None and there are
            no sentences.
        judge: who answered them.
        attempts: requests for all questions, those about citations included.
        usage: likewise of all.
        error: what came instead of answers, or of the first about a citation that failed, if anything did.
        answer_hash: of the answer that was checked; empty if not known.
        n_listed: sentences that the reader listed with their citations; 0 for a reader that cites nothing.
        citations: what these cite.
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
    answer_hash: str = ""
    n_listed: int = 0
    citations: tuple[CitationCheck, ...] = ()

    def __post_init__(self) -> None:
        """Refuse findings without `SCORED`, `SCORED` without them, and citations of no sentence."""
        scored = self.outcome is VerdictOutcome.SCORED
        if scored == (self.abstains is None) or (not scored and (self.sentences or self.in_language is not None)):
            raise ValueError(f"check of {self.query_id}: findings with outcome {self.outcome}")
        if any(not 1 <= one.sentence <= self.n_listed for one in self.citations):
            raise ValueError(f"check of {self.query_id}: cites in a sentence that is none of {self.n_listed}")

    @property
    def citation_scores(self) -> CitationScores:
        """Weighted precision and recall of the citations, both None where the reader listed no sentences."""
        weights: list[list[float | None]] = [[] for _ in range(self.n_listed)]
        for one in self.citations:
            weights[one.sentence - 1].append(None if one.support is None else _WORTH.get(one.support, 0.0))
        return citation_scores(weights)

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


def support_of_all(sentences: Sequence[SentenceCheck]) -> Support:
    """Return how far sentences are supported together: in full if each that states something is, else in part, or not.

    One that is contradicted makes them contradicted; `not` where none states anything.
    """
    labels = {sentence.support for sentence in sentences} - {None}
    if Support.CONTRADICTED in labels:
        return Support.CONTRADICTED
    if labels == {Support.SUPPORTED}:
        return Support.SUPPORTED
    return Support.PARTLY if labels & {Support.SUPPORTED, Support.PARTLY} else Support.NOT


def check_to_row(check: Check) -> Row:
    """Return the line of `checks.jsonl`."""
    return finding_to_row(check, "n_listed", "citations")


def check_from_row(row: Row) -> Check:
    """Return the record of a line of `checks.jsonl`.

    Raises:
        ValueError: if a label is unknown, or findings do not fit the outcome.
    """
    sentences = tuple(
        SentenceCheck(s["text"], None if s["support"] is None else Support(s["support"]), s["doc_id"])
        for s in row["sentences"]
    )
    return Check(
        abstains=row["abstains"],
        in_language=row["in_language"],
        sentences=sentences,
        **common_fields(row),
        n_listed=row.get("n_listed", 0),
        citations=tuple(map(_citation, row.get("citations", ()))),
    )


def _citation(row: Row) -> CitationCheck:
    support = None if row["support"] is None else Support(row["support"])
    return CitationCheck(row["sentence"], row["doc_id"], support, VerdictOutcome(row.get("outcome", "scored")))
