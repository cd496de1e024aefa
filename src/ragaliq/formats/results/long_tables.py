"""Plain long tables: a row for each item and system, and for each metric where there are several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragaliq.errors import InputError
from ragaliq.formats.results.long_columns import LongColumns, long_columns
from ragaliq.formats.results.rows import ResultColumns, ResultFile, ResultRow, Scale
from ragaliq.formats.results.table_values import Written, table_value
from ragaliq.formats.results.values import amount, plain_text, plain_texts
from ragaliq.formats.traces.values import short_reason
from ragaliq.storage.files import Row

Numbered = Sequence[tuple[str, Row]]


@dataclass(slots=True)
class _Answer:
    """What the rows of one answer hold, one row for each metric."""

    where: str
    ids: tuple[str, str, str]
    draw: int
    row: Row
    written: dict[str, Written] = field(default_factory=dict)


def read_long_table(rows: Numbered, columns: ResultColumns, where: str, decimal_comma: bool = False) -> ResultFile:
    """Return the values of a long table; `where` names it.

    Several rows of an item, system and language are several answers, numbered as they come. A percentage is its share
    of 1, unless `columns.range` goes beyond 1. The range is 0..1 where all values lie in it, else not known; what was
    taken for what is noted. An empty cell, NaN or an infinity is no value.

    Raises:
        ConfigError: if a named column is not there.
        InputError: if columns cannot be told, or a value is not a number; with file and line.
    """
    names = long_columns([row for _, row in rows], columns, where)
    answers: dict[tuple[tuple[str, str, str], int], _Answer] = {}
    draws: Counter[tuple[tuple[str, str, str], str]] = Counter()
    for at, row in rows:
        ids = (_id(row, names.item, at), _name(row, names.system, at), plain_text(row.get(names.lang)).strip())
        metric = _name(row, names.metric, at) or names.value
        draws[ids, metric] += 1
        key = (ids, draws[ids, metric])
        answer = answers.setdefault(key, _Answer(at, ids, draws[ids, metric], row))
        answer.written[metric] = table_value(row.get(names.value), names.value, at, decimal_comma)
    metrics = list(dict.fromkeys(metric for _, metric in draws))
    scales, values, notes = {}, {}, [_taken(names, columns)]
    for metric in metrics:
        written = {key: answer.written[metric] for key, answer in answers.items() if metric in answer.written}
        spread = _Spread(metric, columns.range, {key: answers[key].where for key in written})
        values[metric], scales[metric], more = spread.values(written)
        notes += more
    result = tuple(
        _row(answer, {metric: values[metric].get(key) for metric in metrics}, names) for key, answer in answers.items()
    )
    n_draws = max(answer.draw for answer in answers.values())
    if n_draws > 1:
        notes.append(f"up to {n_draws} rows of one item and system: several answers to it")
    return ResultFile("table", result, scales, notes=tuple(notes))


_Key = tuple[tuple[str, str, str], int]


@dataclass(frozen=True, slots=True)
class _Spread:
    """The values of one metric and the range they lie in."""

    metric: str
    range: tuple[float, float] | None
    wheres: Mapping[_Key, str]

    def values(self, written: Mapping[_Key, Written]) -> tuple[dict[_Key, float | None], Scale, list[str]]:
        """Return the values, their scale, and notes on both."""
        there = {key: one for key, one in written.items() if one.number is not None}
        divisor = self._divisor(there)
        values = {key: None if one.number is None else one.number / (divisor if one.percent else 1)
                  for key, one in written.items()}  # fmt: skip
        numbers = [value for value in values.values() if value is not None]
        scale, note = self._scale(numbers)
        notes = [note] if note else []
        if divisor > 1:
            notes.append(f"{self.metric}: percentages are shares of 1")
        notes += [
            f"{self.metric}: {count} of {len(written)} cells {'are' if count > 1 else 'is'} {error}: no value"
            for error, count in sorted(Counter(one.error for one in written.values() if one.error).items())
        ]
        return values, scale, notes

    def _divisor(self, there: Mapping[_Key, Written]) -> float:
        percent = any(one.percent for one in there.values())
        if not percent or (self.range is not None and self.range[1] > 1):
            return 1.0
        for key, one in there.items():
            if not one.percent and not 0 <= (one.number or 0.0) <= 1:
                what = f"'{self.metric}' is {one.number:g} among percentages"
                raise InputError(f"{self.wheres[key]}: {what}; add the % or write a share")
        return 100.0

    def _scale(self, numbers: Sequence[float]) -> tuple[Scale, str]:
        if not numbers:
            return Scale(), f"{self.metric}: no value at all"
        low, high = min(numbers), max(numbers)
        if low >= 0 and high <= 1:
            return Scale(0.0, 1.0), f"{self.metric}: range 0..1, as all values lie in it; --range names another"
        # The reader of all files notes that the range is not known, as files may have other ends.
        return Scale(), ""


def _row(answer: _Answer, values: dict[str, float | None], names: LongColumns) -> ResultRow:
    row = answer.row
    item, system, lang = answer.ids
    errors = [one.error for one in answer.written.values() if one.error]
    if errors and plain_text(row.get("error")).strip():
        errors = [short_reason(plain_text(row["error"]))]
    missing = len(values) > len(answer.written)
    used = {names.item, names.value, names.system, names.metric, names.lang}
    milliseconds = amount(row.get("latency_ms"))
    return ResultRow(
        answer.where, item, values, system, lang, errors[0] if errors else "no row for a metric" if missing else "",
        plain_text(row.get(names.question)), answer.draw,
        amount(row.get("seconds")) if milliseconds is None else milliseconds / 1000, amount(row.get("cost")),
        plain_texts({key: value for key, value in row.items() if key and key not in used}, answer.where),
    )  # fmt: skip


def _id(row: Row, key: str, where: str) -> str:
    value = row.get(key)
    text = plain_text(value).strip() if not isinstance(value, float | bool) else ""
    if not text:
        written = "empty" if value is None or value == "" else repr(value)[:60]
        raise InputError(f"{where}: '{key}' must be a text or a whole number, not {written}; fix it")
    return text


def _name(row: Row, key: str, where: str) -> str:
    """Return the name of a system or metric; empty where the table has no column of it."""
    if not key:
        return ""
    text = plain_text(row.get(key)).strip()
    if not text:
        raise InputError(f"{where}: '{key}' is empty; name one in each row")
    return text


def _taken(names: LongColumns, columns: ResultColumns) -> str:
    roles = {"item": names.item, "system": names.system, "value": names.value, "metric": names.metric}
    taken = ", ".join(f"{role} = {name}" for role, name in {**roles, "lang": names.lang}.items() if name)
    # What is not named may have been meant otherwise.
    told = all(getattr(columns, role, "") for role in ("item", "system", "value"))
    return f"columns: {taken}" if told else f"columns: {taken}; others by --id, --system, --value, --lang-field"
