"""Grading a file of answers: rows go in, the same rows with a grade come out.

While it works the output is a journal, one durable line per graded row in the order in which they come; at the end it
is rewritten in the order of the input. A row is known again by what it holds, and rows that hold the same by how many
of them there are, so the same command goes on after a kill.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.judge import Judge
from ragaliq.llm import LLMSession
from ragaliq.pipeline.grade import verdict_on
from ragaliq.pipeline.judge_gate import require_controls
from ragaliq.pipeline.manifest import judge_identity
from ragaliq.runs.rows import RunAnswer
from ragaliq.storage.files import Row, check_unicode, dump_row, read_jsonl
from ragaliq.storage.journal import read_journal
from ragaliq.storage.lock import locked
from ragaliq.storage.record_store import Key, RecordStore, RowCodec
from ragaliq.types import Answer, AnswerOutcome, Item, Query, Verdict, VerdictOutcome

_NEEDED = ("lang", "question", "reference", "answer")
_ROW = {"grade": (int, None), "outcome": str}
ADDED = ("grade", "outcome", "feedback", "judge", "prompt_hash")


@dataclass(frozen=True, slots=True)
class FileGraded:
    """How many rows a file has, and how many of them have a grade; `failures` counts the others by their reason."""

    n: int
    n_scored: int
    failures: Mapping[str, int]

    @property
    def coverage(self) -> float:
        """Share of the rows that have a grade, in 0..1."""
        return self.n_scored / self.n


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row of the input, what the judge gets of it, and what it is known by: its content, and which of its equals."""

    row: Row
    answered: RunAnswer
    key: Key


@dataclass(frozen=True, slots=True)
class _Graded:
    """A row of the output; one that is read back does not say which of its equals it is."""

    row: Row
    key: Key | None = None

    @property
    def outcome(self) -> str:
        return str(self.row["outcome"])


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """The checked rows of a file of answers, and the file that they are graded into."""

    entries: tuple[_Entry, ...]
    out: Path

    @property
    def langs(self) -> list[str]:
        """The languages of the rows, sorted."""
        return sorted({entry.row["lang"] for entry in self.entries})


def read_answers(source: Path, out: Path) -> AnswerFile:
    """Return the rows `{lang, question, reference, answer}` of a JSON Lines file, to be graded into `out`.

    `aliases`, a list of texts, are references as good to the offline judge; a model is shown `reference` alone.

    Raises:
        InputError: if a row is malformed, there is none, or the output cannot be one.
    """
    if source.resolve() == out.resolve() or (out.exists() and not out.is_file()):
        what = "the input itself" if out.is_file() else "no file that can be replaced"
        raise InputError(f"--out {out}: is {what}; name another file")
    equals: Counter[str] = Counter()
    entries = []
    for number, row in read_jsonl(source):
        content = _content(row)
        entries.append(_Entry(row, _answered(row, f"{source}:{number}", number), (content, str(equals[content]))))
        equals[content] += 1
    if not entries:
        raise InputError(f"{source}: no rows; it needs lines with {', '.join(_NEEDED)}")
    return AnswerFile(tuple(entries), out)


def grade_file(
    answers: AnswerFile, judge: Judge, session: LLMSession, fresh: bool = False, controls: bool = False
) -> FileGraded:
    """Grade the rows of a file into another.

    Each row keeps its keys and their order, and gains `grade`, `outcome`, `feedback`, `judge` and `prompt_hash`. A
    blank answer is `no_answer`, as in a run. Rows whose call failed are tried again by the same command. With `fresh`
    earlier grades of any input are thrown away. With `controls` a judge that calls an endpoint has to pass those of the
    file's languages first, unless `OUT.controls.json` says that it has.

    Raises:
        InputError: before anything is called: the output holds rows of another input or judge, or another process is at
            work on it.
        ControlsFailed: if `controls` asks for them and the judge fails them; nothing is graded or thrown away then.
        Stopped: if the work ended early; the same call goes on.
    """
    entries, out = answers.entries, answers.out
    busy = "another process is at work on this file; wait for it"
    with locked(out, f"--out {out}", busy=busy, remedy="name another file"):
        _check_rows(out, entries, judge, fresh)
        _check_torn(out, entries)
        graded = RecordStore(out, _codec())
        if controls and (fresh or _pending(entries, graded)):
            require_controls(judge, answers.langs, session, Path(f"{out}.controls.json"), anew=fresh)
        if fresh:
            out.write_bytes(b"")
            graded = RecordStore(out, _codec())
        _grade(entries, graded, judge, session)
        graded.rewrite(order=[entry.key for entry in entries])
    outcomes = Counter(graded.header(entry.key) for entry in entries)
    n_scored = outcomes.pop(str(VerdictOutcome.SCORED), 0)
    return FileGraded(len(entries), n_scored, dict(sorted(outcomes.items())))


