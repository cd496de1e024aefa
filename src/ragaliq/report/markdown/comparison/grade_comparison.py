"""A comparison of graded systems as tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.aggregate.grades.graded_metrics import MEAN_WEIGHT
from ragaliq.compare.rank_sets import too_few_untied
from ragaliq.compare.standings import ALL, LEVEL, Comparison, Outcome, PairwiseResult, Section, Standing
from ragaliq.compare.value_table import TableMetric
from ragaliq.metrics.statistics.power import ENOUGH_UNTIED
from ragaliq.metrics.statistics.ranks.rank_sets import Pair
from ragaliq.report.format import NONE, between, bullets, escaped, markdown, number, p_value, ranks, short, thousandths
from ragaliq.report.markdown.comparison.verdict import grade_verdict, grade_verdict_table

_ALONE = (
    f"80 % chance: of p (t) < {LEVEL:g} for this difference alone, if differences vary as these do; p values for "
    "several at once need more."
)
_TOGETHER = (
    "rank_ci and max-t: the languages share one error rate of 5 %; `all` is a family of its own, at another 5 %."
)
_ONE_STEP = (
    "the intervals of all pairs at once (`ci_max_t` of --format json) take one step and the test more: some hold 0 "
    "although max-t separates the pair."
)
_FIRSTS = (
    "selection_frequency: share of resamples of the queries in which the system has the best mean, ties split; it is "
    "not a probability of being best. new_sample95: 95 % interval of the mean on as many other queries."
)
_AT_ODDS = (
    "Where a verdict and its 95 % interval differ, the verdict is that of the test, whose p is corrected for the "
    "number of comparisons and looks; the interval is of one difference alone, and allows for rare ones not seen."
)
_HOLM = "over the systems, and the languages, that are held against the baseline; `all` for itself"


def short_parts(comparison: Comparison, warnings: Sequence[str], full: bool) -> list[str]:
    """Return the verdict in a sentence, what makes it doubtful, and a short table."""
    parts = [grade_verdict(comparison)]
    if warnings:
        parts.append(bullets(f"**{warning}**" for warning in warnings))
    parts.append(grade_verdict_table(comparison))
    if comparison.left_out:
        langs = ", ".join(lang or "no language" for lang in comparison.left_out)
        parts.append(f"Left out, because not all systems have a value for the same two queries there: {langs}.")
    if any(_at_odds(row) for section in comparison.sections for row in section.rows):
        parts.append(_AT_ODDS)
    return [*parts, _scale(comparison.sections[0].metric, full)]


def _at_odds(row: PairwiseResult) -> bool:
    """Return whether a verdict says something else than the interval beside it."""
    holds_zero = row.interval is not None and row.interval.low <= 0 <= row.interval.high
    return row.interval is not None and holds_zero != (row.outcome is Outcome.UNDECIDED)


def full_parts(comparison: Comparison) -> list[str]:
    """Return tests, ranks and power, language by language, and what they are."""
    return [*(_section(section, comparison) for section in comparison.sections), _legend(comparison)]


def _scale(metric: TableMetric, full: bool) -> str:
    """Return what the short table's columns are."""
    beside = " Mean grade: of the grades above 0, n of them." if metric.name == MEAN_WEIGHT.name else ""
    beside += " Detectable: the least difference that these queries show with a chance of 80 %."
    more = "" if full else " `--full` shows tests, ranks and power."
    return (
        f"`{metric.name}`: {metric.meaning}.{beside} All over the queries for which every system has a value (n of "
        f"those asked).{more}"
    )


