from __future__ import annotations

from ragaliq.benchmark.translation.finding import quoted


def test_texts_are_quoted_on_one_line_and_cut() -> None:
    assert quoted(["a\n b", "c"]) == "'a b', 'c'"
    assert quoted(["x" * 301]) == "'" + "x" * 299 + "…'"
    assert quoted(["x" * 300]) == "'" + "x" * 300 + "'"
