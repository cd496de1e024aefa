"""The tables of a retrieval report: a row for each system, a column for each measure or language."""

from __future__ import annotations

from ragaliq.compare.standings import Outcome, PairwiseResult
from ragaliq.experiment.figures.study import Role, Row, Study
from ragaliq.experiment.figures.study_figures import Figures, Gap
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.report.format import NONE, decimals, markdown


def values_table(study: Study, figures: Figures, lang: str) -> str:
    """Return the values of all systems in one language, the best first; oracles stand last."""
    here = study.in_language(lang)
    called = any(row.runs[lang].tokens_per_query is not None for row in here)
    rows = []
    for row in here:
        run = row.runs[lang]
        evaluation = run.measured.evaluation
        spent = {"tokens/query": _short(run.tokens_per_query), "USD/query": _short(run.usd_per_query)}
        rows.append(
            {
                "system": _name(row),
                **{
                    measure: f"{decimals(evaluation.mean(measure))} {_ends(figures.intervals[lang][row.name][measure])}"
                    for measure in study.measures
                },
                **{str(measure): decimals(evaluation.mean(str(measure))) for measure in run.measured.beside},
                "n": str(len(evaluation.query_ids)),
                "no ranking": str(evaluation.n_missing),
                "s/query": _short(run.seconds_per_query),
                **(spent if called else {}),
            }
        )
    return markdown(rows)


def differences_table(study: Study, figures: Figures, lang: str) -> str:
    """Return how far each system is from the baseline in one language; empty if none is compared."""
    differences = figures.differences[lang]
    rows = [
        {"system": row.name, **{measure: _difference(differences[row.name][measure]) for measure in study.measures}}
        for row in study.in_language(lang)
        if row.name in differences
    ]
    return markdown(rows) if rows else ""


def system_languages_table(study: Study, figures: Figures) -> str:
    """Return the first measure of all systems in all languages, the best mean over the languages first."""
    measure, means = study.measures[0], figures.means
    rows = [
        {
            "system": _name(row),
            **{lang: _cell(row, figures, lang, measure) for lang in study.languages},
            "mean": decimals(means[row.name]),
            "weakest in": figures.weakest.get(row.name, NONE),
        }
        for row in sorted(study.rows, key=lambda row: (row.role is Role.ORACLE, -means[row.name], row.name))
    ]
    return markdown(rows)


def headroom_table(lang: str, gap: Gap) -> str:
    """Return the best system of a language, the best oracle, and how far apart they are."""
    difference = gap.difference
    row = {
        "lang": lang,
        "best system": gap.system,
        "its value": decimals(gap.below),
        "best oracle": gap.oracle,
        "the oracle's": decimals(gap.ceiling),
        "gap": f"{decimals(difference.effect.difference, sign=True)} {_ends(difference.interval, True)}",
    }
    return markdown([row])


def systems_table(study: Study) -> str:
    """Return what each system is made of."""
    rows = [
        {
            "system": row.name,
            "made of": row.parts,
            "asks": row.asks,
            "reranked": NONE if row.reranked is None else f"first {row.reranked}",
        }
        for row in study.rows
    ]
    return markdown(rows)


def _ends(interval: Interval | None, sign: bool = False) -> str:
    """Return an interval in brackets."""
    plus = "+" if sign else ""
    return "" if interval is None else f"[{interval.low:{plus}.3f}, {interval.high:{plus}.3f}]"


def _short(value: float | None) -> str:
    return NONE if value is None else f"{value:.2g}" if value < 100 else f"{value:.0f}"


def _name(row: Row) -> str:
    return f"{row.name} ({row.role})" if row.role is not Role.SYSTEM else row.name


def _difference(compared: PairwiseResult) -> str:
    effect, counts = compared.effect, compared.wins
    if effect.n == counts.ties:
        return "all tie"
    percent = "" if effect.percent is None else f" ({effect.percent:+.1f} %)"
    test = NONE if compared.holm.permutation is None else _p(compared.holm.permutation)
    told = f"{decimals(effect.difference, sign=True)}{percent} {_ends(compared.interval, True)}"
    return f"{told} {test} {counts.wins}/{counts.ties}/{counts.losses}{_star(compared)}"


def _p(p: float) -> str:
    return "p<.001" if p < 0.001 else f"p={p:.3f}".replace("=0.", "=.")


def _star(compared: PairwiseResult) -> str:
    return "" if compared.outcome is Outcome.UNDECIDED else " \\*"


def _cell(row: Row, figures: Figures, lang: str, measure: str) -> str:
    if lang not in row.runs:
        return NONE
    compared = figures.differences[lang].get(row.name, {}).get(measure)
    shown = decimals(row.runs[lang].measured.evaluation.mean(measure))
    if compared is None or compared.effect.difference is None:
        return shown
    return f"{shown} ({compared.effect.difference:+.3f}{_star(compared)})"
