"""From a collection to what is retrieved in it, and how that is measured: the one place that sees both sides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.catalogue import find
from ragaliq.formats.collection import Collection
from ragaliq.formats.freshstack import judged_nuggets
from ragaliq.formats.trec import read_run
from ragaliq.lab.corpus import Corpus, self_matches
from ragaliq.lab.guards import check_run, tied_scores
from ragaliq.lab.queries import Source, judged, oracle_queries, read_queries
from ragaliq.lab.retrieving import Task
from ragaliq.lab.system import System
from ragaliq.metrics.measures import DEFAULTS, NUGGET_DEFAULTS, parse_measure
from ragaliq.metrics.ranking import evaluate
from ragaliq.report.measures import MeasuredRun, judged_beside
from ragaliq.types import Importance, Query


def plan_task(collection: Collection, corpus: Corpus, system: System) -> tuple[Task, list[str]]:
    """Return what a system retrieves in a collection, and notes for the user.

    Asking the question reads the text of the queries alone.

    Raises:
        InputError: if there is no query, or a file of query texts does not fit.
    """
    questions = judged(collection)
    if not questions:
        raise InputError(f"'{collection.name}' has no query in '{collection.lang}'; check --split")
    notes = []
    if len(questions) < len(collection.queries):
        counts = f"{len(questions)} / {len(collection.queries)} queries, those with judgements"
        notes.append(f"note: {collection.name} {collection.lang}: evaluating {counts}")
    asked, n_kept = _asked(system, collection, questions)
    if n_kept:
        notes.append(f"note: {n_kept} of {len(asked)} queries have no {system.queries}; they ask the question")
    known = find(collection.name)
    own = self_matches(corpus, questions, collection.qrels, known is not None and known.self_match)
    if own:
        done = "they stay (--keep-self-match)" if system.keep_self_match else "each is left out of its own ranking"
        counts = f"{len(own)} queries are documents of the corpus, such as '{min(own)}'"
        notes.append(f"warning[self-match]: {collection.name} {collection.lang}: {counts}; {done}")
    return Task(corpus, tuple(asked), system, frozenset() if system.keep_self_match else own), notes


def _asked(system: System, collection: Collection, questions: Sequence[Query]) -> tuple[Sequence[Query], int]:
    mode = system.queries
    if mode.is_oracle:
        return oracle_queries(mode.source, collection, questions)
    if mode.source is Source.FILE:
        return read_queries(Path(mode.path.replace("{lang}", collection.lang)), questions), 0
    return questions, 0


def shallow_notes(measures: Sequence[str], top_k: int) -> list[str]:
    """Return a note for each measure that looks further than a ranking goes."""
    return [
        f"note: {name} looks at {measure.cutoff} documents, and a ranking has {top_k}; what lies behind counts as not "
        "found"
        for name, measure in ((name, parse_measure(name)) for name in measures)
        if measure.cutoff is not None and measure.cutoff > top_k
    ]


def default_measures(collection: Collection) -> tuple[str, ...]:
    """Return the measures that are taken if none is named: those of nuggets where the collection has some."""
    return NUGGET_DEFAULTS if collection.nuggets else DEFAULTS


def measure_run(path: Path, collection: Collection, names: Sequence[str], more: Sequence[str] = ()) -> MeasuredRun:
    """Measure a run by the judgements of its collection; a judged query that the run lacks counts 0.

    Args:
        path: the run.
        collection: what it was made from.
        names: the measures.
        more: measures whose values are kept beside, without being shown.

    Raises:
        InputError: if the run cannot be read, or a measure needs judgements that the collection lacks.
    """
    run = read_run(path)
    measures = tuple(map(parse_measure, names))
    beside = judged_beside(measures)
    importance: dict[str, dict[str, Importance]] = {}
    for nugget in collection.nuggets:
        importance.setdefault(nugget.query_id, {})[nugget.nugget_id] = nugget.importance
    evaluation = evaluate(
        {query_id: [(doc.doc_id, doc.score) for doc in docs] for query_id, docs in run.items()},
        collection.qrels,
        list(dict.fromkeys((*map(str, (*measures, *beside)), *more))),
        nuggets=judged_nuggets(collection.nuggets, collection.qrels) if collection.nuggets else None,
        importance=importance or None,
        gold=collection.gold or None,
    )
    found = []
    if run and collection.qrels:
        found += check_run(run, collection.qrels, str(path), f"the judgements of {collection.name}")
    found += tied_scores(evaluation.tied_at_cut, len(evaluation.query_ids), str(path))
    # What is done about a query that is a document was told when the run was made.
    findings = tuple(str(finding) for finding in found if finding.name != "self-match")
    return MeasuredRun(path.name, measures, beside, evaluation, findings)
