"""A run's answers of one language as another tool's log has them: answerable queries alone, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean

from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.errors import InputError
from ragaliq.metrics.answers.aggregates import Aggregates
from ragaliq.runs.benchmark import run_benchmark
from ragaliq.runs.rows import RunAnswer, current_verdicts
from ragaliq.storage.record_store import Key
from ragaliq.types import Verdict


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One answer to an answerable query.

    Attributes:
        answered: question, answer and context.
        verdict: about this answer, with a grade or the reason that there is none; None without one.
        source: the benchmark's passages that hold the answer; "" where they are not at hand.
        consistency: in 0..1, the token-level score where the run has log-probabilities, else whether the answer is in
            the query's language; None where it is too short to tell.
        seconds: the reader's; None where not timed.
    """

    answered: RunAnswer
    verdict: Verdict | None
    source: str
    consistency: float | None
    seconds: float | None = None

    @property
    def grade(self) -> int | None:
        """The grade; None where the answer has none."""
        return None if self.verdict is None else self.verdict.grade


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
        return [answer for answer in self.answers if answer.grade is not None]

    @property
    def n_missing(self) -> int:
        """Number of answerable queries without an answer, which such a log cannot tell from queries never asked."""
        return (self.aggregates.n_expected or 0) - len(self.answers)


def exported_logs(run: RunFigures) -> list[ExportedLog]:
    """Return a run's log for each language with an answer, in the order of its configuration.

    Raises:
        InputError: if a row of the run is broken.
    """
    sources, seconds = _sources(run), run.folder.seconds()
    answers, verdicts = run.folder.answers(), run.folder.verdicts()
    current = current_verdicts(answers, verdicts)
    logs = []
    for lang in run.summaries:
        keys = sorted(key for key in answers if key[0] == lang)
        logged = []
        for key in keys:
            verdict = verdicts[key] if key in current else None
            row = answers[key]
            if row.item.answerable:
                logged.append(LoggedAnswer(row, verdict, sources.get(key, ""), _consistency(row), seconds.get(key)))
        if logged:
            logs.append(_log(run, lang, logged, len(keys) - len(logged)))
    return logs


def graded_at(run: RunFigures) -> datetime:
    """Return when the run's verdicts were last written, to the second: a run keeps no other date."""
    return datetime.fromtimestamp(int(run.folder.verdicts_file.stat().st_mtime), UTC)


def _log(run: RunFigures, lang: str, logged: Sequence[LoggedAnswer], n_unanswerable: int) -> ExportedLog:
    summary = run.summaries[lang]
    known = [one.consistency for one in logged if one.grade is not None and one.consistency is not None]
    return ExportedLog(
        lang,
        # Readers of such a log take the name up to the first blank.
        (summary.judge or "").replace(" + ", "+"),
        tuple(logged),
        summary.aggregates,
        fmean(known) if known else None,
        run.times[lang].total if lang in run.times else None,
        n_unanswerable,
    )


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
