"""A comparison of grades as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import getitem
from typing import Any

from ragaliq.report.format import bullets, escaped, markdown, span, thousandths

# Row by row: path in the JSON object, name, and what it says, in one line.
_FIGURES = (
    ("qwk", "QWK", "κ, quadratic weights, grades as numbers; flatters: telling apart {0, ≤ 2, ≥ 3} alone gives .85"),
    ("qwk_attempted", "QWK attempted", "the same without the items that either side grades 0"),
    ("weight_kappa", "weight κ", "κ in what the grades count for (5: 1, 4: .8, 3: .6, 0: .4, 2: .2, 1: 0)"),
    ("refusal.precision", "refusal precision", "of the verdicts 0, the share labelled 0"),
    ("refusal.recall", "refusal recall", "of the labels 0, the share with verdict 0"),
    ("refusal.f1", "refusal F1", "both in one"),
    ("auc_5_vs_34", "AUC 5 vs 3–4", "chance that a 5 has a higher verdict than a 3 or 4, ties half"),
    ("krippendorff_alpha", "Krippendorff's α", "ordinal level"),
    ("gwet_ac2", "Gwet's AC2", "quadratic weights; does not fall when nearly all grades are the same"),
    ("cohen_kappa", "Cohen's κ", "same grade or not, chance taken out"),
    ("spearman", "Spearman's ρ", "same order, ties at their mean rank"),
    ("exact", "exact", "share with the same grade"),
    ("mae", "MAE", "mean distance in grades"),
    ("bias", "bias", "mean verdict − label, in grades; + is kinder than the labels"),
    ("bias_weight", "bias in w̄", "mean verdict − label in weights: what the judge adds to w̄"),
)
_IN_LANGUAGES = ("qwk", "qwk_attempted", "weight_kappa", "refusal.f1", "auc_5_vs_34", "exact", "bias_weight")
_ESTIMATES = (
    ("classical", "labels only", "unbiased, wide"),
    ("judge_only", "judge only", "narrow around a wrong place if the judge is biased"),
    ("prediction_powered", "prediction-powered", "the judge's verdicts, put right by the labels (PPI++)"),
)
_SIGNED = ("bias", "bias_weight")


def render_agreement(agreement: dict[str, Any], by_lang: bool = True) -> str:
    """Return the figures of a comparison with labels as Markdown."""
    verdicts, labels = agreement["verdicts"], agreement["labels"]
    judges = escaped(", ".join(verdicts["judges"])) or "not named"
    parts = [
        escaped(f"# Agreement of {verdicts['source']} with {labels['source']}"),
        f"Judge: {judges}. {agreement['n']} items of {agreement['n_queries']} queries; {left_out(agreement)}. "
        f"{_raters(labels)}",
        figures_table(agreement),
        "ci95: resampling queries (BCa); it says nothing of other judges, readers or languages. QWK alone flatters: it "
        "takes 0 for worse than 1 and lives from the coarse split. Read it with QWK attempted, weight κ and AUC.",
    ]
    return "\n\n".join(parts + sections(agreement, by_lang))


def render_recalibration(content: dict[str, Any]) -> str:
    """Return what refitted cuts are worth as Markdown."""
    labels, cuts = content["labels"], ", ".join(f"{cut:g}" for cut in content["cuts"])
    rows = [
        {
            "cuts": name,
            "QWK": thousandths(row["qwk"]),
            "exact": thousandths(row["exact"]),
            "MAE": thousandths(row["mae"]),
        }
        for name, row in (("as shipped", content["before"]), ("refitted", content["after"]))
    ]
    return "\n\n".join(
        [
            escaped(f"# Cuts of the offline judge, refitted on {labels['n_fitted']} labels of {labels['source']}"),
            f"Cuts: {cuts}. Measured {content['measured']}, n = {content['before']['n']}.",
            markdown(rows),
        ]
    )


def sections(agreement: dict[str, Any], by_lang: bool = True, spots: Sequence[str] = ()) -> list[str]:
    """Return what follows the main figures: languages, confusion, `spots`, the mean that the labels imply, notes."""
    parts = []
    if by_lang and agreement["by"]:
        parts += ["## Languages", _languages_table(agreement)]
    parts += ["## Verdicts (rows) and labels (columns)", _confusion_table(agreement), *spots]
    if agreement["ppi"] is not None:
        parts += ["## Mean weight w̄", _powered_table(agreement["ppi"])]
    if agreement["warnings"]:
        parts += ["## Notes", bullets(agreement["warnings"])]
    return parts


def figures_table(agreement: dict[str, Any]) -> str:
    """Return every figure with its interval and its meaning."""
    rows = []
    for path, title, says in _FIGURES:
        interval = span(_at(agreement["ci"], path), thousandths, path in _SIGNED)
        rows.append({"measure": title, "value": _cell(agreement, path), "ci95": interval, "what it says": says})
    return markdown(rows)


def _languages_table(agreement: dict[str, Any]) -> str:
    """Return the main figures of each language with their intervals."""
    titles = {path: title for path, title, _ in _FIGURES}
    rows = []
    for lang, section in agreement["by"].items():
        cells = {titles[path]: f"{_cell(section, path)} {_brackets(section, path)}".strip() for path in _IN_LANGUAGES}
        rows.append({"lang": lang, "n": str(section["n"]), **cells})
    return markdown(rows)


def _confusion_table(agreement: dict[str, Any]) -> str:
    """Return the counts of verdicts and labels, 5 first and 0 last."""
    grades = (5, 4, 3, 2, 1, 0)
    return markdown(
        [
            {
                "": f"verdict {verdict}",
                **{f"label {label}": str(agreement["confusion"][verdict][label]) for label in grades},
            }
            for verdict in grades
        ]
    )


def _powered_table(ppi: dict[str, Any]) -> str:
    """Return the three estimates of w̄: of each system where there are several, and over all answers."""
    if not ppi["by_system"]:
        return _whole_table(ppi)
    parts = [
        "Each system from its labels alone: labels only, judge only, and the judge's verdicts put right by the labels "
        "(PPI++), with ci95.",
        _systems_table(ppi["by_system"]),
    ]
    if ppi["prediction_powered"] is not None:
        parts.append("Over all answers, where each system counts by its number of answers:")
        parts.append(_whole_table(ppi))
    return "\n\n".join(parts)


def _systems_table(by_system: dict[str, Any]) -> str:
    rows = []
    for name, one in by_system.items():
        cells = {title: _mean_and_span(one and one[key]) for key, title, _ in _ESTIMATES}
        counts = [str(one[key]) if one else "—" for key in ("n_labelled", "n_unlabelled")]
        rows.append({"system": escaped(name), "labelled": counts[0], "others": counts[1], **cells})
    return markdown(rows)


def _mean_and_span(estimate: dict[str, Any] | None) -> str:
    if estimate is None:
        return "—"
    ends = estimate["ci"]
    return thousandths(estimate["mean_weight"]) + (f" [{span(ends, thousandths)}]" if ends else "")


def _whole_table(ppi: dict[str, Any]) -> str:
    rows = []
    for key, title, says in _ESTIMATES:
        estimate = ppi[key]
        mean, interval = thousandths(estimate["mean_weight"]), span(estimate["ci"], thousandths)
        rows.append({"estimate": title, "w̄": mean, "ci95": interval, "n": str(estimate["n"]), "what it is": says})
    head = (
        f"{ppi['n_labelled']} labelled and {ppi['n_unlabelled']} other answers to answerable queries; "
        f"λ = {ppi['lambda']:.2f} (0 takes no notice of the judge). The intervals that rest on labels are those with "
        "one more label, spread evenly over the grades."
    )
    return f"{head}\n\n{markdown(rows)}"


def _cell(agreement: dict[str, Any], path: str) -> str:
    """Return one figure as text."""
    return thousandths(_at(agreement, path), path in _SIGNED)


def left_out(agreement: dict[str, Any]) -> str:
    """Return how many items are left out, and why."""
    words = {
        "only_in_verdicts": "only in VERDICTS",
        "only_in_labels": "only in LABELS",
        "ungraded": "without a grade on a side",
        "other_answer": "with different answers",
        "unanswerable": "of unanswerable queries",
    }
    reasons = ", ".join(f"{count} {words[reason]}" for reason, count in agreement["dropped"].items() if count)
    return f"{agreement['n_dropped']} left out" + (f" ({reasons})" if reasons else "")


def _brackets(section: dict[str, Any], path: str) -> str:
    interval = _at(section["ci"], path)
    return "" if interval is None else f"[{span(interval, thousandths, path in _SIGNED)}]"


def _at(agreement: dict[str, Any], path: str) -> Any:
    """Return the figure at a path such as `refusal.f1`."""
    return reduce(getitem, path.split("."), agreement)


def _raters(labels: dict[str, Any]) -> str:
    if labels["raters"] < 2:
        return ""
    alpha = thousandths(labels["inter_rater_alpha"])
    return (
        f"{labels['raters']} raters, Krippendorff's α {alpha} over {labels['n_rated_twice']} items rated twice or more."
    )
