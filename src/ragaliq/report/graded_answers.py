"""The figures of answers that were graded row by row, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.aggregate.grades.graded_answers import ALL_LANGUAGES, SUPPORT_LABELS, AnswerFigures, SupportFigures
from ragaliq.metrics.answers.aggregates import GRADES, Aggregates
from ragaliq.report.format import NONE, between, bullets, markdown, thousandths

_SCALE = (
    "weighted_score is mean_weight squared (docs/method.md); mean_with_zeros is the mean grade, 0 to 5; ci95 is the "
    "95 % interval of the figure before it, over the choice of rows"
)
_SENTENCES = "shares are of the sentences that state something; the interval resamples answers"
_REASONS = {
    "no_reference": "without a reference, so without a grade",
    "no_question": "without a question, so without a grade",
    "no_contexts": "without contexts, so not checked",
}


def render_answer_figures(figures: Sequence[AnswerFigures], min_coverage: float) -> str:
    """Return a table of grades and one of groundedness, as far as there are any, and what to know about them.

    A figure whose coverage is below `min_coverage` is withheld.
    """
    blocks = []
    graded = [(one, one.grades) for one in figures if one.grades is not None]
    if graded:
        blocks += [markdown([_graded(one, grades, min_coverage) for one, grades in graded]), bullets([_SCALE])]
    checked = [(one, one.support) for one in figures if one.support is not None]
    if checked:
        blocks += [markdown([_checked(one, own, min_coverage) for one, own in checked]), bullets([_SENTENCES])]
    notes = [line for one in _whole(figures) for line in _notes(one)]
    return "\n\n".join([*blocks, *([bullets(notes)] if notes else [])])


def missing_lines(figures: Sequence[AnswerFigures], min_coverage: float) -> list[str]:
    """Return why rows have no grade or check, and which languages have too few."""
    lines = []
    for one in _whole(figures):
        if one.failures:
            reasons = ", ".join(
                f"{count} {outcome}{f' ({one.reasons[outcome]})' if one.reasons.get(outcome) else ''}"
                for outcome, count in one.failures.items()
            )
            again = "; the same command tries api_error again" if "api_error" in one.failures else ""
            lines.append(f"without a grade or a check: {reasons}{again}")
    low = [one.lang for one in figures if not one.covered(min_coverage) and one.lang != ALL_LANGUAGES]
    if low:
        lines.append(f"{', '.join(low)}: less than --min-coverage {min_coverage:g} of the rows have what was asked for")
    return lines


def _whole(figures: Sequence[AnswerFigures]) -> Sequence[AnswerFigures]:
    """Return the figures of the whole file."""
    return figures[-1:]


def _graded(figures: AnswerFigures, grades: Aggregates, min_coverage: float) -> dict[str, str]:
    shown = grades.coverage is None or grades.coverage >= min_coverage
    return {
        "lang": figures.lang,
        "rows": str(figures.n),
        "graded": f"{grades.n_scored}/{grades.n}",
        "coverage": thousandths(grades.coverage),
        "weighted_score": thousandths(grades.weighted_score) if shown else NONE,
        "ci95": between(grades.weighted_score_ci) if shown else NONE,
        "mean_weight": thousandths(grades.mean_weight) if shown else NONE,
        "mean_with_zeros": thousandths(grades.mean_with_zeros) if shown else NONE,
        **{str(grade): str(grades.counts[grade]) for grade in GRADES},
        "refuses": f"{figures.refuses.get('full', 0)} full, {figures.refuses.get('partial', 0)} partial",
    }


def _checked(figures: AnswerFigures, support: SupportFigures, min_coverage: float) -> dict[str, str]:
    shown = support.coverage is None or support.coverage >= min_coverage
    first, *others = SUPPORT_LABELS
    values = {name: thousandths(support.shares[name].value) if shown else NONE for name in SUPPORT_LABELS}
    return {
        "lang": figures.lang,
        "checked": f"{support.n}/{support.n_expected}",
        "coverage": thousandths(support.coverage),
        "sentences": str(support.n_sentences),
        first: values[first],
        "ci95": between(support.shares[first].ci) if shown else NONE,
        **{name: values[name] for name in others},
    }


def _notes(figures: AnswerFigures) -> list[str]:
    lines = [f"{count} of {figures.n} rows are {_REASONS[reason]}" for reason, count in figures.not_asked.items()]
    if figures.unanswerable:
        lines.append(f"{figures.unanswerable} rows are marked as unanswerable: in no grade")
    return lines
