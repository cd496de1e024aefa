"""`ragaliq retrieve`: a benchmark and a retriever → a TREC run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.measure import add_measures, parse_measures
from ragaliq.cli.options import (
    HIDDEN,
    add_calls,
    add_shared,
    command_session,
    parse_languages,
    positive,
    tell,
)
from ragaliq.config import Component, sample_path
from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from ragaliq.experiment.figures.measured_run import MeasuredRun
    from ragaliq.experiment.settings.system import System
    from ragaliq.retrieve.stored.index import StoredIndex

_PARTS = ("retriever", "embedder", "rerank", "queries")


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "retrieve",
        help="a benchmark and a retriever → a TREC run",
        description="Retrieve documents for the queries of a data set, and write them as a TREC run. The same command "
        "goes on after a stop. Where the data set has judgements, the run is measured.",
    )
    add = parser.add_argument
    add(
        "--data",
        required=True,
        type=sample_path,
        metavar="DIR",
        help="the data set: a folder, a file, or hub:NAME or beir:NAME",
    )
    add("--index", metavar="INDEX", help="the documents of --data as `ragaliq index` wrote them, read where they lie")
    add("--out", required=True, metavar="RUN.trec", help="the run; {lang} stands for the language")
    add("--format", dest="source_format", **HIDDEN)
    add_shared(parser, "--from", "--split", "--lang", "--max-docs", "--fresh", "--seed")
    add_measures(parser)
    _add_system(parser.add_argument_group("how it is retrieved"))
    add_calls(parser)
    parser.set_defaults(call=call)


def _add_system(group: Any) -> None:
    add = group.add_argument
    add("--retriever", required=True, metavar="KIND[:MODEL]", help="bm25, char, dense, sparse[:MODEL], hybrid; "
        "the oracle gold, and none, which finds nothing")  # fmt: skip
    add(
        "--embedder",
        default="use-multilingual",
        metavar="KIND[:MODEL]",
        help="vectors of dense and hybrid (use-multilingual)",
    )
    add("--rerank", default="none", metavar="KIND[:MODEL]", help="none (default), lexical, cross-encoder:ID, llm:ID")
    add("--reranker", dest="rerank", **HIDDEN)
    add("--rerank-depth", type=positive, default=50, metavar="N", help="how many of the first hits are reranked (50)")
    add("--k", type=positive, default=100, metavar="N", help="how many documents for each query (100)")
    add("--top_k", dest="k", type=positive, **HIDDEN)
    add("--queries", default="question", metavar="MODE", help="question (default); the oracles reference, nuggets; "
        "a JSONL file of texts; subquestions:openai:MODEL; closed-book:openai:MODEL")  # fmt: skip
    add("--option", action="append", default=[], metavar="KEY=VALUE", help="of the retriever; "
        "embedder.KEY, rerank.KEY, queries.KEY of the others")  # fmt: skip
    add("--chunk-tokens", type=positive, metavar="N", help="index windows of N tokens; the best counts for a document")
    add("--no-title", action="store_true", help="leave titles out of the index")
    add("--keep-self-match", action="store_true", help="keep a query's own text in its ranking")


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.benchmark.collections import load_collections
    from ragaliq.benchmark.judgements import gold_of
    from ragaliq.experiment.corpus import read_corpus, stored_corpus
    from ragaliq.experiment.judgements import measure_run, of_collection
    from ragaliq.experiment.retrieving import retrieve
    from ragaliq.experiment.run_file import RunFile
    from ragaliq.experiment.settings.system import Parts
    from ragaliq.experiment.tasks import builder_findings, plan_task

    system = _system(arguments)
    measures = parse_measures(arguments.measures) if arguments.measures else ()
    collections = load_collections(
        arguments.data,
        fmt=arguments.source_format,
        langs=parse_languages(arguments.lang),
        split=arguments.split,
        max_docs=arguments.max_docs,
    )
    paths = _out_paths(arguments.out, list(collections))
    stored = _stored_index(arguments, list(collections))
    measured: dict[str, MeasuredRun] = {}
    with command_session(arguments) as session:
        gold = {(lang, query_id): groups for lang, collection in collections.items()
                for query_id, groups in gold_of(collection).items()}  # fmt: skip
        parts = Parts(session, Path(".ragaliq") / "index", gold)
        for lang, collection in collections.items():
            if stored is None:
                corpus = read_corpus(collection)
            else:
                corpus = stored_corpus(collection, stored.corpora[lang], stored.documents[lang])
            task, notes = plan_task(collection, corpus, system)
            tell((*corpus.notes, *notes))
            file = RunFile(paths[lang])
            tell(retrieve(task, file, parts, arguments.fresh))
            speed = file.seconds.per_query
            print(f"run: {paths[lang]}" + ("" if speed is None else f" ({speed:.4f} s per query)"), flush=True)
            if collection.qrels or collection.nuggets:
                judgements = of_collection(collection)
                asked = measures or parse_measures(judgements.defaults)
                values = measure_run(paths[lang], judgements, asked, made_here=True)
                findings = (*builder_findings(collection, system), *values.findings)
                measured[lang] = replace(values, findings=findings)
    if measured:
        _show(measured, system.top_k)
    return 0


def _stored_index(arguments: argparse.Namespace, langs: Sequence[str]) -> StoredIndex | None:
    """Return the index that `--index` names, once it is known to be of the data.

    Raises:
        ConfigError: with options that change what is indexed.
        InputError: if it is not.
    """
    from ragaliq.benchmark.layout import data_hash
    from ragaliq.retrieve.stored.index import StoredIndex

    if not arguments.index:
        return None
    given = next((name for name in ("max_docs", "chunk_tokens") if getattr(arguments, name)), None)
    if given:
        raise ConfigError(f"--index: holds the whole documents; leave out --{given.replace('_', '-')}")
    stored = StoredIndex(Path(arguments.index))
    stored.check(data_hash(Path(arguments.data)), langs)
    return stored


def _show(measured: Mapping[str, MeasuredRun], top_k: int) -> None:
    """Print the values: one language in full, of several the values in one table.

    Of several languages, each warning is printed in full once; the table names the languages that have it.
    """
    from ragaliq.experiment.tasks import shallow_notes
    from ragaliq.report.markdown.measures import render_languages, render_measures

    runs = list(measured.values())
    tell(note for run in runs for note in shallow_notes(run.measures, top_k))
    findings: dict[str, str] = {}
    for finding in (finding for run in runs for finding in run.findings):
        findings.setdefault(finding if len(runs) == 1 else finding.partition(":")[0], finding)
    tell(findings.values())
    if len(runs) > 1:
        print(f"\n{render_languages(measured)}")
        return
    for lang, run in measured.items():
        print(f"\n## {lang}\n\n{render_measures([run], 'md')}")


def _system(arguments: argparse.Namespace) -> System:
    """Return the system that the options describe.

    Raises:
        ConfigError: if a part, an option or a size cannot be.
    """
    from ragaliq.experiment.settings.queries import Mode
    from ragaliq.experiment.settings.system import System, check_parts

    options = _options(arguments.option)
    named = {"retriever": arguments.retriever, "embedder": arguments.embedder, "rerank": arguments.rerank}
    parts = {part: replace(Component.parse(value, f"--{part}"), options=options[part]) for part, value in named.items()}
    mode = Mode.parse(arguments.queries)
    if options["queries"]:
        if mode.model is None:
            raise ConfigError(f"--option queries.…: '{mode}' takes no options; leave it out")
        mode = replace(mode, model=replace(mode.model, options=options["queries"]))
    system = System(
        retriever=parts["retriever"],
        embedder=parts["embedder"],
        reranker=parts["rerank"],
        rerank_depth=arguments.rerank_depth,
        top_k=arguments.k,
        chunk_tokens=arguments.chunk_tokens,
        title=not arguments.no_title,
        queries=mode,
        keep_self_match=arguments.keep_self_match,
        seed=arguments.seed,
    )
    check_parts(system)
    return system


def _options(written: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Read `KEY=VALUE`, values as in YAML; `embedder.KEY` and the like name another part than the retriever.

    Raises:
        ConfigError: if one is written otherwise.
    """
    from ragaliq.storage.yaml_files import parse_yaml

    options: dict[str, dict[str, Any]] = {part: {} for part in _PARTS}
    for text in written:
        key, equals, value = text.partition("=")
        part, dot, rest = key.partition(".")
        if part not in _PARTS or not dot:
            part, rest = "retriever", key
        if not equals or not rest:
            raise ConfigError(f"--option '{text}': write KEY=VALUE, as in k1=1.2 or rerank.batch_size=8")
        try:
            options[part][rest] = parse_yaml(value, key).value
        except ConfigError:
            raise ConfigError(f"--option '{text}': the value is no YAML; put it in quotes") from None
    return options


def _out_paths(out: str, langs: Sequence[str]) -> dict[str, Path]:
    """Return where the run of each language goes: `{lang}` is replaced; without it, several get `.LANG` in the name."""
    if "{lang}" in out:
        return {lang: Path(out.replace("{lang}", lang)) for lang in langs}
    path = Path(out)
    if path.name in ("", "..") or path.is_dir():
        raise ConfigError(f"--out {out}: is a folder; name a file, such as {path / 'run.trec'}")
    if len(langs) == 1:
        return {langs[0]: path}
    return {lang: path.with_name(f"{path.stem}.{lang}{path.suffix}") for lang in langs}
