"""`ragaliq run`: answer a benchmark, grade the answers, write results.md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.judging import add_judging, chosen_judge, judge_notes
from ragaliq.cli.options import (
    MIN_COVERAGE,
    add_calls,
    make_session,
    parse_languages,
    positive,
    run_path,
    share,
    tell_calls,
)
from ragaliq.errors import ConfigError, nearest

if TYPE_CHECKING:
    from ragaliq.aggregate.run_figures import RunFigures
    from ragaliq.config import RunConfig


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "run",
        help="answer a benchmark, grade the answers, write results.md",
        description="Answer a benchmark with a RAG system, grade the answers, and write results.md beside the run. "
        "Without options: the sample benchmark, all languages, parts that need no model, no key and no network.",
    )
    add_options(parser)
    parser.set_defaults(call=call)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what decides a run, and how it is carried out."""
    add = parser.add_argument
    add("config", nargs="?", metavar="CONFIG.yaml", help="the system under test (default: the embedded parts)")
    add("--lang", default="all", help="languages, as in en,de (default: all that the benchmark has)")
    add("--data", metavar="DIR", help="the benchmark's folder (default: the sample benchmark velmora)")
    add("--limit", type=positive, metavar="N", help="only the first N queries of each language")
    add("--out", metavar="RUN", help="the run's folder (default: results/NAME)")
    add("--judge", metavar="KIND[:MODEL]", help="offline (default), openai:MODEL, or several: panel:openai:A+offline")
    add("--no-judge", action="store_true", help="answer only; `ragaliq judge RUN` grades later")
    add("--fresh", action="store_true", help="begin anew instead of going on with the run in that folder")
    add("--min-coverage", type=share, default=MIN_COVERAGE, metavar="SHARE", help="least share of graded answers (.95)")
    add("--kb_lang", metavar="LANG", help="language of the corpus: same as the query's (default), one for all, or all")
    add_judging(parser)
    add_calls(parser, traces=True)
    legacy = parser.add_argument_group("options of the RAGaliq sources")
    legacy.add_argument("--knowledge_base", metavar="FILE", help="replaces the corpus; {lang} stands for the language")
    legacy.add_argument("--reader_model_id", metavar="ID", help="KIND[:MODEL]; a bare id means a local model")
    legacy.add_argument("--sampling_params", metavar="FILE", help="JSON object of sampling parameters")
    legacy.add_argument("--embedder_model_id", metavar="ID", help="KIND[:MODEL]; a bare id means a local model")
    legacy.add_argument("--reranker_model_id", metavar="ID", help="KIND[:MODEL]; a bare id means a local model")
    legacy.add_argument("--use_decoder_as_embedder", action="store_true", help="embed by the last token's state")


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.benchmark.load import load_benchmark
    from ragaliq.pipeline.evaluate import RunOptions, evaluate

    config = resolve(arguments)
    benchmark = load_benchmark(Path(config.data), parse_languages(arguments.lang), *corpus_of(config))
    for note in (*benchmark.notes, *language_notes(benchmark.languages)):
        print(note, file=sys.stderr)
    for note in () if arguments.no_judge else judge_notes(config.judge, config.reader, benchmark.languages):
        print(note, file=sys.stderr)
    # An edition (0.2.0+7) is other data than edition 0.
    edition = benchmark.version.partition("+")[2]
    out = out_path(arguments, config, "-".join(filter(None, (benchmark.name, edition))))
    session = make_session(arguments)
    options = RunOptions(
        limit=arguments.limit,
        fresh=arguments.fresh,
        judged=not arguments.no_judge,
        session=session,
        index_dir=Path(".ragaliq") / "index",
        controls=not arguments.no_controls,
    )
    try:
        run = evaluate(config, benchmark, out, options)
    finally:
        tell_calls(session)
    if run is None:
        print(f"answers: {out / 'answers.jsonl'}; `ragaliq judge {out}` grades them")
        return 0
    return finish(run, arguments.min_coverage)


def corpus_of(config: RunConfig) -> tuple[str, str, str]:
    """Return what `load_benchmark` is told of the knowledge base."""
    return config.knowledge_base, config.chunking, config.kb_lang


