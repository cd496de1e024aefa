"""The lines of a run's files, the records that they become, and what is kept in memory of each."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

from ragaliq.judge.finding_rows import usage_from_row
from ragaliq.runs.shapes import ANSWER, VERDICT
from ragaliq.storage.files import Row
from ragaliq.storage.record_store import Key, RecordStore, RowCodec
from ragaliq.text.answer_language import NOTHING_TOLD, AnswerLanguage
from ragaliq.types import (
    Answer,
    AnswerOutcome,
    Chunk,
    CitedSentence,
    Hit,
    Item,
    JudgeVote,
    Query,
    Refusal,
    TokenChoice,
    TokenChoices,
    Usage,
    Verdict,
    VerdictOutcome,
)

# Keys of a verdict's line that are left out where nothing is known.
_IF_KNOWN = ("expected_grade", "confidence", "reasoning", "answer_hash")


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """One line of `answers.jsonl`: an item of the benchmark and a system's answer to it.

    `language` says whether the answer is in the query's language.
    `token_consistency` is the token-level score of the RAGaliq sources; None without log-probabilities.
    """

    item: Item
    answer: Answer
    language: AnswerLanguage = NOTHING_TOLD
    token_consistency: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerHeader:
    """What is kept in memory of an answer; a verdict or finding with another `hash` is about an earlier answer.

    `failed` is the answer's.
    """

    outcome: AnswerOutcome
    answerable: bool
    language: AnswerLanguage
    token_consistency: float | None
    usage: Usage | None
    hash: str = ""
    failed: bool = False

    def has_hash(self, judged_hash: str) -> bool:
        """Return whether a verdict or finding is about this answer; one without a hash is taken to be."""
        return judged_hash in ("", self.hash)


@dataclass(frozen=True, slots=True)
class VerdictHeader:
    """What is kept in memory of a verdict; `lost_draws` counts its draws without a grade."""

    grade: int | None
    outcome: VerdictOutcome
    judge: str
    prompt_hash: str
    usage: Usage | None
    lost_draws: int = 0
    answer_hash: str = ""

    @property
    def complete(self) -> bool:
        """Whether the verdict has a grade, and so has each of its draws."""
        return self.grade is not None and not self.lost_draws


def run_answer_to_row(answered: RunAnswer) -> Row:
    """Return the line of `answers.jsonl`."""
    item, answer = answered.item, answered.answer
    row: Row = {
        "query_id": item.query.query_id,
        "lang": item.query.lang,
        "question": item.query.text,
        "reference": item.reference,
        "answerable": item.answerable,
        "answer": answer.text,
        "context": [
            {"doc_id": hit.chunk.doc_id, "score": hit.score, "rank": hit.rank, "text": hit.chunk.text}
            for hit in answer.context
        ],
        "outcome": str(answer.outcome),
        "in_language": answered.language.answer,
        "lines_in_language": answered.language.lines,
        "words_in_language": answered.language.words,
        "usage": _usage_to_row(answer.usage),
    }
    if not answer.context_known:
        row["context_known"] = False
    if item.aliases:
        row["aliases"] = list(item.aliases)
    if answer.sentences:
        row["sentences"] = [asdict(sentence) for sentence in answer.sentences]
    if answer.error:
        row["error"] = answer.error
    if answer.reasoning:
        row["reasoning"] = answer.reasoning
    if answered.token_consistency is not None:
        row["token_consistency"] = answered.token_consistency
    if answer.logprobs:
        row["logprobs"] = [[{"token": c.token, "prob": c.prob} for c in place] for place in answer.logprobs]
    return row


def run_answer_from_row(row: Row) -> RunAnswer:
    """Return the record of a line of `answers.jsonl`; of the context's chunks only id and text are known.

    Raises:
        ValueError: if the outcome is unknown.
    """
    query = Query(row["query_id"], row["lang"], row["question"])
    item = Item(query, row["reference"], row.get("answerable", True), aliases=tuple(row.get("aliases", ())))
    context = tuple(
        Hit(Chunk(hit["doc_id"], query.lang, hit["text"], "", 0, len(hit["text"])), hit["score"], hit["rank"])
        for hit in row["context"]
    )
    outcome = AnswerOutcome(row["outcome"])
    usage, error = usage_from_row(row.get("usage")), row.get("error", "")
    sentences = tuple(CitedSentence(one["text"], tuple(one["citations"])) for one in row.get("sentences", ()))
    reasoning = row.get("reasoning", "")
    more = (usage, error, _logprobs(row), sentences, reasoning, row.get("context_known", True))
    answer = Answer(query, row["answer"], outcome, context, *more)
    marks = (row.get(f"{part}in_language") for part in ("", "lines_", "words_"))
    return RunAnswer(item, answer, AnswerLanguage(*marks), row.get("token_consistency"))


def verdict_to_row(verdict: Verdict) -> Row:
    """Return the line of `verdicts.jsonl`."""
    row: Row = {**asdict(verdict), "outcome": str(verdict.outcome), "usage": _usage_to_row(verdict.usage)}
    row["refuses"] = None if verdict.refuses is None else str(verdict.refuses)
    for key in ("draws", *_IF_KNOWN):
        if not row[key] and row[key] != 0:
            del row[key]
    if verdict.draws:
        row["draws"] = [{**asdict(draw), "outcome": str(draw.outcome)} for draw in verdict.draws]
    return row


def verdict_from_row(row: Row) -> Verdict:
    """Return the record of a line of `verdicts.jsonl`.

    Raises:
        ValueError: if the outcome is unknown, or the grade does not fit it.
    """
    return Verdict(
        row["query_id"],
        row["lang"],
        row["grade"],
        VerdictOutcome(row["outcome"]),
        row.get("feedback") or "",
        row.get("judge") or "",
        row.get("prompt_hash") or "",
        row.get("attempts") or 1,
        usage_from_row(row.get("usage")),
        tuple(
            JudgeVote(draw["judge"], draw["grade"], VerdictOutcome(draw["outcome"])) for draw in row.get("draws", ())
        ),
        # Rows of earlier versions have none of these.
        None if row.get("refuses") is None else Refusal(row["refuses"]),
        row.get("expected_grade"),
        row.get("confidence"),
        row.get("reasoning") or "",
        row.get("answer_hash") or "",
    )


def current_verdicts(answers: RecordStore[RunAnswer], verdicts: RecordStore[Verdict]) -> set[Key]:
    """Return the items whose verdict is about the answer that the run holds."""
    return {
        key for key in verdicts if key in answers and answers.header(key).has_hash(verdicts.header(key).answer_hash)
    }


def _logprobs(row: Row) -> TokenChoices:
    places = row.get("logprobs") or ()
    return tuple(tuple(TokenChoice(choice["token"], choice["prob"]) for choice in place) for place in places)


def _usage_to_row(usage: Usage | None) -> Row | None:
    return None if usage is None else asdict(usage)


def _answer_header(answered: RunAnswer) -> AnswerHeader:
    answer = answered.answer
    return AnswerHeader(
        answer.outcome,
        answered.item.answerable,
        answered.language,
        answered.token_consistency,
        answer.usage,
        _hash(answer),
        answer.failed,
    )


def _hash(answer: Answer) -> str:
    """Return 12 hex digits of the SHA-256 of an answer, its citations, and the context that its reader saw."""
    seen: list[object] = [answer.text, [[hit.chunk.doc_id, hit.chunk.text] for hit in answer.context]]
    if not answer.context_known:
        seen.append("unknown")
    if answer.sentences:
        seen.append([[sentence.text, sentence.citations] for sentence in answer.sentences])
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:12]


def _verdict_header(verdict: Verdict) -> VerdictHeader:
    lost = sum(draw.grade is None for draw in verdict.draws)
    judged = (verdict.judge, verdict.prompt_hash, verdict.usage, lost, verdict.answer_hash)
    return VerdictHeader(verdict.grade, verdict.outcome, *judged)


ANSWERS = RowCodec(
    run_answer_from_row,
    run_answer_to_row,
    lambda answered: answered.item.key,
    _answer_header,
    lambda answered: answered.answer.failed,
    ANSWER,
)
VERDICTS = RowCodec(
    verdict_from_row,
    verdict_to_row,
    lambda verdict: verdict.key,
    _verdict_header,
    lambda verdict: verdict.grade is None,
    VERDICT,
)
