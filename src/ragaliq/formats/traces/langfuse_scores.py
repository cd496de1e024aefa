"""Scores of Langfuse: records of its API, and columns of its table of traces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragaliq.errors import InputError, nearest
from ragaliq.formats.reading.fields import row_id, row_text
from ragaliq.formats.traces.rows import Score
from ragaliq.formats.traces.values import number_of
from ragaliq.storage.files import Row

_TYPES = ("NUMERIC", "BOOLEAN", "CATEGORICAL", "TEXT", "CORRECTION")
# Columns of the table of traces that are no scores.
_TABLE_COLUMNS = {
    "id", "timestamp", "name", "userId", "level", "observationCount", "latency", "release", "version", "sessionId",
    "input", "output", "metadata", "tags", "inputCost", "outputCost", "totalCost", "bookmarked", "public",
    "environment", "usage", "comments", "projectId", "createdAt", "updatedAt", "errorCount", "warningCount",
    "defaultCount", "debugCount", "inputTokens", "outputTokens", "totalTokens",
}  # fmt: skip


def scores_of_records(records: Iterable[tuple[str, Row]]) -> Iterator[Score]:
    """Yield the scores in records, each with its place.

    Raises:
        InputError: if a score is of no known type, or its value is not of its type.
    """
    for where, score in records:
        kind, value = score.get("dataType"), score.get("value")
        if kind not in _TYPES:
            raise InputError(f"{where}: score of an unknown type {kind!r}; {nearest(str(kind), _TYPES)}")
        name, source = row_id(score, "name", where), row_text(score, "source", where)
        if kind == "BOOLEAN":
            number = float(value) if isinstance(value, bool) else number_of(score, "value", where)
            if number not in (0.0, 1.0):
                raise InputError(f"{where}: value of the truth value '{name}' must be true, false, 1 or 0; fix it")
            yield Score(name, number, source, truth=True)
        else:
            # The number of a category is 0 unless a person has given it one, and no text has one.
            yield Score(name, number_of(score, "value", where) if kind == "NUMERIC" else None, source)


def scores_in_columns(row: Row, where: str) -> Iterator[Score]:
    """Yield the scores of a row of the table of traces: lists of numbers in columns of their names."""
    inner = row.get("scores")
    held = {
        **{key: row[key] for key in row.keys() - _TABLE_COLUMNS - {"scores"}},
        **(inner if isinstance(inner, dict) else {}),
    }
    for name, values in sorted(held.items()):
        if isinstance(values, list) and values:
            numbers = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
            yield from (Score(name, number_of({name: one}, name, where)) for one in numbers)
            if not numbers:
                yield Score(name, None)
