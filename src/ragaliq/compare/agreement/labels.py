"""How far a judge's verdicts agree with labels: figures, intervals, languages, and the mean that the labels imply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ragaliq.aggregate.grades.graded import Graded
from ragaliq.aggregate.grades.query_grades import JudgeId
from ragaliq.compare.agreement.members import population_members
from ragaliq.compare.agreement.pairs import OTHER_ANSWER, REASONS, Drop, GradedPair, Pairing, pair_up
from ragaliq.compare.agreement.population import Powered, powered_json, powered_mean
from ragaliq.errors import InputError, listed
from ragaliq.formats.grades.rows import GradedRow
from ragaliq.metrics.agreement.coefficients import agreement
from ragaliq.metrics.agreement.intervals import agreement_intervals

# Fewer items in a language say little about it.
FEW_ITEMS = 30


@dataclass(frozen=True, slots=True)
class LabelComparison:
    """Verdicts compared with labels.

    Attributes:
        judges: who graded VERDICTS.
        same: what both sides share, so that their agreement says nothing of how right either is; empty where they are
            two.
        figures: the object of `ragaliq agree --format json`; undefined is None.
    """

    verdicts: Graded
    labels: Graded
    judges: tuple[JudgeId, ...]
    same: str
    figures: dict[str, Any]


def compare_with_labels(
    verdicts: Graded, labels: Graded, population: Sequence[Graded] = (), seed: int = 0
) -> LabelComparison:
    """Compare two sources of grades; `population` holds the verdicts to estimate the mean of, instead of VERDICTS.

    Raises:
        InputError: if the items cannot be joined, or the population was graded by another judge.
    """
    pairing, judges, same = pair_up(verdicts, labels), _judges(verdicts.rows), _same(verdicts, labels)
    members = population_members(pairing, _population(population, judges) if population else None)
    by = {}
    for lang in sorted({pair.lang for pair in pairing.pairs} - {""}):
        pairs = [pair for pair in pairing.pairs if pair.lang == lang]
        drops = [drop for drop in pairing.drops if drop.lang == lang]
        powered = powered_mean(members.in_language(lang), seed)
        by[lang] = _section(pairs, drops, powered, seed)
    powered = powered_mean(members, seed)
    whole = _section(pairing.pairs, pairing.drops, powered, seed)
    label_judges = sorted({row.judge for row in labels.rows if row.judge})
    whose = f"LABELS are a judge's ({', '.join(label_judges)}): agreement of judges is no validity"
    figures = {
        **whole,
        "by": by,
        "verdicts": {"source": verdicts.name, "judges": list(map(str, judges))},
        "labels": {
            "source": labels.name,
            "raters": len(pairing.raters),
            "n_unnamed": sum(not pair.by_person for pair in pairing.pairs),
            "judges": label_judges,
            "n_rated_twice": pairing.n_rated_twice,
            "n_replaced": pairing.replaced,
            "inter_rater_alpha": pairing.inter_rater_alpha,
        },
        "krippendorff_level": "ordinal",
        "ci_level": 0.95,
        "warnings": [
            *([same] if same else [whose] if label_judges else []),
            *_warnings(pairing, whole["dropped"], by, judges),
            *(f"prediction-powered: {note}" for note in powered.notes),
        ],
    }
    return LabelComparison(verdicts, labels, judges, same, figures)


def _section(pairs: Sequence[GradedPair], drops: Sequence[Drop], powered: Powered, seed: int) -> dict[str, Any]:
    """Return the figures of some of the items: all, or those of one language."""
    verdicts, labels = [pair.verdict for pair in pairs], [pair.label for pair in pairs]
    clusters = [pair.cluster for pair in pairs]
    counts = Counter(drop.reason for drop in drops)
    intervals = agreement_intervals(verdicts, labels, clusters, seed)
    ci: dict[str, Any] = {name: value for name, value in intervals.items() if not name.startswith("refusal_")}
    ci["refusal"] = {part: intervals[f"refusal_{part}"] for part in ("precision", "recall", "f1")}
    figures = asdict(agreement(verdicts, labels))
    return {
        "n": figures.pop("n"),
        "n_dropped": len(drops),
        "dropped": {reason: counts[reason] for reason in REASONS},
        "n_queries": len(set(clusters)),
        **figures,
        "ci": ci,
        "ppi": powered_json(powered),
    }


def _judges(rows: Sequence[GradedRow]) -> tuple[JudgeId, ...]:
    return tuple(sorted({JudgeId(row.judge, row.prompt_hash) for row in rows if row.judge or row.prompt_hash}))


def _same(verdicts: Graded, labels: Graded) -> str:
    if verdicts.sha256 == labels.sha256:
        return "VERDICTS and LABELS are the same file: what agrees with itself shows nothing"
    shared = sorted(set(_judges(verdicts.rows)) & set(_judges(labels.rows)))
    if not shared:
        return ""
    named = ", ".join(map(str, shared))
    return f"both sides hold grades by the same judge ({named}): they show how steady it is, not how right"


def _population(population: Sequence[Graded], judges: Sequence[JudgeId]) -> list[GradedRow]:
    for source in population:
        own_judges = _judges(source.rows)
        if own_judges != tuple(judges):
            names = {str(judge) or "unknown" for judge in (*own_judges, *judges)}
            raise InputError(f"{source.name}: not graded by the judge of VERDICTS alone ({listed(names)})")
    return [row for source in population for row in source.rows]


def _warnings(
    pairing: Pairing, dropped: Mapping[str, int], by: Mapping[str, Any], judges: Sequence[JudgeId]
) -> Iterator[str]:
    if len(judges) > 1:
        yield f"VERDICTS hold {len(judges)} judges; the figures are of their mixture"
    if dropped[OTHER_ANSWER]:
        yield f"{dropped[OTHER_ANSWER]} items left out: the two sides quote different answers"
    if pairing.replaced:
        yield f"{pairing.replaced} labels were replaced by a later, different one of the same rater"
    few = [lang for lang, section in by.items() if section["n"] < FEW_ITEMS]
    if few:
        yield f"fewer than {FEW_ITEMS} items: {', '.join(few)}; these figures say little"
