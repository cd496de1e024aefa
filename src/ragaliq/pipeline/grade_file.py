"""Grading a file of answers: rows go in, the same rows with a grade come out.

While it works the output is a journal, one durable line per graded row in the order in which they come; at the end it
is rewritten in the order of the input. A row is known again by what it holds, and rows that hold the same by how many
of them there are, so the same command goes on after a kill.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.execution.engine import SerialThread, Stage, each, work
from ragaliq.judge import Judge
from ragaliq.llm import LLMSession
from ragaliq.pipeline.grade import verdict_on
from ragaliq.pipeline.judge_gate import carry_out, require_controls
from ragaliq.pipeline.manifest import judge_identity
from ragaliq.runs.rows import RunAnswer
from ragaliq.storage.files import Journal, Row, check_unicode, dump_row, read_journal, read_jsonl, write_jsonl
from ragaliq.types import Answer, AnswerOutcome, Item, Query, Verdict, VerdictOutcome

_NEEDED = ("lang", "question", "reference", "answer")
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
    """A row of the input, what the judge gets of it, and what it is known by."""

    row: Row
    answered: RunAnswer
    content: str


def file_languages(source: Path, out: Path) -> list[str]:
    """Return the languages of a file of answers, sorted; raises what `grade_file` raises about its rows."""
    return _languages(_entries(source, out))


def grade_file(
    source: Path, judge: Judge, out: Path, session: LLMSession, fresh: bool = False, controls: bool = False
) -> FileGraded:
    """Grade the rows `{lang, question, reference, answer}` of a JSON Lines file into another.

    Each row keeps its keys and their order, and gains `grade`, `outcome`, `feedback`, `judge` and `prompt_hash`. A
    blank answer is `no_answer`, as in a run. Rows whose call failed are tried again by the same command. `aliases`, a
    list of texts, are references that are as good to the offline judge; a model is shown `reference` alone. With
    `fresh` earlier grades of any input are thrown away. With `controls` a judge that calls an endpoint has to pass
    those of the file's languages first, unless `OUT.controls.json` says that it has.

    Raises:
        InputError: before anything is called: a row is malformed, the output holds rows of another input or judge, or
            another process is at work on it.
        ControlsFailed: if `controls` asks for them and the judge fails them; nothing is graded or thrown away then.
        Stopped: if the work ended early; the same call goes on.
    """
    entries = _entries(source, out)
    with _locked(out):
        return _grade_entries(entries, judge, out, session, fresh, controls)


def _grade_entries(
    entries: Sequence[_Entry], judge: Judge, out: Path, session: LLMSession, fresh: bool, controls: bool
) -> FileGraded:
    kept = _kept(out, None if fresh else entries, judge)
    if not kept:
        _check_torn(out, entries)
    if controls and _pending(entries, kept):
        require_controls(judge, _languages(entries), session, Path(f"{out}.controls.json"), anew=fresh)
    if fresh:
        out.write_bytes(b"")
        kept.clear()
    with Journal(out) as journal:
        _grade(entries, kept, journal, judge, session)
    rows = list(_in_order(entries, kept))
    write_jsonl(out, rows)
    failures = Counter(str(row["outcome"]) for row in rows if row["grade"] is None)
    return FileGraded(len(rows), sum(row["grade"] is not None for row in rows), dict(sorted(failures.items())))


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Keep other processes from grading, and paying for, the same rows into the same file.

    Raises:
        InputError: if one is at it, or the file cannot be written.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(out, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"--out {out}: cannot be written ({error.strerror}); name another file") from None
    try:
        # Windows has no such lock.
        with suppress(ImportError):
            _lock(handle, out)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, out: Path) -> None:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(f"--out {out}: another process is at work on this file; wait for it") from None


def _grade(
    entries: Sequence[_Entry], kept: dict[str, list[Row]], journal: Journal, judge: Judge, session: LLMSession
) -> None:
    """Grade what has no verdict yet; each graded row is in the journal at once, and added to those that are kept."""
    thread, pending = SerialThread(), _pending(entries, kept)

    async def do(places: Sequence[int]) -> list[Verdict]:
        return [await verdict_on(entries[place].answered, judge, thread) for place in places]

    def keep(place: int, verdict: Verdict) -> None:
        row = _graded(entries[place].row, verdict)
        journal.append(row)
        kept.setdefault(entries[place].content, []).append(row)

    stage: Stage[int, Verdict] = Stage(
        "grading", do, keep, journal.sync, lambda v: v.grade is None, len(pending), session.concurrency
    )
    try:
        carry_out(work(stage, each(pending), session.signal), session)
    finally:
        thread.close()


def _entries(source: Path, out: Path) -> list[_Entry]:
    """Return the rows of the input.

    Raises:
        InputError: if a row is malformed, there is none, or the output cannot be one.
    """
    if source.resolve() == out.resolve() or (out.exists() and not out.is_file()):
        what = "the input itself" if out.is_file() else "no file that can be replaced"
        raise InputError(f"--out {out}: is {what}; name another file")
    entries = [_entry(row, f"{source}:{number}", number) for number, row in read_jsonl(source)]
    if not entries:
        raise InputError(f"{source}: no rows; it needs lines with {', '.join(_NEEDED)}")
    return entries


def _languages(entries: Sequence[_Entry]) -> list[str]:
    return sorted({entry.row["lang"] for entry in entries})


def _entry(row: Row, where: str, number: int) -> _Entry:
    """Check a row, and return it with what the judge gets.

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
        raise InputError(f"{where}: 'aliases' must be a list of texts; mend it")
    for alias in aliases:
        check_unicode(alias, "aliases", where)
    try:
        dump_row(row)
    except ValueError:  # 1e400 is read as infinity.
        raise InputError(f"{where}: holds a number too great to be written again; mend it") from None
    query = Query(f"line {number}", row["lang"], row["question"])
    outcome = AnswerOutcome.ANSWERED if row["answer"].strip() else AnswerOutcome.EMPTY
    answered = RunAnswer(
        Item(query, row["reference"], aliases=tuple(aliases)), Answer(query, row["answer"], outcome, ())
    )
    return _Entry(row, answered, _content(row))


