"""A run's rows as its figures need them: each file is parsed once, and the long texts stay on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragaliq.metrics.answers.overlap import overlap
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import ANSWERS, VERDICTS, AnswerHeader, RunAnswer, VerdictHeader
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import AnswerOutcome, JudgeVote, Verdict


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What figures need of an answer.

    Attributes:
        header: outcome, language and usage.
        question: the query's text.
        shown: ids of the documents that the reader was shown.
        overlap: the measures of overlap with the reference; None where they are not measured.
        length: characters of the answer; None where the reader failed.
    """

    header: AnswerHeader
    question: str
    shown: tuple[str, ...]
    overlap: Mapping[str, float] | None = None
    length: int | None = None

    @property
    def abstained(self) -> bool | None:
        """Whether the reader abstained; None where it failed."""
        return None if self.header.failed else self.header.outcome is AnswerOutcome.ABSTAINED


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """What figures need of a verdict; `feedback` is that of a verdict without a grade, else empty."""

    header: VerdictHeader
    votes: tuple[JudgeVote, ...]
    feedback: str


@dataclass(frozen=True, slots=True)
class RunRows:
    """The configuration of a run, its answers, and the verdicts on these, in the order of their keys.

    A verdict on an earlier answer counts as missing; `n_outdated` has the number of these by language.
    """

    folder: RunFolder
    config: Mapping[str, Any]
    answers: Mapping[Key, AnswerRow]
    verdicts: Mapping[Key, VerdictRow]
    n_outdated: Mapping[str, int]

    def grade(self, key: Key) -> int | None:
        """Return the grade of an answer; None without a verdict or a grade."""
        return self.verdicts[key].header.grade if key in self.verdicts else None


def read_run_rows(folder: RunFolder, with_overlap: bool = False) -> RunRows:
    """Read a run; overlap takes ten times as long as everything else.

    Raises:
        InputError: if the folder is no run, or a row is broken.
    """
    config = folder.config()
    answers = RecordStore(folder.answers_file, replace(ANSWERS, header=_with_overlap if with_overlap else _answer_row))
    verdicts = RecordStore(folder.verdicts_file, replace(VERDICTS, header=_verdict_row))
    current = {key: verdicts.header(key) for key in verdicts if _is_current(answers, key, verdicts.header(key).header)}
    n_outdated = Counter(lang for lang, _ in verdicts.keys() - current.keys())
    return RunRows(folder, config, {key: answers.header(key) for key in answers}, current, n_outdated)


def run_at(path: Path) -> RunFolder | None:
    """Return the run that a folder is, or whose `verdicts.jsonl` a file is; None for another path."""
    if path.name == "verdicts.jsonl" and (path.parent / "config.json").is_file():
        return RunFolder(path.parent)
    return RunFolder(path) if path.is_dir() else None


def _is_current(answers: RecordStore[RunAnswer], key: Key, verdict: VerdictHeader) -> bool:
    # A run of an earlier version may have verdicts alone.
    return key not in answers or answers.header(key).header.has_hash(verdict.answer_hash)


def _answer_row(answered: RunAnswer) -> AnswerRow:
    shown = tuple(hit.chunk.doc_id for hit in answered.answer.context)
    length = None if answered.answer.failed else len(answered.answer.text)
    return AnswerRow(ANSWERS.header(answered), answered.item.query.text, shown, length=length)


def _with_overlap(answered: RunAnswer) -> AnswerRow:
    row, item = _answer_row(answered), answered.item
    if not item.answerable or answered.answer.failed:
        return row
    return replace(row, overlap=overlap(answered.answer.text, (item.reference, *item.aliases)))


def _verdict_row(verdict: Verdict) -> VerdictRow:
    return VerdictRow(VERDICTS.header(verdict), verdict.draws, verdict.feedback if verdict.grade is None else "")
