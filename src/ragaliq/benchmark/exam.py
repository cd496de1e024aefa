"""The judge exam of a benchmark: `exam/LANG.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragaliq.benchmark.load import Benchmark
from ragaliq.benchmark.located import RowKind, read_records
from ragaliq.benchmark.rows import field, identifier
from ragaliq.errors import InputError
from ragaliq.storage.files import Row
from ragaliq.types import ExamAnswer, Item


def exam_kind(items: Mapping[str, Item]) -> RowKind[ExamAnswer]:
    """Return how the exam of a language is read, whose queries are these by id."""
    return RowKind("exam", "exam_id", lambda row, lang, where: _exam_from_row(row, items, lang, where))


def load_exam(folder: Path, benchmark: Benchmark, limit: int | None = None) -> tuple[ExamAnswer, ...]:
    """Return the exam of a benchmark's loaded languages, sorted by language and file; none if no language has one.

    Args:
        folder: the benchmark's folder.
        benchmark: the same, loaded.
        limit: number of queries whose answers are taken, evenly spread over the file; None takes all.

    Raises:
        InputError: at a malformed row, an id that occurs twice or a query that is not there, with file and line; or
            if some languages have an exam and others have not.
    """
    exam: list[ExamAnswer] = []
    missing: list[Path] = []
    for lang in benchmark.languages:
        items = {item.query.query_id: item for item in benchmark.items[lang]}
        kind = exam_kind(items)
        if not kind.path(folder, lang).is_file():
            missing.append(kind.path(folder, lang))
            continue
        answers = read_records(folder, lang, kind)
        queries = list(dict.fromkeys(answer.item.query.query_id for answer in answers))
        taken = set(_spread(queries, limit))
        exam += [answer for answer in answers if answer.item.query.query_id in taken]
    if exam and missing:
        raise InputError(
            f"{missing[0]}: missing, and other languages have an exam; name those that have one with --lang"
        )
    return tuple(exam)


def _exam_from_row(row: Row, items: Mapping[str, Item], lang: str, where: str) -> ExamAnswer:
    """Return the answer in a row `{exam_id, query_id, lang, kind, answer, grades: [least, most]}`."""
    exam_id, query_id = identifier(row, "exam_id", where), identifier(row, "query_id", where)
    if row.get("lang", lang) != lang:
        raise InputError(f"{where}: 'lang' is '{row['lang']}' in a file for '{lang}'")
    if query_id not in items:
        raise InputError(f"{where}: '{query_id}' is no query of '{lang}'")
    grades = field(row, "grades", list, where)
    if len(grades) != 2 or not all(type(g) is int for g in grades) or not 0 <= grades[0] <= grades[1] <= 5:
        raise InputError(f"{where}: 'grades' is [least, most], whole numbers from 0 to 5")
    kind, text = field(row, "kind", str, where), field(row, "answer", str, where)
    if kind == "all":
        raise InputError(f"{where}: 'kind' is 'all', which the row of all kinds is called; name another")
    return ExamAnswer(exam_id, items[query_id], kind, text, *grades)


def _spread(queries: list[str], limit: int | None) -> list[str]:
    if limit is None or limit >= len(queries):
        return queries
    return [queries[place * len(queries) // limit] for place in range(limit)]