def finish(run: RunFigures, min_coverage: float) -> int:
    """Write results.md beside a graded run, print the headlines, and return the exit code of the coverage gate."""
    from ragaliq.aggregate.run_figures import runs_beside
    from ragaliq.compare.results import compare_results
    from ragaliq.report.markdown.results import write_results
    from ragaliq.report.terminal import headline, unscored_lines, vote_lines

    same, others = runs_beside(run)
    path = run.folder.path.parent / "results.md"
    write_results(path, compare_results(same, min_coverage, path.parent / "certificates", others))
    for summary in run.summaries.values():
        print(headline(summary, min_coverage))
    for line in vote_lines(run.metrics.get("repeats")):
        print(line)
    print(f"run: {run.folder}\nresults: {path}")
    low = [summary for summary in run.summaries.values() if not summary.covered(min_coverage)]
    for summary in low:
        counts = f"{summary.aggregates.n_scored} of {summary.aggregates.n_expected}"
        print(
            f"ragaliq: {run.folder}: {summary.lang}: only {counts} answers have a grade, less than --min-coverage "
            f"{min_coverage:g}",
            file=sys.stderr,
        )
    for line in unscored_lines(run):
        print(f"ragaliq: {run.folder}: {line}", file=sys.stderr)
    return 1 if low else 0


def out_path(arguments: argparse.Namespace, config: RunConfig, benchmark: str) -> Path:
    """Return the run's folder."""
    from ragaliq.config import run_name

    return run_path(arguments.out) if arguments.out else Path("results") / run_name(config, benchmark)


def resolve(arguments: argparse.Namespace) -> RunConfig:
    """Return the configuration: the file's, with the options of the command line in place of its values."""
    from dataclasses import replace

    from ragaliq.config import Component, RunConfig, load_config, load_sampling

    config = load_config(Path(arguments.config)) if arguments.config else RunConfig()
    changes: dict[str, Any] = {}
    if arguments.data:
        changes["data"] = arguments.data
    if arguments.knowledge_base:
        changes["knowledge_base"] = arguments.knowledge_base
    if arguments.kb_lang is not None:
        changes["kb_lang"] = arguments.kb_lang
    if arguments.sampling_params:
        changes["sampling"] = load_sampling(Path(arguments.sampling_params))
    if arguments.judge:
        changes["judge"] = Component.parse(arguments.judge, "--judge")
    changes["judge"] = chosen_judge(changes.get("judge", config.judge), arguments)
    for stage, local in (("reader", "transformers"), ("embedder", "transformers"), ("reranker", "cross-encoder")):
        model_id = getattr(arguments, f"{stage}_model_id")
        if model_id:
            changes[stage] = _legacy(stage, model_id, local)
    config = replace(config, **changes)
    if arguments.use_decoder_as_embedder:
        embedder = config.embedder
        if embedder.kind != "transformers":
            raise ConfigError(f"--use_decoder_as_embedder: needs the embedder transformers:ID, not '{embedder}'")
        config = replace(config, embedder=replace(embedder, options={**embedder.options, "pooling": "last"}))
    return config


def _legacy(stage: str, model_id: str, local: str) -> Any:
    """Return the component that a legacy flag names: a known kind, or a bare Hugging Face id for the local kind."""
    from ragaliq.components import KINDS
    from ragaliq.config import Component

    kind = model_id.partition(":")[0]
    if kind in KINDS[stage] or kind == "python":
        return Component.parse(model_id, f"--{stage}_model_id")
    if "/" not in model_id:
        raise ConfigError(f"--{stage}_model_id: unknown kind '{kind}'; {nearest(kind, KINDS[stage])}")
    return Component(local, model_id)


def language_notes(langs: Sequence[str]) -> list[str]:
    """Return what the embedded parts lack in the languages of a benchmark."""
    from ragaliq.text.refusals import knows_abstentions

    unknown = [lang for lang in langs if not knows_abstentions(lang)]
    if not unknown:
        return []
    return [
        f"note: no abstention phrases for {', '.join(unknown)}: the embedded reader abstains in English there, and an "
        "abstention in another reader's words counts as an answer (src/ragaliq/text/refusals.yaml)"
    ]
