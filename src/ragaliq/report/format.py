"""Tables in Markdown, and the formats of the figures in their cells."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from ragaliq.compare.agreement.certificate import two_digits
from ragaliq.metrics.statistics.intervals import Interval

NONE = "—"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_TAG, _LINK = re.compile(r"<(?=[A-Za-z/!?])"), re.compile(r"\](?=\()")
# With the backslashes before it, which would escape its own.
_PIPE = re.compile(r"\\*\|")
# Stands for a backtick in a code span, which would end there.
_QUOTE = "'"
TableRows = Sequence[Mapping[str, str]]


def number(value: float | None) -> str:
    """Return a value to six digits; what is not defined is a dash."""
    return NONE if value is None else f"{value:g}"


def thousandths(value: float | None, sign: bool = False) -> str:
    """Return a mean weight or a difference of two to three digits behind the point."""
    return NONE if value is None else f"{round(value, 3) + 0.0:{'+' if sign else ''}.3f}"


def decimals(value: float | None, sign: bool = False) -> str:
    """Return a value to four digits behind the point, as trec_eval prints it."""
    return NONE if value is None else f"{round(value, 4) + 0.0:{'+' if sign else ''}.4f}"


def span(interval: Sequence[float] | None, written: Callable[[float, bool], str] = decimals, sign: bool = False) -> str:
    """Return an interval with the digits of its value."""
    return NONE if interval is None else " … ".join(written(end, sign) for end in interval)


def between(interval: Sequence[float] | None, sign: bool = False) -> str:
    """Return an interval to three digits behind the point; with signs a dash between its ends would be misread."""
    shown = span(interval, thousandths, sign)
    return shown if sign else shown.replace(" … ", "–")


def digits(value: float | None, count: int) -> str:
    """Return an amount, such as seconds or dollars, to some significant digits, never with an exponent."""
    if value is None:
        return NONE
    if not value:
        return "0"
    places = max(0, count - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"


def seconds(value: float | None) -> str:
    """Return seconds to three digits, but no finer than microseconds."""
    return digits(None if value is None else round(value, 6), 3)


def ranks(low: int, high: int) -> str:
    """Return a set of ranks, as in `2` or `1–3`."""
    return str(low) if low == high else f"{low}–{high}"


def named(names: Sequence[str], most: int) -> str:
    """Return the first names of a list, and how many there are beyond them."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def three_digits(value: float) -> str:
    """Return a figure of any size with three digits that count, thousands parted by commas."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def short(value: float | None) -> str:
    """Return a share or a score with two digits and without the 0 before the point, as in `.27`."""
    return NONE if value is None else two_digits(value)


def plus_minus(value: float | None, interval: Interval | None) -> str:
    """Return a value with half of its interval's width, as in `.27 ±.06`."""
    return short(value) + ("" if value is None or interval is None else f" ±{short(interval.half_width)}")


def with_interval(value: float | None, interval: Sequence[float] | None, sign: bool = False) -> str:
    """Return a value to three digits behind the point, its interval in brackets."""
    return thousandths(value, sign) + ("" if value is None or interval is None else f" ({between(interval, sign)})")


def markdown(
    rows: TableRows,
    colons: bool = True,
    numeric: bool = False,
    texts: Collection[str] | None = None,
) -> str:
    """Return rows with the same keys as a table.

    Args:
        rows: the rows; all have the keys of the first.
        colons: whether colons under the header mark the alignment.
        numeric: whether columns of numbers are aligned to the right.
        texts: the columns that are aligned to the left; all others go to the right. None leaves all as they are.
    """
    from tabulate import tabulate

    cells = [{_cell(key): _cell(value) for key, value in row.items()} for row in rows]
    align = ["left" if key in texts else "right" for key in rows[0]] if texts is not None and rows else None
    form = "pipe" if colons else "github"
    return tabulate(cells, headers="keys", tablefmt=form, disable_numparse=not numeric, colalign=align)


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows with the same keys as comma-separated values below a line of their names; None is an empty cell."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")


def p_value(value: float | None) -> str:
    """Return a p value to four digits behind the point, a smaller one by its power of ten."""
    if value is None:
        return NONE
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def counted_share(part: int, whole: int) -> str:
    """Return `3 of 4 (75.0%)`; of nothing, without a share."""
    return f"{part} of {whole}" + (f" ({part / whole:.1%})" if whole else "")


def bold_if(marked: bool, text: str) -> str:
    """Return a text, in bold where it is marked."""
    return f"**{text}**" if marked else text


def one_line_name(name: str) -> str:
    """Return a name without line ends, control characters and those that turn the direction of writing."""
    return _CONTROL.sub(" ", name)


def escaped(text: str) -> str:
    """Return a line of Markdown in which a name that somebody else chose stays a name.

    Line ends, control characters and those that turn the direction of writing become blanks; no HTML tag, link or image
    is left. What Markdown itself marks, such as code spans and bold, stays.
    """
    return _LINK.sub(r"]\\", _TAG.sub("&lt;", _CONTROL.sub(" ", text)))


def code(name: str) -> str:
    """Return a name as a code span, in which Markdown decodes nothing: only a backtick or a line's end would leave it.

    It is not for table cells, nor for lines that are `escaped` as a whole.
    """
    return f"`{_CONTROL.sub(' ', name).replace('`', _QUOTE)}`"


def bullets(lines: Iterable[str]) -> str:
    """Return lines as a list, each `escaped`."""
    return bulleted(map(escaped, lines))


def bulleted(lines: Iterable[str]) -> str:
    """Return lines as a list in which names are marked already, by `code` or `escaped`."""
    return "\n".join(f"- {line}" for line in lines)


def _cell(text: str) -> str:
    return _PIPE.sub(lambda match: match[0][:-1] * 2 + "\\|", escaped(text))