def comparison_json(comparison: Comparison, warnings: Sequence[str]) -> dict[str, Any]:
    """Return a comparison as programs read it; undefined is None. Differences are the second less the first."""
    settings, sections = comparison.settings, comparison.sections
    metric = sections[0].metric
    return {
        "metric": metric.name,
        "meaning": metric.meaning,
        "less_is_better": metric.less_is_better,
        "baseline": sections[0].systems[0].name,
        "level": settings.level,
        "looks": settings.looks,
        "margin": settings.margin,
        "correction": {
            "comparisons": f"holm_permutation: Holm, {_HOLM}",
            "pairs": "p_max_t, ci_max_t and rank_ci: max-t over all pairs of systems of all languages together; `all` "
            "for itself. p_max_t and rank_ci step down, ci_max_t takes one step: it may hold 0 where p_max_t is below "
            "the level. holm_permutation: Holm over the pairs of the section",
        },
        "seed": settings.seed,
        "sections": [
            {
                "lang": section.lang,
                "n": section.n,
                "n_queries": section.n_clusters,
                "n_asked": section.n_asked,
                "systems": [_system(own) for own in section.systems],
                "comparisons": [_comparison(row, pair) for row, pair, _ in _against_baseline(section)],
                "pairs": [_pair(pair, section) for pair in section.pairs],
            }
            for section in sections
        ],
        "languages_left_out": list(comparison.left_out),
        "worse": [{"system": name, "lang": lang} for name, lang in comparison.worse],
        "warnings": list(warnings),
    }


def _system(own: Standing) -> dict[str, Any]:
    return {
        "system": own.name,
        "n_valued": own.n_valued,
        "n_expected": own.n_expected,
        "coverage": own.coverage,
        "mean": own.mean,
        "mean_grade": own.mean_grade,
        "n_above_zero": own.n_above_zero,
        "rank_ci": None if own.rank is None else [own.rank.low, own.rank.high],
        "selection_frequency": own.selection,
        "new_sample_ci": own.new_sample,
    }


def _against_baseline(section: Section) -> list[tuple[PairwiseResult, Pair, Standing]]:
    """Return each row with the same difference among all pairs, and the system's own figures."""
    return list(zip(section.rows, section.pairs, section.systems[1:], strict=False))


def _comparison(row: PairwiseResult, pair: Pair) -> dict[str, Any]:
    equal = row.equal
    return {
        "system": row.name,
        "difference": row.effect.difference,
        "ci": row.interval,
        "p_permutation": row.p.permutation,
        "p_t": row.p.t,
        "holm_permutation": row.holm.permutation,
        "p_max_t": pair.p_max_t,
        "ci_max_t": pair.interval,
        "wins": row.wins.wins,
        "ties": row.wins.ties,
        "losses": row.wins.losses,
        "queries_untied": row.untied,
        "outcome": str(row.outcome),
        "equivalence": None
        if equal is None
        else {"margin": equal.margin, "p": equal.p, "ci90": equal.interval, "equivalent": equal.equivalent},
        "detectable_difference": row.detectable,
        "queries_needed": row.needed,
    }


def _pair(pair: Pair, section: Section) -> dict[str, Any]:
    return {
        "first": section.systems[pair.a].name,
        "second": section.systems[pair.b].name,
        "difference": pair.difference,
        "ci_max_t": pair.interval,
        "p_max_t": pair.p_max_t,
        "holm_permutation": pair.p_holm,
        "p_permutation": pair.p_sign_flip,
        "p_t": pair.p_t,
    }


def _section(section: Section, comparison: Comparison) -> str:
    first = section.systems[0]
    several = sum(len(own.rows) for own in comparison.sections if own.lang != ALL) > 1
    cells = [_versus(row, pair, own, several) for row, pair, own in _against_baseline(section)]
    above = dict.fromkeys(cells[0], NONE) | {"system": first.name, "mean": thousandths(first.mean)}
    sign = 1 if section.metric.less_is_better else -1
    ordered = sorted(section.systems, key=lambda own: (sign * (own.mean or 0.0), own.name))
    return "\n\n".join(
        [
            escaped(f"## {section.lang or 'no language'}"),
            markdown([above | {"outcome": "baseline"}, *cells]),
            markdown([_standing(own) for own in ordered]),
            _lines(section, comparison),
        ]
    )


def _versus(row: PairwiseResult, pair: Pair, own: Standing, several: bool) -> dict[str, str]:
    equal, within = row.equal, {}
    if equal is not None:
        shown = "yes" if equal.equivalent else "not shown"
        within = {f"equal within ±{equal.margin:g}": f"{shown} (p {p_value(equal.p)})"}
    return {
        "system": row.name,
        "mean": thousandths(own.mean),
        "difference": thousandths(row.effect.difference, sign=True),
        "ci95": between(row.interval, sign=True),
        "p": p_value(row.p.permutation),
        "p (t)": p_value(row.p.t),
        **({"Holm": p_value(row.holm.permutation)} if several else {}),
        "p (max-t)": p_value(pair.p_max_t),
        **within,
        "win/tie/loss": f"{row.wins.wins}/{row.wins.ties}/{row.wins.losses}",
        "outcome": str(row.outcome),
    }


