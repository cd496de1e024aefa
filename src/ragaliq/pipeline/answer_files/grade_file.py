"""Grading a file of answers: rows go in, the same rows with what judge and checker say come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ragaliq.aggregate.grades.graded_answers import AnswerFigures, answer_figures
from ragaliq.errors import InputError
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.formats.answers.columns import Columns, find_columns
from ragaliq.formats.answers.reading import PARQUET, SUFFIXES, read_answer_rows
from ragaliq.llm import LLMSession
from ragaliq.pipeline.answer_files.graders import RowGraders
from ragaliq.pipeline.answer_files.output import Output, OutputRow, row_content
from ragaliq.pipeline.answer_files.rows import RowToGrade, graded_columns, rows_to_grade
from ragaliq.pipeline.judge_gate import require_controls
from ragaliq.storage.files import dump_row
from ragaliq.storage.record_store import Key, RecordStore


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """The checked rows of a file of answers, their columns, the file that they are graded into, and notes."""

    rows: tuple[RowToGrade, ...]
    columns: Columns
    output: Output
    notes: tuple[str, ...] = ()

    @property
    def langs(self) -> list[str]:
        """The languages of the rows, sorted."""
        return sorted({asked.row["lang"] for asked in self.rows})


def read_answers(source: Path, out: Path, named: Mapping[str, str] | None = None, encoding: str = "") -> AnswerFile:
    """Return the rows of a file of answers, to be graded into `out`; `named` holds columns by their role.

    Traces become one row for each answer, unless columns are named, which are those of the file's own rows.

    Raises:
        ConfigError: if a column or the encoding that was named is not there.
        InputError: if a row is malformed, there is none, or the output cannot be one.
    """
    if source.resolve() == out.resolve() or (out.exists() and not out.is_file()):
        what = "the input itself" if out.is_file() else "no file that can be replaced"
        raise InputError(f"--out {out}: is {what}; name another file")
    if out.suffix.lower() not in SUFFIXES:
        raise InputError(f"--out {out}: its ending names no format; end it in one of {' '.join(SUFFIXES)}")
    if out.suffix.lower() == PARQUET and find_spec("pyarrow") is None:
        raise InputError(f"--out {out}: writing Parquet needs pyarrow (pip install pyarrow); or name a .csv")
    read = read_answer_rows(source, encoding, traces=not named)
    columns = find_columns((row for _, row in read.rows), named or {}, str(source))
    for where, row in read.rows:
        try:
            dump_row(row)
        except ValueError:  # 1e400 is read as infinity.
            raise InputError(f"{where}: holds a number too great to be written again; fix it") from None
    rows = rows_to_grade(read.rows, columns)
    equals: Counter[str] = Counter()
    keys: list[Key] = []
    for content in (row_content(asked.row) for asked in rows):
        keys.append((content, str(equals[content])))
        equals[content] += 1
    return AnswerFile(rows, columns, Output(out, read.form, tuple(keys)), read.notes)


def grade_file(
    answers: AnswerFile, graders: RowGraders, session: LLMSession, fresh: bool = False, controls: bool = False
) -> list[AnswerFigures]:
    """Grade the rows of a file into another, and return the figures of each language.

    Each row keeps its keys and their order, and gains its language as `lang`, and the columns of those who are asked. A
    blank answer is `no_answer`, as in a run. Rows whose call failed are tried again by the same command. With `fresh`
    earlier grades of any input are thrown away. With `controls` a judge that calls an endpoint has to pass those of the
    file's languages first, unless `OUT.controls.json` says that it has.

    Raises:
        InputError: before anything is called: the output holds rows of another input or judge, or another process is at
            work on it.
        ControlsFailed: if `controls` asks for them and the judge fails them; nothing is graded or thrown away then.
        Stopped: if the work ended early; the same call goes on.
    """
    output, rows = answers.output, [asked.row for asked in answers.rows]
    with output.opened(graders, rows, fresh):
        graded = output.graded()
        if controls and graders.judge and (fresh or _pending(output.keys, graded)):
            passed = Path(f"{output.path}.controls.json")
            require_controls(graders.judge, answers.langs, session, passed, anew=fresh)
        if fresh:
            graded = output.graded(fresh=True)
        _grade(dict(zip(output.keys, answers.rows, strict=True)), graders, graded, session)
        output.finish(graded, rows, graders.added)
        return answer_figures([graded.header(key) for key in output.keys])


def _grade(
    asked: Mapping[Key, RowToGrade], graders: RowGraders, graded: RecordStore[OutputRow], session: LLMSession
) -> None:
    """Grade the rows that are not graded yet, or where a call failed."""
    thread = SerialThread()

    async def do(batch: Sequence[Key]) -> list[OutputRow]:
        return [OutputRow({**asked[k].row, **await graded_columns(asked[k], graders, thread)}, k) for k in batch]

    with graded:
        carry_out(run_stage("grading", _pending(list(asked), graded), do, graded, session), session, thread)


def _pending(keys: Sequence[Key], graded: RecordStore[OutputRow]) -> list[Key]:
    return [key for key in keys if key not in graded or graded.header(key).to_retry]
