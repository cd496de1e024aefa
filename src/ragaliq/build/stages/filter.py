"""Filter: the queries whose nuggets the corpus supports, and those among them that become unanswerable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragaliq.build.candidates import GENERATED
from ragaliq.build.context import BuildContext
from ragaliq.build.settings import FilterSettings
from ragaliq.build.stage_row import FAILED, StageRow, content_hash
from ragaliq.build.stages import closed_book, judge, nuggets, pool
from ragaliq.build.stages.chunk import chunks_of
from ragaliq.build.withhold import Supported, withheld_queries
from ragaliq.types import AssignmentLabel, Chunk, Importance

NAME = "filter"
# The reasons of FreshStack's two rules (arXiv 2504.13128, section 3.5): the unfiltered set has these queries, too.
# The third, which is off by default, is that models know the answer.
RULES = ("no supported nugget", "unsupported nugget", "solved without documents")
# Nugget → document → label.
_Cells = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class _Judged:
    """A query with its judgements, and why it is removed."""

    row: StageRow
    pooled: StageRow
    cells: _Cells
    reason: str
    detail: str

    @property
    def key(self) -> tuple[str, str]:
        return self.row.lang, self.row.item_id

    @property
    def written_from(self) -> frozenset[str]:
        """The documents that the query was written from."""
        return frozenset(doc_id for group in self.row.value["gold"] for doc_id in group)

    @property
    def supporting(self) -> frozenset[str]:
        """The documents that support a nugget."""
        return frozenset(doc_id for labels in self.cells.values() for doc_id in _supporting(labels))


def filter_queries(context: BuildContext) -> None:
    """Write a row for each query: nuggets with the documents that support them, gold, and whether it is answerable.

    A nugget counts as supported if one document supports all of it. Gold is an AND over the vital nuggets of an OR over
    the documents that support each. A query is removed where missing cells could change the decision.

    Of the queries that are kept, a share becomes unanswerable: every document that was judged to support one of their
    nuggets leaves the corpus, with those that they were written from. So no document that was judged supports them.
    """
    judged = _judged(context)
    earlier = {(row.lang, row.item_id): row.value for row in context.earlier.kept(NAME)}
    withheld = _withheld(context, judged, earlier)
    books = {(row.lang, row.item_id): row.value["solved"] for row in context.workspace.kept(closed_book.NAME)}
    gone = {
        lang: frozenset(doc_id for key in withheld if key[0] == lang for doc_id in withheld[key])
        for lang in {one.row.lang for one in judged}
    }
    rows = []
    for one in judged:
        near = str(earlier[one.key]["near_miss"]) if one.key in earlier else ""
        value = _value(one, gone[one.row.lang], sorted(withheld.get(one.key, ())), near) | {"solved": books[one.key]}
        inputs = content_hash([NAME, one.row.inputs, one.cells, value["withheld"]])
        rows.append(StageRow(one.row.item_id, one.row.lang, value, one.reason, one.detail, inputs))
    context.workspace.write_rows(NAME, rows)


def corpora_of(context: BuildContext, langs: Sequence[str]) -> dict[str, list[Chunk]]:
    """Return the chunks of each language that stay in the benchmark's corpus."""
    withheld = {(row.lang, doc_id) for row in context.workspace.rows(NAME) for doc_id in row.value["withheld"]}
    chunks = chunks_of(context)
    return {lang: [chunk for chunk in chunks[lang] if (lang, chunk.doc_id) not in withheld] for lang in langs}


def _judged(context: BuildContext) -> list[_Judged]:
    rows = {(row.lang, row.item_id): row for row in context.workspace.kept(nuggets.NAME)}
    books = {(row.lang, row.item_id): row for row in context.workspace.kept(closed_book.NAME)}
    by_query: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    for batch in context.workspace.rows(judge.NAME):
        cells = by_query.setdefault((batch.lang, batch.value["query_id"]), {})
        for cell in batch.value["cells"]:
            cells.setdefault(cell["nugget_id"], {})[cell["doc_id"]] = cell["label"]
    judged = []
    for pooled in context.workspace.kept(pool.NAME):
        key = pooled.lang, pooled.item_id
        cells_of = by_query.get(key, {})
        own = {one["nugget_id"]: cells_of.get(one["nugget_id"], {}) for one in rows[key].value["nuggets"]}
        reason, detail = _verdict(own, context.settings.filter)
        if not reason and context.settings.closed_book.drop and books[key].value["known"]:
            reason, detail = RULES[2], f"{books[key].value['solved']:.2f} of the answers"
        judged.append(_Judged(rows[key], pooled, own, reason, detail))
    return judged


