"""From a collection to what is retrieved in it, with notes for the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.experiment.corpus import Corpus, self_matches
from ragaliq.experiment.retrieving import RetrievalTask
from ragaliq.experiment.settings.queries import Source, judged, oracle_queries, read_queries
from ragaliq.experiment.settings.system import System
from ragaliq.formats.catalogue import find
from ragaliq.formats.reading.collection import Collection
from ragaliq.judge.families import builder_warnings
from ragaliq.metrics.retrieval.measures import Measure
from ragaliq.types import Query


def plan_task(collection: Collection, corpus: Corpus, system: System) -> tuple[RetrievalTask, list[str]]:
    """Return what a system retrieves in a collection, and notes for the user.

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
    queries, n_without = _queries(system, collection, questions)
    if n_without:
        notes.append(f"note: {n_without} of {len(queries)} queries have no {system.queries}; they ask the question")
    dataset = find(collection.name)
    matches = self_matches(corpus, questions, collection.qrels, dataset is not None and dataset.self_match)
    if matches:
        done = "they stay (--keep-self-match)" if system.keep_self_match else "each is left out of its own ranking"
        counts = f"{len(matches)} queries are documents of the corpus, such as '{min(matches)}'"
        notes.append(f"warning[self-match]: {collection.name} {collection.lang}: {counts}; {done}")
    return RetrievalTask(corpus, tuple(queries), system, frozenset() if system.keep_self_match else matches), notes


def _queries(system: System, collection: Collection, questions: Sequence[Query]) -> tuple[Sequence[Query], int]:
    mode = system.queries
    if mode.is_oracle:
        return oracle_queries(mode.source, collection, questions)
    if mode.source is Source.FILE:
        return read_queries(Path(mode.path.replace("{lang}", collection.lang)), questions), 0
    return questions, 0


def builder_findings(collection: Collection, system: System) -> list[str]:
    """Return that a system's models are of the family of those that the data set was built with."""
    parts = {"retriever": system.retriever, "reranker": system.reranker, "queries": system.queries.model}
    if system.retriever.kind in ("dense", "hybrid"):
        parts["embedder"] = system.embedder
    return builder_warnings(collection.built_by, {role: asdict(part) for role, part in parts.items() if part})


def shallow_notes(measures: Sequence[Measure], top_k: int) -> list[str]:
    """Return a note for each measure that looks further than a ranking goes."""
    return [
        f"note: {measure} looks at {measure.cutoff} documents, and a ranking has {top_k}; what lies behind counts as "
        "not found"
        for measure in measures
        if measure.cutoff is not None and measure.cutoff > top_k
    ]
