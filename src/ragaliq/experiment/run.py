"""An experiment: every system in every language, then measures, tests and a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ragaliq.benchmark.collections import load_collections
from ragaliq.benchmark.judgements import gold_of
from ragaliq.config import slug
from ragaliq.errors import InputError
from ragaliq.execution.progress import StageProgress
from ragaliq.experiment.corpus import Corpus, read_corpus
from ragaliq.experiment.figures.study import DataInfo, LanguageRun, Role, Row, Study
from ragaliq.experiment.judgements import Judgements, measure_run, of_collection
from ragaliq.experiment.retrieving import retrieve
from ragaliq.experiment.run_file import RunFile
from ragaliq.experiment.settings.config import Experiment
from ragaliq.experiment.settings.depth import RERANK_DEPTH
from ragaliq.experiment.settings.grid import NamedSystem
from ragaliq.experiment.settings.queries import ORACLES, Mode, Source
from ragaliq.experiment.settings.system import NO_RERANKER, QUESTION, Parts, System
from ragaliq.experiment.tasks import builder_findings, plan_task, shallow_notes
from ragaliq.formats.reading.collection import Collection
from ragaliq.metrics.retrieval.measures import DEFAULTS, NUGGET_DEFAULTS, Measure, parse_measure
from ragaliq.retrieve.gold import GoldByQuery

Tell = Callable[[Sequence[str]], None]


@dataclass(slots=True)
class _Bench:
    """What the systems of an experiment share."""

    experiment: Experiment
    collections: Mapping[str, Collection]
    out: Path
    parts: Parts
    fresh: bool
    tell: Tell
    measures: tuple[Measure, ...]
    runs: dict[str, dict[str, LanguageRun]] = field(default_factory=dict)
    info: dict[str, DataInfo] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)

    def say(self, notes: Sequence[str]) -> None:
        """Tell the user what was not told yet: many notes are the same for every system."""
        self.tell([note for note in notes if note not in self.said])
        self.said.update(notes)

    def run(self, lang: str, named: NamedSystem, corpus: Corpus, judgements: Judgements) -> None:
        """Retrieve with one system in one language, or pair of languages, and measure."""
        collection = self.collections[lang]
        path = self.out / f"{named.name}.{slug(lang)}.trec"
        task, notes = plan_task(collection, corpus, named.system)
        texts = None
        if named.system.queries.model is not None:
            # Systems that ask the same share it.
            texts = self.out / f"queries.{slug(str(named.system.queries))}.{slug(lang)}.jsonl"
            if self.fresh and str(texts) not in self.said:
                texts.unlink(missing_ok=True)
                self.said.add(str(texts))
        file = RunFile(path)
        told = retrieve(task, file, self.parts, self.fresh, texts, inner=True)
        measured = measure_run(path, judgements, self.measures, more=DEFAULTS, made_here=True)
        findings = (*builder_findings(collection, named.system), *measured.findings)
        measured = replace(measured, name=named.name, findings=findings)
        self.say((*notes, *told, *measured.findings))
        n, spent = file.seconds.queries, file.spent
        called = bool(spent.calls and n)
        self.runs.setdefault(named.name, {})[lang] = LanguageRun(
            measured,
            file.seconds.per_query,
            path.name,
            tokens_per_query=spent.tokens / n if called else None,
            usd_per_query=spent.cost_usd / n if called and spent.cost_usd is not None else None,
        )
        n_docs, n_queries = len(corpus.chunks), len(measured.evaluation.query_ids)
        asking = {nugget.query_id for nugget in collection.nuggets}
        per_query = len(collection.nuggets) / len(asking) if asking else None
        self.info[lang] = DataInfo(n_docs, len(task.queries), n_queries, corpus.truncated, corpus.notes, per_query)


def run_experiment(experiment: Experiment, out: Path, parts: Parts, fresh: bool = False, tell: Tell = print) -> Study:
    """Carry out an experiment in a folder, and return its results; the same call goes on after a stop.

    Each system writes `NAME.LANG.trec`, as `ragaliq retrieve` does; `fresh` begins these runs anew. The oracles are the
    best system, by the mean of the first measure over the languages, among those that ask the question. `tell` takes
    notes for the user, a line each.

    Raises:
        InputError: if the data set cannot be read or has no judgements, or a run there was made otherwise.
        Stopped: if the work ended early.
    """
    for named in experiment.systems:
        # A missing variable is refused before the first corpus is read; a run that is there may need none.
        if not any(out.glob(f"{named.name}.*.trec")):
            parts.embedder(named.system)
            if named.system.reranks:
                parts.reranker(named.system)
    collections = load_collections(
        experiment.data, fmt=experiment.format, langs=experiment.languages, split=experiment.split,
        max_docs=experiment.max_docs,
    )  # fmt: skip
    for lang, collection in collections.items():
        if not collection.qrels and not collection.nuggets:
            raise InputError(
                f"{experiment.data}: no judgements for '{lang}', so nothing can be compared; check 'split'"
            )
    parts = replace(parts, gold=_gold(collections))
    first = next(iter(collections.values()))
    names = experiment.measures or (NUGGET_DEFAULTS if first.nuggets else DEFAULTS)
    measures = tuple(map(parse_measure, names))
    bench = _Bench(experiment, collections, out, parts, fresh, tell, measures)
    bench.say(shallow_notes(measures, experiment.k))
    n_runs = len(experiment.systems) * len(collections)
    with StageProgress("systems × languages", n_runs, "run") as progress:
        _run_all(bench, experiment.systems, progress)
        oracles = _oracles(bench) if experiment.oracle else []
        progress.expect(n_runs + len(oracles) * len(collections))
        _run_all(bench, oracles, progress)
    systems = [*experiment.systems, *oracles]
    return Study(
        name=experiment.name,
        data=first.name,
        split=first.split,
        top_k=experiment.k,
        measures=tuple(map(str, measures)),
        rows=tuple(_row(bench, named, systems) for named in systems if named.name in bench.runs),
        languages=bench.info,
        seed=experiment.seed,
    )


def _gold(collections: Mapping[str, Collection]) -> GoldByQuery:
    """Return what the retriever `gold` gets."""
    return {
        (collection.lang, query_id): groups
        for collection in collections.values()
        for query_id, groups in gold_of(collection).items()
    }


def _run_all(bench: _Bench, systems: Sequence[NamedSystem], progress: StageProgress) -> None:
    """Run systems language by language: one corpus is in memory at a time."""
    for lang, collection in bench.collections.items():
        if not systems:
            return
        corpus, judgements = read_corpus(collection), of_collection(collection)
        if lang not in bench.info:
            bench.say(corpus.notes)
        for named in systems:
            if _has_texts(named.system, collection):
                bench.run(lang, named, corpus, judgements)
            progress.step()


def _has_texts(system: System, collection: Collection) -> bool:
    """Return whether an oracle has something to ask in a language."""
    if system.queries.source is Source.REFERENCE:
        return bool(collection.references)
    return bool(collection.nuggets) or system.queries.source is not Source.NUGGETS


def _oracles(bench: _Bench) -> list[NamedSystem]:
    """Return the best system, asking what each oracle knows."""
    systems = [named for named in bench.experiment.systems if not named.system.is_oracle]
    asking = [named for named in systems if named.system.queries.source is Source.QUESTION]
    if not asking:
        bench.say(["note: no system asks the question, so there is no oracle to compare it with"])
        return []

    def mean(named: NamedSystem) -> float:
        runs = bench.runs[named.name].values()
        return sum(run.measured.evaluation.mean(str(bench.measures[0])) or 0.0 for run in runs) / len(runs)

    best = min(asking, key=lambda named: (-mean(named), named.name))
    oracles = [
        NamedSystem(slug(f"{best.name}-oracle-{source}"), replace(best.system, queries=Mode(source)))
        for source in ORACLES
    ]
    collections = bench.collections.values()
    oracles = [named for named in oracles if any(_has_texts(named.system, collection) for collection in collections)]
    if not oracles:
        bench.say(["note: the data has neither reference answers nor nuggets, so there are no oracle rows"])
    return oracles


def _row(bench: _Bench, named: NamedSystem, systems: Sequence[NamedSystem]) -> Row:
    system = named.system
    role = Role.BASELINE if named.name == bench.experiment.baseline_name else Role.SYSTEM
    plain = replace(system, reranker=NO_RERANKER, rerank_depth=RERANK_DEPTH)
    first_stage = next((other.name for other in systems if system.reranks and other.system == plain), "")
    return Row(
        name=named.name,
        parts=_described(system),
        retriever=system.retriever.kind,
        role=Role.ORACLE if system.is_oracle else role,
        runs=bench.runs[named.name],
        asks=str(system.queries.source),
        reranked=system.rerank_depth if system.reranks else None,
        first_stage=first_stage,
        is_bm25=replace(system, queries=QUESTION).is_plain_bm25,
    )


def _described(system: System) -> str:
    """Return what a system is made of, in words."""
    parts = [str(system.retriever)]
    options = {**system.retriever.options}
    if system.retriever.kind in ("dense", "hybrid"):
        options["embedder"] = str(system.embedder)
    if options:
        parts[0] += f" ({', '.join(f'{key} {value}' for key, value in sorted(options.items()))})"
    if system.chunk_tokens is not None:
        parts.append(f"windows of {system.chunk_tokens} tokens")
    if not system.title:
        parts.append("without titles")
    if system.queries.source is not Source.QUESTION:
        parts.append(f"asks {system.queries}")
    if system.reranks:
        parts.append(f"the first {system.rerank_depth} reranked by {system.reranker}")
    return ", ".join(parts)