def _grade(entries: Sequence[_Entry], graded: RecordStore[_Graded], judge: Judge, session: LLMSession) -> None:
    """Grade the rows that have no verdict yet, or one that a failed call left."""
    thread = SerialThread()

    async def do(batch: Sequence[_Entry]) -> list[_Graded]:
        return [_with_grade(entry, await verdict_on(entry.answered, judge, thread)) for entry in batch]

    with graded:
        carry_out(run_stage("grading", _pending(entries, graded), do, graded, session), session, thread)


def _pending(entries: Sequence[_Entry], graded: RecordStore[_Graded]) -> list[_Entry]:
    return [e for e in entries if e.key not in graded or graded.header(e.key) == VerdictOutcome.API_ERROR]


def _with_grade(entry: _Entry, verdict: Verdict) -> _Graded:
    added = {"grade": verdict.grade, "outcome": str(verdict.outcome), "feedback": verdict.feedback,
             "judge": verdict.judge, "prompt_hash": verdict.prompt_hash}  # fmt: skip
    return _Graded({**entry.row, **added}, entry.key)


def _codec() -> RowCodec[_Graded]:
    """Return how the rows of one output are read and written."""
    standing: Counter[str] = Counter()

    def key(graded: _Graded) -> Key:
        content = _content(graded.row)
        # Read back, a row takes the place of failed ones of its equals, and stands for the next of them.
        place = graded.key or (content, str(standing[content]))
        standing[content] += graded.key is None and graded.outcome != VerdictOutcome.API_ERROR
        return place

    return RowCodec(
        _Graded,
        lambda graded: graded.row,
        key,
        lambda graded: graded.outcome,
        lambda graded: graded.row["grade"] is None,
        _ROW,
    )


def _content(row: Row) -> str:
    """Return what a row is known by: its keys and values, less what the grading adds."""
    return json.dumps({key: value for key, value in row.items() if key not in ADDED}, sort_keys=True)


def _answered(row: Row, where: str, number: int) -> RunAnswer:
    """Check a row, and return what the judge gets of it.

    Raises:
        InputError: if a key is missing or no text, the question or the reference is blank, or a key would be replaced.
    """
    for key in _NEEDED:
        if not isinstance(row.get(key), str):
            raise InputError(f"{where}: '{key}' is missing or no text; a row needs {', '.join(_NEEDED)}")
        check_unicode(row[key], key, where)
        if key != "answer" and not row[key].strip():
            raise InputError(f"{where}: '{key}' is blank; fill it in")
    taken = [key for key in ADDED if key in row]
    if taken:
        raise InputError(f"{where}: has a key '{taken[0]}' already, which the grading writes; rename it")
    aliases = row.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise InputError(f"{where}: 'aliases' must be a list of texts; fix it")
    for alias in aliases:
        check_unicode(alias, "aliases", where)
    try:
        dump_row(row)
    except ValueError:  # 1e400 is read as infinity.
        raise InputError(f"{where}: holds a number too great to be written again; fix it") from None
    query = Query(f"line {number}", row["lang"], row["question"])
    outcome = AnswerOutcome.ANSWERED if row["answer"].strip() else AnswerOutcome.EMPTY
    item = Item(query, row["reference"], aliases=tuple(aliases))
    return RunAnswer(item, Answer(query, row["answer"], outcome, ()))


def _check_rows(out: Path, entries: Sequence[_Entry], judge: Judge, fresh: bool) -> None:
    """Refuse an output whose rows are not of this input, or of another judge; with `fresh` any graded rows will do.

    Raises:
        InputError: with the line.
    """
    known, identity = {entry.key[0] for entry in entries}, judge_identity(judge)
    for number, row in read_journal(out):
        where = f"{out}:{number}"
        if any(key not in row for key in ADDED):
            raise InputError(f"{where}: is no graded row; name another --out")
        if fresh:
            continue
        if _content(row) not in known:
            raise InputError(f"{where}: is no row of this input; name another --out, or begin anew with --fresh")
        if (row["judge"], row["prompt_hash"]) != identity:
            raise InputError(
                f"{where}: graded by '{row['judge']}' ({row['prompt_hash']}), not by '{identity[0]}' ({identity[1]}); "
                "name another --out, or begin anew with --fresh"
            )


def _check_torn(out: Path, entries: Sequence[_Entry]) -> None:
    """Refuse an output without a whole row, unless what stands there is the beginning of one of ours.

    A kill leaves such a beginning, and it is cut off; a text of one line without its end looks the same to a journal.

    Raises:
        InputError: if it is something else.
    """
    left = b"" if not out.is_file() or any(True for _ in read_journal(out)) else out.read_bytes().strip()
    begun = (form[:-1] for entry in entries for form in (dump_row(entry.row), json.dumps(entry.row).encode("ascii")))
    if left and not any(left.startswith(one) or one.startswith(left) for one in begun):
        raise InputError(f"{out}: is no file of graded rows; name another --out")
