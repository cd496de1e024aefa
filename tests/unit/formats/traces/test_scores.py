"""Scores as metrics: means, sources, labels, failures."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.formats.results.rows import Scale
from ragaliq.formats.traces.rows import Score, TraceRow
from ragaliq.formats.traces.scores import metrics_of


def row(*scores: Score, error: str = "") -> TraceRow:
    return TraceRow("f:1", "t", "s", scores=scores, error=error)


def test_several_scores_are_their_mean_and_labels_are_none() -> None:
    metrics = metrics_of([row(Score("q", 0.5), Score("q", 1.0)), row(Score("q", None), Score("tone", None)), row()])
    assert [dict(values) for values in metrics.values] == [{"q": 0.75}, {"q": None}, {"q": None}]
    assert metrics.scales == {"q": Scale()}
    assert metrics.notes == (
        "'q': 1 labels without a number are no values",
        "'tone': 1 labels without a number are no values",
        "'q': 1 answers have several scores; their mean is the value",
    )


def test_a_person_and_a_model_are_two_metrics() -> None:
    metrics = metrics_of([row(Score("q", 1.0, "EVAL"), Score("q", 0.0, "ANNOTATION")), row(Score("q", 0.5, "EVAL"))])
    assert [dict(values) for values in metrics.values] == [
        {"q (EVAL)": 1.0, "q (ANNOTATION)": 0.0},
        {"q (EVAL)": 0.5, "q (ANNOTATION)": None},
    ]
    # One source alone needs no name.
    assert list(metrics_of([row(Score("q", 1.0, "EVAL"))]).scales) == ["q"]


def test_a_failure_has_no_value_and_truth_has_a_scale() -> None:
    metrics = metrics_of([row(Score("ok", 0.0, truth=True), error="timeout"), row(Score("ok", 1.0, truth=True))])
    assert [dict(values) for values in metrics.values] == [{"ok": None}, {"ok": 1.0}]
    assert metrics.scales == {"ok": Scale(0.0, 1.0)}
    assert metrics.notes == ("scores of 1 answers that failed are no values",)


@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.floats(-1e6, 1e6)), max_size=4), min_size=1))
def test_order_changes_nothing(found: list[list[tuple[str, float]]]) -> None:
    rows = [row(*(Score(name, value) for name, value in one)) for one in found]
    turned = [row(*reversed(one.scores)) for one in reversed(rows)]
    first, second = metrics_of(rows), metrics_of(turned)
    assert first.values == second.values[::-1]
    assert (list(first.scales), first.notes) == (list(second.scales), second.notes)
