"""The audit of a benchmark: what people's reviews say of its nuggets, its judge and its translations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from ragaliq.benchmark.load import Benchmark
from ragaliq.build.audit.combined_raters import (
    Reviews,
    combined_nuggets,
    combined_support,
    combined_translations,
)
from ragaliq.build.audit.corrected_rates import CorrectedRate, corrected_rates
from ragaliq.build.audit.judge_quality import JudgeQuality, LabelShares, judge_quality, label_shares
from ragaliq.build.audit.support_strata import Population
from ragaliq.build.parity.parity_file import Parity
from ragaliq.metrics.answers.nugget_audit import (
    NuggetQuality,
    PlaceErrors,
    errors_by_place,
    last_share,
    nugget_quality,
)
from ragaliq.metrics.statistics.clustered_share import ClusteredShare, QueryUnits, clustered_share
from ragaliq.types import AgreementRow, RecordKind, ReviewedSupport, ReviewedTranslation, TranslationReview

# Stands for all languages together.
ALL_LANGUAGES = "all"
_Figure = TypeVar("_Figure")


@dataclass(frozen=True, slots=True)
class NuggetAudit:
    """What people say of the nuggets of a language; `queries` of the benchmark have nuggets, in this language."""

    lang: str
    queries: int
    quality: NuggetQuality
    places: tuple[PlaceErrors, ...]
    last: ClusteredShare


@dataclass(frozen=True, slots=True)
class SupportAudit:
    """What people say of the judge of support in a language.

    Attributes:
        lang: the language.
        labels: of the reviewed positives.
        quality: with `relevant` as support, then with `relevant or partial`.
        rates: with the same two.
    """

    lang: str
    labels: LabelShares
    quality: tuple[JudgeQuality, ...]
    rates: tuple[CorrectedRate, ...]


@dataclass(frozen=True, slots=True)
class TranslationAudit:
    """What people say of the translations into a language: `n` reviewed texts, and the share of each label."""

    lang: str
    n: int
    good: ClusteredShare
    minor: ClusteredShare
    wrong: ClusteredShare


@dataclass(frozen=True, slots=True)
class Audit:
    """The content of `audit.json`.

    Attributes:
        name, version, benchmark_hash: the benchmark.
        raters: who reviewed.
        nuggets, support: a row for each language that was reviewed, and one for `all` if there are several.
        translations: in the same way.
        agreement: of several raters of the same items.
        parity: unequal items.
        notes: what to know of the figures.
        missing: what is not known, with the command that gives it; `DIR` is the benchmark's folder.
    """

    name: str
    version: str
    benchmark_hash: str
    raters: tuple[str, ...]
    nuggets: tuple[NuggetAudit, ...]
    support: tuple[SupportAudit, ...]
    translations: tuple[TranslationAudit, ...]
    agreement: tuple[AgreementRow, ...]
    parity: Parity
    notes: tuple[str, ...]
    missing: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the audit as JSON holds it."""
        return asdict(self)


def audit_benchmark(benchmark: Benchmark, reviews: Reviews, parity: Parity, parallel: bool) -> Audit:
    """Return all figures; `parallel` says whether the languages are translations of each other."""
    return Audit(
        benchmark.name,
        benchmark.version,
        benchmark.hash,
        reviews.raters,
        _nugget_figures(reviews, benchmark),
        _support_figures(combined_support(reviews.support), reviews.pairs),
        _by_language(combined_translations(reviews.translations), lambda one: one.lang, _translations),
        tuple(reviews.agreement),
        parity,
        tuple(_notes(reviews, parity)),
        tuple(_missing(benchmark, reviews, parallel and len(benchmark.languages) > 1)),
    )


def _nugget_figures(reviews: Reviews, benchmark: Benchmark) -> tuple[NuggetAudit, ...]:
    def figures(lang: str, keys: Sequence[tuple[str, str]]) -> NuggetAudit:
        own = [judged[key] for key in keys]
        langs = benchmark.languages if lang == ALL_LANGUAGES else (lang,)
        queries = sum(len({nugget.query_id for nugget in benchmark.nuggets[one]}) for one in langs)
        return NuggetAudit(lang, queries, nugget_quality(own), errors_by_place(own), last_share(own))

    judged = combined_nuggets(reviews.nuggets)
    return _by_language(list(judged), lambda key: key[0], figures)