def _content(row: Row) -> str:
    """Return what a row is known by: its keys and values, less what the grading adds."""
    return json.dumps({key: value for key, value in row.items() if key not in ADDED}, sort_keys=True)


def _kept(out: Path, entries: Sequence[_Entry] | None, judge: Judge) -> dict[str, list[Row]]:
    """Return the rows that the output holds already, by their content; without `entries` any graded rows will do.

    Raises:
        InputError: if one is not of this input, or of another judge, or no graded row at all.
    """
    known = None if entries is None else {entry.content for entry in entries}
    identity = judge_identity(judge)
    kept: dict[str, list[Row]] = {}
    for number, row in read_journal(out):
        where = f"{out}:{number}"
        if any(key not in row for key in ADDED):
            raise InputError(f"{where}: is no graded row; name another --out")
        if known is None:
            continue
        if _content(row) not in known:
            raise InputError(f"{where}: is no row of this input; name another --out, or begin anew with --fresh")
        if (row["judge"], row["prompt_hash"]) != identity:
            raise InputError(
                f"{where}: graded by '{row['judge']}' ({row['prompt_hash']}), not by '{identity[0]}' ({identity[1]}); "
                "name another --out, or begin anew with --fresh"
            )
        kept.setdefault(_content(row), []).append(row)
    return kept


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


def _pending(entries: Sequence[_Entry], kept: Mapping[str, Sequence[Row]]) -> list[int]:
    """Return the places of the rows that have no verdict yet, or one that a failed call left."""
    done = Counter({content: sum(map(_stands, rows)) for content, rows in kept.items()})
    places = []
    for place, entry in enumerate(entries):
        if done[entry.content] > 0:
            done[entry.content] -= 1
        else:
            places.append(place)
    return places


def _stands(row: Row) -> bool:
    return bool(row["outcome"] != VerdictOutcome.API_ERROR)


def _in_order(entries: Sequence[_Entry], kept: Mapping[str, Sequence[Row]]) -> Iterator[Row]:
    """Return one row for each row of the input, in its order; those of failed calls only where there is no other."""
    # Of failed rows the last: it tells how the row stands now.
    ranked = {
        content: iter([*filter(_stands, rows), *(row for row in reversed(rows) if not _stands(row))])
        for content, rows in kept.items()
    }
    for entry in entries:
        yield next(ranked[entry.content])


def _graded(row: Row, verdict: Verdict) -> Row:
    added = {"grade": verdict.grade, "outcome": str(verdict.outcome), "feedback": verdict.feedback,
             "judge": verdict.judge, "prompt_hash": verdict.prompt_hash}  # fmt: skip
    return {**row, **added}
