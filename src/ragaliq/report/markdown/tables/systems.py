"""The tables of results.md on whole systems: the summary, a row each, and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragaliq.aggregate.cross_lingual import kb_lang
from ragaliq.compare.overview.language_tables import LanguageRow
from ragaliq.compare.overview.systems import Overview, SystemOverview
from ragaliq.report.format import NONE, bold_if, digits, markdown, plus_minus, ranks, seconds, short

# Columns of names; all others are figures.
TEXTS = frozenset(
    ("run", "model_name", "embedder_name", "reranker_name", "lang", "judge", "file", "reader", "retriever", "embedder",
     "reranker", "kb_lang", "system", "stage", "condition", "queries")
)  # fmt: skip
# The parts of a system that every table names.
_NAMED = ("reader", "embedder", "reranker")


def summary_table(overview: Overview) -> str:
    """Return one row a system with its score in each language and over all that the systems share."""
    together = len(overview.languages) > 1 and bool(overview.pooled)
    return markdown([_summary_row(system, overview.languages, together) for system in overview.systems], texts=TEXTS)


def _summary_row(system: SystemOverview, langs: Sequence[str], together: bool) -> dict[str, str]:
    overall = system.pooled
    cost = system.cost
    return {
        "run": system.run.name,
        **({"all": _cell(overall)} if together else {}),
        **{lang: _cell(system.by_lang.get(lang)) for lang in langs},
        "rank": NONE if overall is None or overall.ranks is None else ranks(overall.ranks.low, overall.ranks.high),
        "abstention F1": short(system.abstention.f1 if system.abstention else None),
        "supported": short(system.groundedness.supported if system.groundedness else None),
        "s/query": seconds(system.seconds),
        "USD/query": digits(cost.per_query if cost else None, 2),
        "USD": digits(cost.total if cost else None, 2),
    }


def _cell(row: LanguageRow | None) -> str:
    """Return a score, in bold where it is the best of its column for certain."""
    if row is None:
        return NONE
    return bold_if(row.certain, plus_minus(row.score, row.ci))


def parts_table(overview: Overview) -> str:
    """Return what each system is made of, and who graded it."""
    return markdown([_parts(system) for system in overview.systems], texts=TEXTS)


def _parts(system: SystemOverview) -> dict[str, str]:
    config = system.run.config
    judges = sorted({summary.judge for summary in system.run.summaries.values() if summary.judge})
    return {
        "run": system.run.name,
        **{part: _with_options(config["system"], part) for part in ("reader", "retriever")},
        "embedder": system_names(config["system"])["embedder_name"],
        "reranker": _with_options(config["system"], "reranker"),
        "kb_lang": kb_lang(config),
        "judge": ", ".join(judges) or NONE,
    }


def system_names(system: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns that name reader, embedder and reranker of a run's configuration."""
    names = {part: _component(system, part, "kind", "model") for part in _NAMED}
    # Words alone need no vectors.
    embedder = NONE if _component(system, "retriever", "kind") == "bm25" else names["embedder"]
    return {"model_name": names["reader"], "embedder_name": embedder, "reranker_name": names["reranker"]}


def _with_options(system: Mapping[str, Any], part: str) -> str:
    options = (system.get(part, {}).get("options") or {}).items()
    return " ".join([_component(system, part, "kind", "model"), *(f"{key}={value}" for key, value in options)])


def _component(system: Mapping[str, Any], part: str, *keys: str) -> str:
    return ":".join(filter(None, map(system.get(part, {}).get, keys))) or NONE
