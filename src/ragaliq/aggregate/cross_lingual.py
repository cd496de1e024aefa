"""The language × language matrix: one system's queries in each language, answered over each language's documents.

The runs differ in `kb_lang` alone. The queries are parallel and the gold names documents that all languages share, so
neither the grades nor the recall of a cell need labels of their own.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from ragaliq.aggregate.grades.graded_metrics import MEAN_WEIGHT
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.config import ALL, SAME
from ragaliq.errors import InputError
from ragaliq.formats.trec.run import read_run
from ragaliq.metrics.retrieval.collapse import collapse_units, split_unit
from ragaliq.metrics.statistics.intervals import Interval, mean_interval
from ragaliq.metrics.statistics.sign_flips import ROUNDING
from ragaliq.storage.files import read_json, read_jsonl
from ragaliq.storage.own_json import misfit

RECALL_DEPTH = 10
# What makes two runs' grades those of one judge.
_JUDGE = ("kind", "model", "options", "name", "prompt_hash")
# Groups of documents by query: an answer needs one of each.
GoldGroups = Mapping[str, Sequence[Sequence[str]]]


class Share(NamedTuple):
    """A share of n queries."""

    value: float
    n: int


@dataclass(frozen=True, slots=True)
class OverOwnDocuments:
    """The difference to the same language over its own documents, paired by query; `n` queries have both grades."""

    difference: float
    interval: Interval | None
    n: int


@dataclass(frozen=True, slots=True)
class Cell:
    """The queries of one language over one knowledge base.

    Attributes:
        mean_weight: of the grades of the answerable queries, in 0..1; None without a grade.
        n_graded: answerable queries with a grade.
        n_expected: answerable queries.
        over_own: None in the language's own cell, and where no query has both grades.
        retrieved: share of the queries with gold for which each group of gold has a document among the first 10
            retrieved; None without gold.
        shown: the same among the documents that the reader was shown.
    """

    mean_weight: float | None
    n_graded: int
    n_expected: int
    over_own: OverOwnDocuments | None
    retrieved: Share | None
    shown: Share | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """The cells of one system.

    Attributes:
        system: its configuration.
        rows: languages of the queries.
        columns: knowledge bases: languages, and `all`.
        cells: by row and column; not every place has one.
        has_own: a language's own documents are among the cells.
        has_gold: the gold is at hand.
        data: the benchmark's folder, or what it is called.
        left_out: runs that repeat others.
    """

    system: Mapping[str, Any]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]
    has_own: bool
    has_gold: bool
    data: str
    left_out: tuple[str, ...]


def cross_lingual_matrices(runs: Sequence[RunFigures]) -> tuple[Matrix, ...]:
    """Return a matrix for each system among graded runs that was run across languages.

    Runs belong to one system if system, data and judge of their configurations are equal but for `kb_lang`. A run of
    each language over its own documents fills the cells of the diagonal that no other run fills. Units `doc_id@lang`
    count as their documents, each once. Gold is read from the benchmark's folder in our own layout; there is no recall
    where it is not there or has another version.

    Raises:
        InputError: if a file of a run is malformed.
    """
    groups: dict[str, list[RunFigures]] = {}
    for run in runs:
        groups.setdefault(_system(run.config), []).append(run)
    return tuple(_matrix(group) for group in groups.values() if any(kb_lang(run.config) != SAME for run in group))


def kb_lang(config: Mapping[str, Any]) -> str:
    """Return the language of a run's documents: one, that of each query (`same`), or `all`."""
    return str(config["system"].get("kb_lang", SAME))


def covered(gold: Sequence[Sequence[str]], doc_ids: Collection[str]) -> bool:
    """Return whether each group of gold has a document among `doc_ids`; no groups are covered by anything."""
    found = set(doc_ids)
    return all(not found.isdisjoint(group) for group in gold)


def first_documents(ranking: Mapping[str, float], mixed: bool, depth: int = RECALL_DEPTH) -> list[str]:
    """Return the first documents of a ranking as trec_eval orders them: score, then id, both descending.

    With `mixed` the ranking is one of units `doc_id@lang`, and is collapsed to documents before.
    """
    scores = collapse_units(ranking) if mixed else dict(ranking)
    order = sorted(scores, key=lambda doc: (scores[doc], doc.encode("utf-8", "surrogatepass")), reverse=True)
    return order[:depth]