def _standing(own: Standing) -> dict[str, str]:
    of = "" if own.n_expected is None else f"/{own.n_expected}"
    return {
        "system": own.name,
        "mean": thousandths(own.mean),
        "rank_ci": NONE if own.rank is None else ranks(own.rank.low, own.rank.high),
        "selection_frequency": short(own.selection),
        "new_sample95": between(own.new_sample),
        "n": f"{own.n_valued}{of}",
        "coverage": number(own.coverage),
    }


def _lines(section: Section, comparison: Comparison) -> str:
    several = section.n_clusters < section.n
    counted = (
        f"answers (of {section.n_asked}) to {section.n_clusters} different" if several else f"(of {section.n_asked})"
    )
    lines = [f"n = {section.n} {counted} queries: those for which all systems have a value."]
    family = [own for own in comparison.sections if (own.lang == ALL) == (section.lang == ALL)]
    for row, pair, own in _against_baseline(section):
        if own.rank is not None and pair.p_max_t < comparison.settings.level and row.outcome is Outcome.UNDECIDED:
            lines.append(_why_undecided(row, pair, family))
        if row.detectable is not None:
            needed = "" if row.needed is None else f"; the difference observed would need {row.needed} queries"
            lines.append(f"{row.name}: a difference of {thousandths(row.detectable)} is seen with 80 % chance{needed}.")
        elif row.untied < ENOUGH_UNTIED:
            few = too_few_untied(row.untied, section.n_clusters)
            lines.append(f"{row.name}: {few[0].lower()}{few[1:]}.")
    return bullets(lines)


def _holds_0(pair: Pair, level: float) -> bool:
    """Return whether a pair is separated and its interval, which takes one step, holds 0."""
    return pair.p_max_t < level and pair.interval is not None and pair.interval.low <= 0 <= pair.interval.high


def _why_undecided(row: PairwiseResult, pair: Pair, family: Sequence[Section]) -> str:
    count = sum(len(own.rows) for own in family)
    where = f" in {len(family)} languages" if len(family) > 1 else ""
    return (
        f"{row.name}: rank_ci tells it from the baseline and the outcome does not: p (max-t) {p_value(pair.p_max_t)} "
        f"steps down over all pairs, Holm's p {p_value(row.holm.permutation)} is for {count} comparisons "
        f"with the baseline{where}."
    )


def _legend(comparison: Comparison) -> str:
    margin = comparison.settings.margin
    several = sum(len(own.rows) for own in comparison.sections if own.lang != ALL) > 1
    decides = "Holm's" if several else "the permutation's"
    lines = [
        "means, differences and tests are over the n shared queries, paired; difference: system minus baseline.",
        "ci95: of this difference alone, over queries; reader and judge are taken as they are. It allows for great "
        "differences that were not seen, the test does not: it may hold 0 where p is below .05.",
        "n, coverage: the values that the system has of its own, shared or not.",
        "p: two-sided; sign-flip permutation (mid-p); t: paired t test, as a check; max-t: all pairs of systems at "
        "once, studentised, stepping down, which gives rank_ci.",
        *([_TOGETHER] if comparison.sections[-1].lang == ALL else []),
        *(
            [_ONE_STEP]
            if any(_holds_0(pair, comparison.settings.level) for own in comparison.sections for pair in own.pairs)
            else []
        ),
        _FIRSTS,
        *([f"Holm: p corrected {_HOLM}."] if several else []),
        f"outcome: {Outcome.BETTER} or {Outcome.WORSE} where {decides} p < {comparison.settings.level:.3g}; "
        f"{Outcome.UNDECIDED} is not equal. rank_ci allows for every pair, the outcome for those with the baseline: a "
        "system may be better than the baseline and still share ranks with it.",
        *([_ALONE] if any(row.detectable is not None for own in comparison.sections for row in own.rows) else []),
        *([] if margin is None else [f"equal: two one-sided t tests against ±{margin:g} at {LEVEL:g}."]),
        *(["all: the languages of a query change sign together."] if comparison.sections[-1].lang == ALL else []),
    ]
    return bullets(lines)
