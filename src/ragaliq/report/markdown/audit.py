"""The audit of a benchmark as Markdown, and its summary."""

from __future__ import annotations

from pathlib import Path

from ragaliq.build.audit.audit import Audit, NuggetAudit, SupportAudit, TranslationAudit
from ragaliq.build.audit.corrected_rates import CorrectedRate
from ragaliq.build.audit.judge_quality import JudgeQuality
from ragaliq.build.parity.parity_file import Parity
from ragaliq.metrics.statistics.clustered_share import ClusteredShare
from ragaliq.report.format import TableRows, bullets, escaped, markdown, p_value, thousandths, with_interval
from ragaliq.storage.files import write_atomic, write_json
from ragaliq.storage.foreign import is_json_of, refuse_foreign

_MOST_ITEMS = 20
_TITLE = "# Audit of "
_TEXTS = ("lang", "what", "place", "counts as support", "rate", "query")
_INTERVALS = (
    "Intervals: 95 %, Wilson's for the effective number of units; a query in all its languages is one cluster. Several "
    "raters of an item: the majority, else the judgement against the benchmark."
)
_NUGGETS = (
    "N nuggets, ΣA of them hallucinated, ΣB redundant, C facts missing, summed over queries: precision (N − ΣB)/N, "
    "recall (N − ΣB)/(N − ΣB + C), groundedness (N − ΣA)/N. `per query`: means of the three over queries."
)
_LABELS = "Pairs of nugget and document that the model calls supported, by what people say of them:"
_JUDGE = (
    "Over all judged pairs of the benchmark: a reviewed pair that the model calls supported has the weight of all "
    "those of its query, the ones that it calls unsupported have equal weights. "
    "`missed`: share of the pairs called unsupported that people call support."
)
_RATES = (
    "Means over the benchmark's queries. `model`: by the model's labels; `corrected`: what people would say of all, by "
    "prediction-powered inference with the model's label as strata."
)
_PARITY = (
    "An item is unequal in a language if it is harder or easier there than its difficulty in the other languages "
    "explains, at the .05 level for each item and language: by chance about `by chance` equal items are flagged, too. "
    "p values are not corrected for their number. All rows: `build/parity.jsonl`."
)


def check_audit_files(folder: Path) -> None:
    """Refuse to replace files of another hand.

    Raises:
        InputError: if `audit.json` or `audit.md` is not an earlier audit.
    """
    advice = "move it away: `ragaliq build audit` writes that file"
    refuse_foreign(folder / "audit.json", is_json_of(dict.fromkeys(Audit.__slots__, object)), advice)
    refuse_foreign(folder / "audit.md", lambda text: text.startswith(_TITLE), advice)


def write_audit(folder: Path, audit: Audit) -> None:
    """Write `audit.json` and `audit.md`, after `check_audit_files`."""
    write_json(folder / "audit.json", audit.to_json())
    head = escaped(f"{_TITLE}{audit.name} {audit.version}")
    parts = [head, *_sections(audit), f"Benchmark: `{audit.benchmark_hash}`."]
    write_atomic(folder / "audit.md", ("\n\n".join(parts) + "\n").encode("utf-8"))


def audit_summary(audit: Audit, folder: Path) -> str:
    """Return the main figures, a line each, and what is missing; its commands name the folder."""
    lines = []
    for nuggets in audit.nuggets:
        quality = nuggets.quality
        lines.append(
            f"{nuggets.lang}: nuggets: precision {_share(quality.precision)}, recall {_share(quality.recall)}, "
            f"groundedness {_share(quality.groundedness)}; n = {quality.nuggets} nuggets of {quality.queries} of "
            f"{nuggets.queries} queries"
        )
    for support in audit.support:
        first, last = support.quality[0], support.quality[-1]
        lines.append(
            f"{support.lang}: judge: precision {_share(first.precision)}, recall {_recall(first)} (partial support as "
            f"support: {_share(last.precision)}, {_recall(last)}); n = {first.precision.n} + {first.missed.n} of "
            f"{first.positives} + {first.negatives} pairs"
        )
    lines += [f"{one.lang}: translations: good {_share(one.good)}, wrong {_share(one.wrong)}; n = {one.n}"
              for one in audit.translations]  # fmt: skip
    lines.append(_parity_line(audit.parity))
    return "\n".join([*lines, *audit.notes, *(line.replace(" DIR ", f" {folder} ") for line in audit.missing)])