def _matrix(runs: Sequence[RunFigures]) -> Matrix:
    places: dict[tuple[str, str], RunFigures] = {}
    left_out = []
    # Those of one knowledge base first: a run of each language over its own fills what they leave.
    for run in sorted(runs, key=lambda run: (kb_lang(run.config) == SAME, run.name)):
        kept = False
        for lang in run.config["expected"]:
            place = (lang, lang if kb_lang(run.config) == SAME else kb_lang(run.config))
            if place not in places:
                places[place], kept = run, True
        if not kept and kb_lang(run.config) != SAME:
            left_out.append(run.name)
    rows = tuple(dict.fromkeys(lang for run in runs for lang in run.config["expected"]))
    named = {name for _, name in places}
    columns = [lang for lang in rows if lang in named] + sorted(named - {*rows, ALL}) + [ALL] * (ALL in named)
    data = runs[0].config["data"]
    gold = {lang: found for lang in rows if (found := _gold(data, lang)) is not None}
    return Matrix(
        runs[0].config["system"],
        rows,
        tuple(columns),
        {
            (lang, name): _cell(run, places.get((lang, lang)), lang, gold.get(lang))
            for (lang, name), run in places.items()
        },
        any((lang, lang) in places for lang in rows),
        bool(gold),
        data.get("path") or "the data set",
        tuple(left_out),
    )


def _cell(run: RunFigures, own: RunFigures | None, lang: str, gold: GoldGroups | None) -> Cell:
    weights = _weights(run, lang)
    shown = retrieved = None
    if gold is not None:
        shown = _recall(gold, _documents_shown(run, lang))
        retrieved = _recall(gold, _documents_retrieved(run, lang))
    return Cell(
        fmean(weights[query_id] for query_id in sorted(weights)) if weights else None,
        len(weights),
        int(run.config["expected"][lang]["answerable"]),
        None if own is None or own is run else _over_own(weights, _weights(own, lang), run.seed),
        retrieved,
        shown,
    )


def _over_own(weights: Mapping[str, float], own: Mapping[str, float], seed: int) -> OverOwnDocuments | None:
    both = sorted(weights.keys() & own.keys())
    if not both:
        return None
    values = [weights[query_id] - own[query_id] for query_id in both]
    # Where all differences are the same, nothing tells how others would vary.
    varies = max(values) - min(values) > ROUNDING
    return OverOwnDocuments(fmean(values), mean_interval(values, seed=seed) if varies else None, len(both))


def _recall(gold: GoldGroups, documents: Mapping[str, Collection[str]]) -> Share | None:
    queries = [query_id for query_id in sorted(documents) if gold.get(query_id)]
    if not queries:
        return None
    return Share(fmean(covered(gold[query_id], documents[query_id]) for query_id in queries), len(queries))


def _weights(run: RunFigures, lang: str) -> dict[str, float]:
    """Return the weights of the grades of answerable queries."""
    return {query.query: weight for query, weight in MEAN_WEIGHT.values(run.summaries[lang].grades).items()}


def _documents_shown(run: RunFigures, lang: str) -> dict[str, list[str]]:
    """Return the documents in the context of each answerable query."""
    mixed = kb_lang(run.config) == ALL
    return {
        query_id: [_document(doc) if mixed else doc for doc in docs]
        for query_id, docs in run.shown.get(lang, {}).items()
    }


def _documents_retrieved(run: RunFigures, lang: str) -> dict[str, list[str]]:
    """Return the first documents of each answerable query that is answered; none for a query not in the TREC run."""
    file, mixed = run.folder.retrieval_file(lang), kb_lang(run.config) == ALL
    ranked = read_run(file) if file.is_file() else {}
    rankings = {
        query_id: {doc.doc_id: doc.score for doc in ranked.get(query_id, ())} for query_id in run.shown.get(lang, {})
    }
    return {query_id: first_documents(ranking, mixed) for query_id, ranking in rankings.items()}


def _gold(data: Mapping[str, Any], lang: str) -> GoldGroups | None:
    """Return the gold of the answerable queries of a language; None if the benchmark is not at hand."""
    folder = Path(str(data.get("path") or ""))
    file, head_file = folder / "queries" / f"{lang}.jsonl", folder / "bench.json"
    try:
        head = read_json(head_file) if head_file.is_file() and file.is_file() else {}
        if misfit(head, {key: frozenset({data[key]}) for key in ("name", "version")}):
            return None
        rows = [row for _, row in read_jsonl(file)]
    except InputError:
        return None
    if misfit(rows, [{"query_id": str, "gold?": ([[str]], None), "answerable?": bool}]):
        return None
    return {row["query_id"]: row.get("gold") or () for row in rows if row.get("answerable", True)}


def _document(unit: str) -> str:
    parts = split_unit(unit)
    return unit if parts is None else parts[0]


def _system(config: Mapping[str, Any]) -> str:
    system = {key: value for key, value in config["system"].items() if key != "kb_lang"}
    judge = {key: (config["judge"] or {}).get(key) for key in _JUDGE}
    return json.dumps([system, judge, config["data"]["hash"]], sort_keys=True, default=str)
