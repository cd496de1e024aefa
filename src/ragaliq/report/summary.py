"""One run's figures per language, from its answers and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from ragaliq.errors import InputError
from ragaliq.metrics.abstention import AbstentionTable, abstention_table
from ragaliq.metrics.answers import Aggregates, aggregate
from ragaliq.metrics.language import language_consistency
from ragaliq.run_rows import FAILED, Answered
from ragaliq.runs import Key, RunFolder
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
    answers, verdicts = folder.answers(), folder.verdicts()
    return [
        _summarise(lang, counts["answerable"], answers, verdicts, seed)
        for lang, counts in folder.config()["expected"].items()
    ]


def _summarise(
    lang: str, expected: int, answers: Mapping[Key, Answered], verdicts: Mapping[Key, Verdict], seed: int
) -> Summary:
    own = {key: answered for key, answered in sorted(answers.items()) if key[0] == lang}
    graded = [verdicts[key] for key, answered in own.items() if answered.item.answerable and key in verdicts]
    judges = sorted({verdict.judge for verdict in verdicts.values() if verdict.lang == lang})
    texts = [(answered.answer.text, lang) for answered in own.values() if answered.answer.text.strip()]
    if len(graded) > expected:
        raise InputError(f"{lang}: {len(graded)} graded answers are more than the {expected} of config.json")
    abstained = [(answered.item.answerable, _abstained(answered)) for answered in own.values()]
    return Summary(
        lang,
        " + ".join(judges) or None,
        aggregate([verdict.grade for verdict in graded], expected, seed),
        language_consistency(texts).value,
        abstention_table(abstained),
    )


def _abstained(answered: Answered) -> bool | None:
    outcome = answered.answer.outcome
    return None if outcome in FAILED else outcome is AnswerOutcome.ABSTAINED