def _sections(audit: Audit) -> list[str]:
    raters = (
        f"{len(audit.raters)} raters: {', '.join(audit.raters)}. {_INTERVALS}" if audit.raters else "No review yet."
    )
    parts = [escaped(raters), *audit.notes]
    if audit.nuggets:
        parts += ["## Nuggets", _NUGGETS, _table([_nuggets(one) for one in audit.nuggets])]
        parts += ["By place in the query's list:", _table([row for one in audit.nuggets for row in _places(one)])]
        parts += [bullets(map(_last, audit.nuggets))]
    if audit.support:
        parts += ["## Judge of support", _LABELS, _table([_labels(one) for one in audit.support])]
        parts += [_JUDGE, _table([_judge(one.lang, row) for one in audit.support for row in one.quality])]
        parts += ["### Rates", _RATES, _table([_rate(one.lang, row) for one in audit.support for row in one.rates])]
    if audit.translations:
        parts += ["## Translations", _table(list(map(_translation, audit.translations)))]
    if audit.agreement:
        rows = [{"what": one.what, "lang": one.lang, "n": str(one.n), "raters": str(one.n_raters),
                 "same": thousandths(one.exact), "Cohen's κ": thousandths(one.cohen_kappa),
                 "α nominal": thousandths(one.alpha), "α ordinal": thousandths(one.ordinal_alpha)}
                for one in audit.agreement]  # fmt: skip
        parts += ["## Agreement of raters", _table(rows)]
    parts += ["## Parity", escaped(_parity_line(audit.parity)), *_parity(audit.parity)]
    return [*parts, *(["## Not known", bullets(audit.missing)] if audit.missing else [])]


def _nuggets(row: NuggetAudit) -> dict[str, str]:
    quality = row.quality
    return {
        "lang": row.lang,
        "nuggets": str(quality.nuggets),
        "queries": f"{quality.queries} of {row.queries}",
        "precision": _share(quality.precision),
        "recall": _share(quality.recall),
        "groundedness": _share(quality.groundedness),
        "per query": " / ".join(map(thousandths, quality.per_query)),
    }


def _places(row: NuggetAudit) -> TableRows:
    return [
        {
            "lang": row.lang,
            "place": str(one.place),
            "nuggets": str(one.nuggets),
            "redundant": str(one.redundant),
            "hallucinated": str(one.hallucinated),
        }
        for one in row.places
    ]


def _last(row: NuggetAudit) -> str:
    return f"{row.lang}: {_share(row.last)} of {row.last.n} redundant nuggets are the last of their list"


def _labels(row: SupportAudit) -> dict[str, str]:
    shares = row.labels
    return {
        "lang": row.lang,
        "n": str(shares.relevant.n),
        "relevant": _share(shares.relevant),
        "partial": _share(shares.partial),
        "not": _share(shares.not_relevant),
    }


def _judge(lang: str, row: JudgeQuality) -> dict[str, str]:
    return {
        "lang": lang,
        "counts as support": row.counts_as,
        "n": f"{row.precision.n} + {row.missed.n}",
        "pairs": f"{row.positives} + {row.negatives}",
        "precision": _share(row.precision),
        "missed": _share(row.missed),
        "recall": _recall(row),
    }


def _recall(row: JudgeQuality) -> str:
    return with_interval(row.recall, row.recall_interval)


def _rate(lang: str, row: CorrectedRate) -> dict[str, str]:
    return {
        "lang": lang,
        "rate": row.rate,
        "counts as support": row.counts_as,
        "n": f"{row.positives} + {row.negatives}",
        "queries": str(row.queries),
        "model": thousandths(row.model),
        "corrected": with_interval(row.corrected, row.interval),
    }


def _translation(row: TranslationAudit) -> dict[str, str]:
    return {
        "lang": row.lang,
        "n": str(row.n),
        "good": _share(row.good),
        "minor": _share(row.minor),
        "wrong": _share(row.wrong),
    }


def _parity_line(parity: Parity) -> str:
    if parity.reason:
        return f"parity: not compared: {parity.reason}"
    compared = sum(one.n for one in parity.languages)
    return (
        f"parity: {len(parity.flagged)} of {compared} items by language are unequal, about "
        f"{sum(one.by_chance for one in parity.languages):.0f} would be by chance ({parity.items} items, "
        f"{len(parity.languages)} languages, {parity.retrievers} retrievers)"
    )


def _parity(parity: Parity) -> list[str]:
    if parity.reason:
        return []
    rows = [
        {
            "lang": one.lang,
            "n": str(one.n),
            "harder": str(one.harder),
            "easier": str(one.easier),
            "by chance": f"{one.by_chance:.1f}",
        }
        for one in parity.languages
    ]
    items = [
        {"lang": one.lang, "query": one.query_id, "shift": f"{one.shift:+.1f}", "p": p_value(one.p)}
        for one in parity.flagged[:_MOST_ITEMS]
    ]
    return [_PARITY, _table(rows), *(["The least p values:", _table(items)] if items else [])]


def _table(rows: TableRows) -> str:
    return markdown(rows, texts=_TEXTS)


def _share(share: ClusteredShare) -> str:
    return with_interval(share.value, share.interval)
