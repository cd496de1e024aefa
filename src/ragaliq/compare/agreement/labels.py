"""How far a judge's verdicts agree with labels: figures, intervals, languages, and the mean that the labels imply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ragaliq.aggregate.graded import Graded
from ragaliq.compare.agreement.pairs import OTHER_ANSWER, REASONS, Drop, GradedPair, Pairing, cluster_of, pair_up, plain
from ragaliq.compare.agreement.population import Powered, powered_json, powered_mean
from ragaliq.errors import InputError, listed
from ragaliq.formats.grades.rows import GradedRow
from ragaliq.metrics.agreement.coefficients import Agreement, agreement
from ragaliq.metrics.agreement.intervals import agreement_intervals
from ragaliq.metrics.statistics.intervals import Interval

# Fewer items in a language say little about it.
FEW_ITEMS = 30
_REFUSAL = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class AgreementSection:
    """Agreement over some of the items: all, or those of one language."""

    agreement: Agreement
    n_queries: int
    intervals: dict[str, Interval | None]
    dropped: dict[str, int]
    powered: Powered


@dataclass(frozen=True, slots=True)
class LabelComparison:
    """Verdicts compared with labels.

    `judges` are the names and prompt hashes found in VERDICTS, `label_judges` the names found in LABELS: empty where
    people labelled. `same` says what both sides share, so that their agreement says nothing of how right either is;
    empty where they are two.
    """

    verdicts: Graded
    labels: Graded
    judges: tuple[tuple[str, str], ...]
    label_judges: tuple[str, ...]
    same: str
    pairing: Pairing
    whole: AgreementSection
    by: dict[str, AgreementSection]
    warnings: tuple[str, ...]


def compare_with_labels(
    verdicts: Graded, labels: Graded, population: Sequence[Graded] = (), seed: int = 0, by_lang: bool = True
) -> LabelComparison:
    """Compare two sources of grades; `population` holds the verdicts to estimate the mean of, instead of VERDICTS.

    Raises:
        InputError: if the items cannot be joined, or the population was graded by another judge.
    """
    pairing = pair_up(verdicts, labels)
    judges = _judges(verdicts.rows)
    rows = _population(population, judges, pairing) if population else pairing.unlabelled
    langs = sorted({pair.lang for pair in pairing.pairs} - {""}) if by_lang else []
    by = {}
    for lang in langs:
        own = [pair for pair in pairing.pairs if pair.lang == lang]
        others = [row for row in rows if row.lang == lang]
        by[lang] = _section(own, [drop for drop in pairing.drops if drop.lang == lang], others, seed)
    whole = _section(pairing.pairs, pairing.drops, rows, seed)
    label_judges = tuple(sorted({row.judge for row in labels.rows if row.judge}))
    same = _same(verdicts, labels)
    whose = f"LABELS are a judge's ({', '.join(label_judges)}): agreement of judges is no validity"
    origin = [same] if same else [whose] if label_judges else []
    warnings = _warnings(pairing, whole, by, judges)
    return LabelComparison(verdicts, labels, judges, label_judges, same, pairing, whole, by, (*origin, *warnings))


def agreement_json(compared: LabelComparison) -> dict[str, Any]:
    """Return a comparison as programs read it; undefined is None."""
    pairing = compared.pairing
    return {
        **_section_to_json(compared.whole),
        "by": {lang: _section_to_json(section) for lang, section in compared.by.items()},
        "verdicts": {"source": compared.verdicts.name, "judges": [" ".join(filter(None, j)) for j in compared.judges]},
        "labels": {
            "source": compared.labels.name,
            "raters": len(pairing.raters),
            "n_unnamed": sum(not pair.by_person for pair in pairing.pairs),
            "judges": list(compared.label_judges),
            "n_rated_twice": pairing.n_rated_twice,
            "n_replaced": pairing.replaced,
            "inter_rater_alpha": pairing.inter_rater_alpha,
        },
        "krippendorff_level": "ordinal",
        "ci_level": 0.95,
        "warnings": list(compared.warnings),
    }


def _section_to_json(section: AgreementSection) -> dict[str, Any]:
    intervals = section.intervals
    ci: dict[str, Any] = {name: value for name, value in intervals.items() if not name.startswith("refusal_")}
    ci["refusal"] = {part: intervals[f"refusal_{part}"] for part in _REFUSAL}
    figures = asdict(section.agreement)
    return {
        "n": figures.pop("n"),
        "n_dropped": sum(section.dropped.values()),
        "dropped": section.dropped,
        "n_queries": section.n_queries,
        **figures,
        "ci": ci,
        "ppi": powered_json(section.powered),
    }


def _section(
    pairs: Sequence[GradedPair], drops: Sequence[Drop], rows: Sequence[GradedRow], seed: int
) -> AgreementSection:
    verdicts, labels = [pair.verdict for pair in pairs], [pair.label for pair in pairs]
    clusters = [pair.cluster for pair in pairs]
    counts = Counter(drop.reason for drop in drops)
    return AgreementSection(
        agreement(verdicts, labels),
        len(set(clusters)),
        agreement_intervals(verdicts, labels, clusters, seed),
        {reason: counts[reason] for reason in REASONS},
        powered_mean(pairs, rows, seed),
    )


def _judges(rows: Sequence[GradedRow]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted({(row.judge, row.prompt_hash) for row in rows if row.judge or row.prompt_hash}))


def _same(verdicts: Graded, labels: Graded) -> str:
    if verdicts.sha256 == labels.sha256:
        return "VERDICTS and LABELS are the same file: what agrees with itself shows nothing"
    shared = sorted(set(_judges(verdicts.rows)) & set(_judges(labels.rows)))
    if not shared:
        return ""
    named = ", ".join(" ".join(filter(None, judge)) for judge in shared)
    return f"both sides hold grades by the same judge ({named}): they show how steady it is, not how right"


def _population(
    population: Sequence[Graded], judges: Sequence[tuple[str, str]], pairing: Pairing
) -> tuple[GradedRow, ...]:
    """Return the graded rows of a population that have no label; of several rows for an item the last counts."""
    latest: dict[tuple[str, ...], GradedRow] = {}
    for source in population:
        found = _judges(source.rows)
        if found != tuple(judges):
            names = [" ".join(filter(None, pair)) or "unknown" for pair in (*found, *judges)]
            raise InputError(f"{source.name}: not graded by the judge of VERDICTS alone ({listed(set(names))})")
        latest.update((_identity(row), row) for row in source.rows)
    labelled = {_identity(pair.row) for pair in pairing.pairs}
    return tuple(row for key, row in latest.items() if key not in labelled)


def _identity(row: GradedRow) -> tuple[str, ...]:
    return (row.run, row.lang, cluster_of(row), plain(row.answer))


def _warnings(
    pairing: Pairing,
    whole: AgreementSection,
    by: dict[str, AgreementSection],
    judges: Sequence[tuple[str, str]],
) -> list[str]:
    found = []
    if len(judges) > 1:
        found.append(f"VERDICTS hold {len(judges)} judges; the figures are of their mixture")
    if whole.dropped[OTHER_ANSWER]:
        found.append(f"{whole.dropped[OTHER_ANSWER]} items left out: the two sides quote different answers")
    if pairing.replaced:
        found.append(f"{pairing.replaced} labels were replaced by a later, different one of the same rater")
    few = [lang for lang, section in by.items() if section.agreement.n < FEW_ITEMS]
    if few:
        found.append(f"fewer than {FEW_ITEMS} items: {', '.join(few)}; these figures say little")
    return [*found, *(f"prediction-powered: {note}" for note in whole.powered.notes)]