def _support_figures(reviews: Sequence[ReviewedSupport], population: Population) -> tuple[SupportAudit, ...]:
    def figures(lang: str, own: Sequence[ReviewedSupport]) -> SupportAudit:
        counts = {key: pairs for key, pairs in population.items() if lang in (key[0], ALL_LANGUAGES)}
        return SupportAudit(
            lang,
            label_shares(own, counts),
            tuple(judge_quality(own, counts, partial) for partial in (False, True)),
            tuple(rate for partial in (False, True) for rate in corrected_rates(own, counts, partial)),
        )

    return _by_language(reviews, lambda one: one.lang, figures)


def _translations(lang: str, own: Sequence[ReviewedTranslation]) -> TranslationAudit:
    good, minor, wrong = (
        _share([(one.query_id, one.label is label) for one in own])
        for label in (TranslationReview.GOOD, TranslationReview.MINOR, TranslationReview.WRONG)
    )
    return TranslationAudit(lang, len(own), good, minor, wrong)


def _share(rows: Sequence[tuple[str, bool]]) -> ClusteredShare:
    hits, sizes = Counter(query_id for query_id, hit in rows if hit), Counter(query_id for query_id, _ in rows)
    return clustered_share({one: QueryUnits(hits[one], size, size) for one, size in sizes.items()})


_Row = TypeVar("_Row")


def _by_language(
    rows: Sequence[_Row], lang_of: Callable[[_Row], str], figures: Callable[[str, Sequence[_Row]], _Figure]
) -> tuple[_Figure, ...]:
    """Return the figures of each language that has rows, and those of all together if there are several."""
    langs = sorted(set(map(lang_of, rows)))
    parts = [figures(lang, [row for row in rows if lang_of(row) == lang]) for lang in langs]
    return (*parts, *([figures(ALL_LANGUAGES, rows)] if len(langs) > 1 else []))


def _notes(reviews: Reviews, parity: Parity) -> list[str]:
    """Return which judgements do not count, and how far the others lean to the unequal items that come first."""
    notes = []
    if reviews.n_stale:
        notes.append(f"{reviews.n_stale} judgements do not count: their texts have changed since")
    reviewed = {(one.lang, one.query_id) for one in reviews.nuggets}
    reviewed |= {(one.lang, one.query_id) for one in reviews.support}
    # A chunk is no item.
    texts = [one for one in reviews.translations if not one.id.startswith(f"{RecordKind.CHUNK} ")]
    reviewed |= {(one.lang, one.query_id) for one in texts}
    flagged = {(one.lang, one.query_id) for one in parity.flagged}
    if reviewed & flagged:
        compared = sum(one.n for one in parity.languages)
        notes.append(
            f"{len(reviewed & flagged)} of {len(reviewed)} reviewed items are unequal, as are {len(flagged)} of all "
            f"{compared}: a review begins with these, so figures from few reviews are not those of a random sample"
        )
    return notes


def _missing(benchmark: Benchmark, reviews: Reviews, parallel: bool) -> list[str]:
    has_nuggets = any(benchmark.nuggets.values())
    tasks = {
        "nuggets": (reviews.nuggets, has_nuggets, "quality of the nuggets"),
        "support": (reviews.support, has_nuggets, "precision and recall of the judge of support"),
        "translation": (reviews.translations, parallel, "quality of the translations"),
    }
    command = "ragaliq review DIR --task"
    lines = [f"{what}: not reviewed; `{command} {task}`"
             for task, (rows, possible, what) in tasks.items() if possible and not rows]  # fmt: skip
    if not has_nuggets:
        lines.append("quality of nuggets and judge: the benchmark has no nuggets")
    if reviews.raters and not reviews.agreement:
        task = next(task for task, (rows, _, _) in tasks.items() if rows)
        again = f"`{command} {task} --rater NAME`"
        lines.append(
            f"agreement of raters: one rater; a second one: {again}"
            if len(reviews.raters) == 1
            else f"agreement of raters: no item was judged by two; {again} with another's --sample and --seed"
        )
    return lines
