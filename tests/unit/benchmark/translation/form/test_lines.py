from __future__ import annotations

from ragaliq.benchmark.translation.form.lines import Line, LineKind, lines_of


def test_lines_by_what_they_are() -> None:
    text = "# Title\n\n- one\n2) two\n* *three*\n| a | b \\| c |\n| --- | --- |\nplain - text\n---\n* ## head\n"
    assert lines_of(text) == [
        Line(LineKind.HEADING, "Title"),
        Line(LineKind.ITEM, "one"),
        Line(LineKind.ITEM, "two"),
        Line(LineKind.ITEM, "*three*"),
        Line(LineKind.ROW, "a | b \\| c", 2),
        Line(LineKind.PLAIN, "plain - text"),
        Line(LineKind.HEADING, "head"),
    ]
    assert lines_of(" \n--\n") == []
