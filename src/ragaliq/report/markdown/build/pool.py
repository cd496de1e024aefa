"""The part of a quality report on what was judged: the pool and its depth, its families, its holes."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.build.quality.family_left_out import MEASURE
from ragaliq.build.quality.figures import BuildFigures
from ragaliq.build.quality.pool_recall import PoolRecall
from ragaliq.report.format import NONE, between, markdown, thousandths

_GROUPS = ("all", "inference", "oracle")


def pool_sections(figures: BuildFigures) -> list[str]:
    """Return the sections on judged documents."""
    return [*_cells(figures), *_depths(figures.recalls), *_negatives(figures), *_families(figures), *_holes(figures)]


def _cells(figures: BuildFigures) -> list[str]:
    total = sum(figures.cells.values())
    rows = [
        {"label": label, "cells": str(n), "share": f"{n / total:.1%}"} for label, n in figures.cells.items() if total
    ]
    return [
        "## Judged support",
        markdown(rows) if rows else "Nothing was judged.",
        f"{total} cells, a nugget by a document each, of all queries that were pooled. A missing cell has no label: it "
        "is never counted as no support.",
    ]


def _depths(recalls: Sequence[PoolRecall]) -> list[str]:
    curve = [one for one in recalls if one.texts in _GROUPS]
    depths = sorted({one.depth for one in curve})
    rows = []
    langs = list(dict.fromkeys(one.lang for one in curve))
    for lang in langs:
        for texts in _GROUPS:
            own = {one.depth: one for one in curve if one.lang == lang and one.texts == texts}
            first = own[depths[0]]
            rows.append(
                {
                    "lang": lang,
                    "texts": texts,
                    "queries": str(first.queries),
                    "relevant": str(first.relevant),
                    **{f"depth {depth}": _recall(own[depth]) for depth in depths},
                }
            )
    alone = [_alone([one for one in recalls if one.lang == lang and one.texts not in _GROUPS]) for lang in langs]
    return [
        "## Pool: how deep",
        markdown(rows),
        "Share of the known relevant documents in the fused lists down to a depth; in brackets, the documents of a "
        "query to judge for it. Oracle texts (reference, nuggets) contain the answer; inference texts "
        "(question, sub-questions, closed-book answer) do not. While the curve still rises at its end, a deeper pool "
        "would find more: raise `pool.judged`.",
        markdown(alone),
        f"The same for each text alone, at depth {depths[-1]}.",
    ]


def _alone(recalls: Sequence[PoolRecall]) -> dict[str, str]:
    first = recalls[0]
    head = {"lang": first.lang, "queries": str(first.queries), "relevant": str(first.relevant)}
    return {**head, **{one.texts: thousandths(one.recall) for one in recalls}}


def _recall(one: PoolRecall) -> str:
    return NONE if one.recall is None else f"{one.recall:.3f} ({one.documents:.1f})"


def _negatives(figures: BuildFigures) -> list[str]:
    rows = [
        {"lang": one.lang, "random documents": str(one.n), "support a nugget": str(one.supporting),
         "share": thousandths(one.share), "ci95": between(one.interval)}
        for one in figures.negatives
    ]  # fmt: skip
    return [
        "## Pool: what it misses",
        markdown(rows),
        "Documents drawn from outside the pool and judged like the others. Each one that supports a nugget was missed "
        "by the pool, or is a mistake of the judge.",
    ]


def _families(figures: BuildFigures) -> list[str]:
    rows = [
        {
            "lang": one.lang,
            "without": one.family,
            "retrievers left": ", ".join(one.rest) or "none",
            "queries": str(one.queries),
            "relevant": str(one.relevant),
            "lost": thousandths(one.lost),
            "systems": str(one.systems),
            "τ": thousandths(one.tau),
            "ranks moved": str(one.rank_moved),
        }
        for one in figures.families
    ]
    return [
        "## Pool: one family of retrievers left out",
        markdown(rows) if rows else "There is no answerable query.",
        "A retriever is left out with every other that uses the same signal, a hybrid among them. Lost: share of the "
        f"relevant documents that the rest does not find. τ (Kendall's τ_b) and ranks: the order of the systems by "
        f"{MEASURE}, all judgements against those of the rest. A τ below .95, or a system that moves by more than one "
        "rank, means that a system of a new kind would be treated unfairly.",
    ]


def _holes(figures: BuildFigures) -> list[str]:
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for one in figures.holes:
        head = {"lang": one.lang, "retriever": one.retriever, "queries": str(one.queries),
                "judged": thousandths(one.judged)}  # fmt: skip
        row = rows.setdefault((one.lang, one.retriever), head)
        row[f"{one.measure}, holes 0"] = thousandths(one.holes_as_0)
        row[f"{one.measure}, holes 1"] = thousandths(one.holes_as_1)
    return [
        "## Holes",
        markdown(list(rows.values())) if rows else "There is no answerable query.",
        "Holes are documents among the first ten that nobody judged, counted as not relevant and as relevant. Counted "
        "1, they also enter the ideal order that nDCG is divided by, so that it may fall. The true RR@10 is between "
        "its two values.",
    ]
