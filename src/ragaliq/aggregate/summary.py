"""One run's figures per language, from its answers and verdicts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from statistics import fmean
from typing import Any

from ragaliq.errors import InputError
from ragaliq.metrics.answers.abstention import AbstentionTable, abstention_table
from ragaliq.metrics.answers.aggregates import Aggregates, aggregate
from ragaliq.metrics.answers.language import language_consistency
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import FAILED, RunAnswer
from ragaliq.storage.record_store import RecordStore
from ragaliq.types import AnswerOutcome, Verdict


@dataclass(frozen=True, slots=True)
class Summary:
    """The aggregates of one file or run in one language."""

    lang: str
    judge: str | None
    aggregates: Aggregates
    language_consistency: float | None
    abstention: AbstentionTable | None = None

    def covered(self, min_coverage: float) -> bool:
        """Tell whether enough answers have a grade; where no query is answerable, nothing is missing."""
        return self.aggregates.coverage is None or self.aggregates.coverage >= min_coverage

    def to_json(self) -> dict[str, Any]:
        """Return the object of `ragaliq aggregate --format json`, without `file`."""
        values = {entry.name: getattr(self.aggregates, entry.name) for entry in fields(self.aggregates)}
        values["counts"] = {str(grade): count for grade, count in self.aggregates.counts.items()}
        return {
            "lang": self.lang,
            "judge": self.judge,
            **{key: list(value) if isinstance(value, tuple) else value for key, value in values.items()},
            "language_consistency": self.language_consistency,
            "abstention": None if self.abstention is None else asdict(self.abstention),
        }


def summarise_run(folder: RunFolder, seed: int = 0) -> list[Summary]:
    """Return the summary of each language of a run, in the order of its configuration.

    Only answerable queries enter the aggregates; a query without a verdict counts as a missing grade.
    """
    return summarise_tables(folder, folder.answers(), folder.verdicts(), seed)


def summarise_tables(
    folder: RunFolder, answers: RecordStore[RunAnswer], verdicts: RecordStore[Verdict], seed: int = 0
) -> list[Summary]:
    """Return the same from the run's tables, for callers that have read them."""
    return [
        _summarise(lang, counts["answerable"], answers, verdicts, seed)
        for lang, counts in folder.config()["expected"].items()
    ]


def summarise_usage(folder: RunFolder) -> dict[str, dict[str, int]]:
    """Return the tokens of a run's answers and verdicts, as their endpoints reported them, and how many reported."""
    tables: dict[str, RecordStore[Any]] = {"reader": folder.answers(), "judge": folder.verdicts()}
    found = {}
    for role, table in tables.items():
        usages = [table.header(key).usage for key in table]
        reported = [usage for usage in usages if usage is not None]
        found[role] = {
            "n": len(usages),
            "n_reported": len(reported),
            "prompt_tokens": sum(usage.prompt_tokens for usage in reported),
            "completion_tokens": sum(usage.completion_tokens for usage in reported),
        }
    return found


def summarise_token_consistency(folder: RunFolder) -> dict[str, dict[str, float | int]]:
    """Return the mean token-level language consistency of each language that has such scores, and their number."""
    answers = folder.answers()
    scores: dict[str, list[float]] = {}
    for key in answers:
        score = answers.header(key).token_consistency
        if score is not None:
            scores.setdefault(key[0], []).append(score)
    return {lang: {"value": fmean(own), "n": len(own)} for lang, own in scores.items()}


def _summarise(
    lang: str, expected: int, answers: RecordStore[RunAnswer], verdicts: RecordStore[Verdict], seed: int
) -> Summary:
    own = [key for key in answers if key[0] == lang]
    graded = [verdicts.header(key).grade for key in own if answers.header(key).answerable and key in verdicts]
    judges = sorted({verdicts.header(key).judge for key in verdicts if key[0] == lang})
    if len(graded) > expected:
        raise InputError(f"{lang}: {len(graded)} graded answers are more than the {expected} of config.json")
    return Summary(
        lang,
        " + ".join(judges) or None,
        aggregate(graded, expected, seed),
        language_consistency(answers.header(key).in_language for key in own).value,
        abstention_table([(answers.header(key).answerable, _abstained(answers.header(key).outcome)) for key in own]),
    )


def _abstained(outcome: AnswerOutcome) -> bool | None:
    return None if outcome in FAILED else outcome is AnswerOutcome.ABSTAINED