def _verdict(cells: _Cells, settings: FilterSettings) -> tuple[str, str]:
    """Return why a query is removed, and the reason in full; empty texts if it is kept."""
    bare = [nugget_id for nugget_id, labels in cells.items() if not _supporting(labels)]
    unknown = [nugget_id for nugget_id in bare if _is_open(cells[nugget_id])]
    certain = [nugget_id for nugget_id in bare if nugget_id not in unknown]
    if settings.no_support and len(certain) == len(cells):
        return RULES[0], ", ".join(certain)
    if settings.unsupported and certain:
        return RULES[1], ", ".join(certain)
    if unknown and (settings.unsupported or (settings.no_support and len(bare) == len(cells))):
        return FAILED, f"missing cells of {unknown[0]}"
    return "", ""


def _is_open(labels: Mapping[str, str]) -> bool:
    """Return whether a nugget has cells that nobody has judged."""
    return judge.MISSING in labels.values() or not labels


def _supporting(labels: Mapping[str, str]) -> list[str]:
    return sorted(doc_id for doc_id, label in labels.items() if label == AssignmentLabel.SUPPORT)


def _withheld(
    context: BuildContext, judged: Sequence[_Judged], earlier: Mapping[tuple[str, str], Mapping[str, Any]]
) -> dict[tuple[str, str], frozenset[str]]:
    """Return the queries that become unanswerable, each with the documents that leave the corpus for it."""
    settings = context.settings
    withheld: dict[tuple[str, str], frozenset[str]] = {}
    for lang in sorted({one.row.lang for one in judged}):
        kept = {one.row.item_id: one for one in judged if one.row.lang == lang and not one.reason}
        queries = [
            Supported(
                query_id,
                tuple(frozenset(_supporting(labels)) for labels in one.cells.values()),
                one.supporting | one.written_from,
                _may_become_unanswerable(one),
                not earlier[one.key]["answerable"] if one.key in earlier else None,
            )
            for query_id, one in kept.items()
        ]
        chosen = withheld_queries(queries, settings.unanswerable, settings.seed)
        withheld |= {(lang, query.query_id): query.documents for query in queries if query.query_id in chosen}
    return withheld


def _may_become_unanswerable(one: _Judged) -> bool:
    """Return whether a generated query's whole pool was judged and a misleading document is left."""
    remaining = {doc_id for labels in one.cells.values() for doc_id in labels} - one.supporting - one.written_from
    whole = not any(_is_open(labels) for labels in one.cells.values())
    return whole and bool(remaining) and bool(one.supporting) and one.row.value["origin"] == GENERATED


def _value(one: _Judged, gone: frozenset[str], withheld: Sequence[str], near: str) -> dict[str, Any]:
    left = {
        nugget_id: {doc_id: label for doc_id, label in labels.items() if doc_id not in gone}
        for nugget_id, labels in one.cells.items()
    }
    listed = [
        {
            **{key: entry[key] for key in ("nugget_id", "text", "importance")},
            "doc_ids": _supporting(left[entry["nugget_id"]]),
        }
        for entry in one.row.value["nuggets"]
    ]
    vital = [entry for entry in listed if entry["importance"] == Importance.VITAL and entry["doc_ids"]]
    return {
        **{key: one.row.value[key] for key in ("text", "reference", "type", "origin")},
        "answerable": not withheld,
        "gold": [list(group) for group in dict.fromkeys(tuple(entry["doc_ids"]) for entry in vital)],
        "near_miss": _near_miss(one.pooled.value["documents"], left, gone, near) if withheld else "",
        "withheld": list(withheld),
        "written_from": sorted(one.written_from),
        "nuggets": listed,
        "judged": _relevance(left),
        "missing": sorted([nugget_id, doc_id] for nugget_id, labels in left.items()
                          for doc_id, label in labels.items() if label == judge.MISSING),
    }  # fmt: skip


def _relevance(cells: _Cells) -> dict[str, int]:
    """Return how many nuggets each document supports.

    A document that supports none counts as judged only if none of its cells is missing.
    """
    counts = {}
    for doc_id in sorted({doc_id for labels in cells.values() for doc_id in labels}):
        labels = [of_nugget.get(doc_id, judge.MISSING) for of_nugget in cells.values()]
        supported = labels.count(AssignmentLabel.SUPPORT)
        if supported or judge.MISSING not in labels:
            counts[doc_id] = supported
    return counts


def _near_miss(documents: Sequence[Mapping[str, Any]], cells: _Cells, gone: frozenset[str], earlier: str) -> str:
    """Return the document nearest to an unanswerable query: with most nuggets in part, then the best rank.

    Of documents with as many nuggets in part, that of the earlier version comes first.
    """

    def distance(entry: Mapping[str, Any]) -> tuple[int, bool, int, str]:
        parts = sum(labels.get(entry["doc_id"]) == AssignmentLabel.PARTIAL_SUPPORT for labels in cells.values())
        return -parts, entry["doc_id"] != earlier, min(entry["fused"].values(), default=10**6), entry["doc_id"]

    left = [entry for entry in documents if entry["doc_id"] not in gone]
    return str(min(left, key=distance)["doc_id"]) if left else ""
