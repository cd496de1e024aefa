"""How figures are written."""

from __future__ import annotations

import re

from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.report.format import (
    NONE,
    bulleted,
    bullets,
    code,
    decimals,
    digits,
    escaped,
    markdown,
    plus_minus,
    seconds,
    short,
    thousandths,
    with_interval,
)


def test_what_rounds_to_zero_has_no_minus() -> None:
    assert [thousandths(value, True) for value in (-0.0004, 0.0004, -0.0006, None)] == [
        "+0.000",
        "+0.000",
        "-0.001",
        NONE,
    ]
    assert [decimals(value) for value in (-0.00004, -0.00006)] == ["0.0000", "-0.0001"]


HOSTILE = (
    "a|b\\|c\nd <script>alert(1)</script> </td> <!-- x --> `tick` [t](javascript:x) ![i](http://x) \u202e\x1b[31m\r- e"
)


def test_a_name_of_others_keeps_the_rows_and_brings_no_tag() -> None:
    rows = [{"run": HOSTILE, HOSTILE: "1"}, {"run": "x", HOSTILE: "a < b, p <.05"}]
    lines = markdown(rows).splitlines()
    # A pipe that no odd number of backslashes escapes ends a cell.
    assert len(lines) == 4 and [len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines] == [3] * 4
    assert "a < b, p <.05" in lines[3]
    for text in ("\n".join(lines), bullets([HOSTILE, HOSTILE]), escaped(f"# {HOSTILE}")):
        assert not re.search(r"<[A-Za-z/!?]|\]\(|[\x00-\x09\x0b-\x1f\u202e]", text)
    assert bullets([HOSTILE, HOSTILE]).count("\n") == 1 and "\n" not in code(HOSTILE) + escaped(HOSTILE)
    assert code(HOSTILE).count("`") == 2 and not re.search(r"[\x00-\x1f\u202e]", code(HOSTILE))


def test_in_a_code_span_markdown_decodes_nothing() -> None:
    for name in ("<b>x", "[x](u)", "a|b", "AT&T", "a\\b"):
        assert code(name) == f"`{name}`" and bulleted([code(name)]) == f"- `{name}`"


def test_what_markdown_itself_marks_stays() -> None:
    line = "**not** `code` 0.5 [0.1, 0.2] (a) x < 5"
    assert escaped(line) == line


def test_numbers_keep_their_digits() -> None:
    assert [seconds(value) for value in (None, 0.0, 0.0057, 26.0102, 123.4, 2345.6)] == [
        "—", "0", "0.00570", "26.0", "123", "2346",
    ]  # fmt: skip
    # Never an exponent, never more digits than a clock has.
    assert [seconds(value) for value in (999.7, 2.1e-05, 4e-07)] == ["1000", "0.0000210", "0"]
    assert [digits(value, 2) for value in (None, 0.0, 2.1e-05, 0.1801, 123.4)] == ["—", "0", "0.000021", "0.18", "123"]
    assert [short(value) for value in (None, 0.0, 0.256, 1.0)] == ["—", ".00", ".26", "1.00"]
    # The interval need not be symmetric.
    assert plus_minus(0.26, Interval(0.2, 0.34)) == ".26 ±.07" and plus_minus(None, Interval(0.2, 0.34)) == "—"
    assert with_interval(0.5, (0.25, 0.75)) == "0.500 (0.250–0.750)" and with_interval(0.5, None) == "0.500"


def test_columns_of_texts_go_to_the_left_and_all_others_to_the_right() -> None:
    table = markdown([{"run": "a", "n": "1/2"}], texts={"run"})
    assert table.splitlines()[1] == "|:------|----:|"
