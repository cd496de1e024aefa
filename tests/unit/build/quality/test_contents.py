"""What the benchmark holds."""

from __future__ import annotations

from ragaliq.build.context import BuildContext
from ragaliq.build.quality.built import Built
from ragaliq.build.quality.contents import Contents, cells, contents
from ragaliq.build.stage_row import StageRow
from unit.build.quality.hand_made import write


def test_c8_queries_nuggets_and_words_are_counted_over_the_benchmark_alone(built: Built) -> None:
    # Three of four nuggets are vital, three are supported. All words of q1 stand in d1; one of two of q2 in d5. d1 is
    # in both gold groups of q1, so that one document is enough.
    expected = Contents("en", 2, 2, {"list": 1, "single": 1}, {"generated": 1, "people": 1}, 0, 4, {2: 2}, 3 / 4, 3 / 4,
                        (1 + 1 / 2) / 2)  # fmt: skip
    assert contents(built) == [expected]


def test_a_language_of_which_nothing_is_left_has_no_figures(context: BuildContext) -> None:
    rows = context.workspace.rows("filter")
    removed = StageRow("q9", "de", rows[0].value, "no supported nugget")
    write(context, "filter", *rows, removed)
    assert [one.lang for one in contents(Built(context))] == ["en"]


def test_missing_cells_are_counted_apart(built: Built) -> None:
    assert cells(built) == {"missing": 1, "not_support": 1, "support": 2}
