"""A run's answers of one language as another tool's log has them: answerable queries alone, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.errors import InputError
from ragaliq.metrics.answers.aggregates import Aggregates
from ragaliq.runs.benchmark import run_benchmark
from ragaliq.runs.rows import RunAnswer
from ragaliq.storage.record_store import Key
from ragaliq.types import Verdict


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One answer to an answerable query.

    Attributes:
        answered: question, answer and context.
        verdict: None where the answer has no grade.
        source: the benchmark's passages that hold the answer; "" where they are not at hand.
        consistency: in 0..1, the token-level score where the run has log-probabilities, else whether the answer is in
            the query's language; None where it is too short to tell.
    """

    answered: RunAnswer
    verdict: Verdict | None
    source: str
    consistency: float | None


@dataclass(frozen=True, slots=True)
class ExportedLog:
    """A run's answers in one language.

    Attributes:
        aggregates: over the graded answers.
        consistency: mean over the graded answers that have one.
        seconds: the reader's.
        n_unanswerable: answers to unanswerable queries, which such a log cannot hold.
    """

    lang: str
    judge: str
    answers: tuple[LoggedAnswer, ...]
    aggregates: Aggregates
    consistency: float | None
    seconds: float | None
    n_unanswerable: int

    @property
    def graded(self) -> list[LoggedAnswer]:
        """The answers with a grade."""
        return [answer for answer in self.answers if answer.verdict is not None]

    @property
    def n_missing(self) -> int:
        """Number of answerable queries without an answer, which such a log cannot tell from queries never asked."""
        return (self.aggregates.n_expected or 0) - len(self.answers)


def exported_logs(run: RunFigures) -> list[ExportedLog]:
    """Return a run's log for each language with an answer, in the order of its configuration.

    Raises:
        InputError: if a row of the run is broken.
    """
    sources = _sources(run)
    answers, verdicts = run.folder.answers(), run.folder.verdicts()
    logs = []
    for lang, summary in run.summaries.items():
        keys = sorted(key for key in answers if key[0] == lang)
        rows = [answers[key] for key in keys]
        graded = {
            key: verdicts[key]
            for key in keys
            if key in verdicts
            and verdicts.header(key).grade is not None
            and answers.header(key).has_hash(verdicts.header(key).answer_hash)
        }
        logged = tuple(
            LoggedAnswer(row, graded.get(key), sources.get(key, ""), _consistency(row))
            for key, row in zip(keys, rows, strict=True)
            if row.item.answerable
        )
        known = [one.consistency for one in logged if one.verdict is not None and one.consistency is not None]
        logs.append(
            ExportedLog(
                lang,
                (summary.judge or "").replace(" + ", "+"),
                logged,
                summary.aggregates,
                fmean(known) if known else None,
                run.seconds.get(lang),
                len(rows) - len(logged),
            )
        )
    return [log for log in logs if log.answers]


def _consistency(answered: RunAnswer) -> float | None:
    if answered.token_consistency is not None:
        return answered.token_consistency
    return None if answered.language.answer is None else float(answered.language.answer)


def _sources(run: RunFigures) -> Mapping[Key, str]:
    """Return the text of the gold passages of each query: of alternatives the first; empty without the benchmark."""
    try:
        benchmark = run_benchmark(run.folder, list(run.summaries))
    except InputError:
        return {}
    texts = {(lang, chunk.doc_id): chunk.text for lang, chunks in benchmark.chunks.items() for chunk in chunks}
    return {
        item.key: "\n".join(texts.get((lang, group[0]), "") for group in item.gold)
        for lang, items in benchmark.items.items()
        for item in items
    }
