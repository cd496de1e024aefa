"""`ragaliq run`: answer a benchmark, grade the answers, write results.md."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.judging import abstention_notes, idle_model_notes, judge_notes
from ragaliq.cli.options import (
    add_calls,
    add_check,
    add_judging,
    add_shared,
    command_session,
    look_count,
    parse_languages,
    positive,
    run_path,
    tell,
)
from ragaliq.cli.run_config import LOCAL_KINDS, names_judge, resolve
from ragaliq.config import RunConfig, run_name, sample_path
from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from ragaliq.aggregate.run_figures import RunFigures
    from ragaliq.benchmark.load import Benchmark
    from ragaliq.llm import LLMSession
    from ragaliq.pipeline.chatbot import Chatbot
    from ragaliq.pipeline.distributed.engine import RayEngine
    from ragaliq.pipeline.evaluate import RunOptions
    from ragaliq.retrieve.stored.index import StoredIndex
    from ragaliq.runs.shards import Shard


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "run",
        help="answer a benchmark, grade the answers, write results.md",
        description="Answer a benchmark with a RAG system, grade the answers, and write results.md beside the run. "
        "Without options: the sample benchmark, all languages, parts that need no language model, key or network.",
    )
    add_options(parser)
    parser.set_defaults(call=call)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what decides a run, and how it is carried out."""
    add = parser.add_argument
    system = "the system under test: a file, or python:module:object, a Chatbot (default: the embedded parts)"
    add("config", nargs="?", metavar="CONFIG.yaml", help=system)
    add(
        "--data", type=sample_path, metavar="DIR", help="the benchmark's folder (default: the sample benchmark velmora)"
    )
    add("--limit", type=positive, metavar="N", help="only the first N queries of each language")
    shard = "answer part I of N, in a folder of its own; `ragaliq merge` joins the parts (see docs/scale.md)"
    add("--shard", metavar="I/N", help=shard)
    engine = "what carries out the stages' calls: this process, or the workers of a Ray cluster (extra ray)"
    add("--engine", choices=("local", "ray"), default="local", help=engine)
    ray = parser.add_argument_group("options of --engine ray").add_argument
    ray("--address", default="", metavar="HOST:PORT", help="the cluster (default: a Ray of this machine)")
    ray("--workers", type=positive, metavar="N", help="workers, each with --concurrency calls under way (CPUs)")
    gpus = "share of a GPU that each worker of a stage reserves, as in embedding=.25,answering=1"
    ray("--gpus", default="", metavar="STAGE=F", help=gpus)
    looks = "--limit will grow, K looks in all: recorded in config.json, so that all of them err in 5 %%"
    add("--looks", type=look_count, metavar="K", help=looks)
    add("--out", metavar="RUN", help="the run's folder (default: results/NAME)")
    add("--index", metavar="INDEX", help="the corpora of --data as `ragaliq index` wrote them, read where they lie")
    add("--no-judge", action="store_true", help="answer only; `ragaliq judge RUN` grades later")
    waterfall = "answer from no context and from the gold, too, and grade that (default: where nothing is called)"
    add("--waterfall", action="store_true", help=waterfall)
    add("--kb_lang", metavar="LANG", help="language of the corpus: same as the query's (default), one for all, or all")
    add_shared(parser, "--lang", "--fresh", "--min-coverage")
    add_judging(parser)
    add_check(parser)
    add_calls(parser, traces=True)
    add = parser.add_argument_group("options of the RAGaliq sources").add_argument
    add("--knowledge_base", metavar="PATH", help="file or folder of texts, replaces the corpus; {lang} is the language")
    add("--sampling_params", metavar="FILE", help="JSON object of sampling parameters")
    for stage in LOCAL_KINDS:
        add(f"--{stage}_model_id", metavar="ID", help="KIND[:MODEL]; a bare id means a local model")
    add("--use_decoder_as_embedder", action="store_true", help="embed by the last token's state")


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.judge.families import builder_warnings
    from ragaliq.pipeline.evaluate import evaluate
    from ragaliq.report.markdown.results import results_file

    inputs = read_inputs(arguments)
    config, benchmark, out = inputs.config, inputs.benchmark, inputs.out
    results_file(out.parent)
    notes = (*benchmark.notes, *_language_notes(benchmark.languages))
    tell((*notes, *builder_warnings(benchmark.built_by, config.system())))
    if not arguments.no_judge:
        tell(judge_notes(config.judge, config.reader, benchmark.languages))
        tell([] if names_judge(arguments) else idle_model_notes(config.judge))
    with command_session(arguments) as session:
        run = evaluate(inputs.system, benchmark, out, run_options(arguments, session))
    if inputs.shard is not None:
        print(f"shard {inputs.shard}: {out}; `ragaliq merge` joins all {inputs.shard.count} into one run")
        return 0
    if run is None:
        print(f"answers: {out / 'answers.jsonl'}; `ragaliq judge {out}` grades them")
        return 0
    return finish(run, arguments.min_coverage)


@dataclass(frozen=True)
class RunInputs:
    """What a run is made of: the system, its configuration with all parts named, the benchmark, the run's folder.

    A `shard` is the part of the queries that this process answers.
    """

    system: RunConfig | Chatbot
    config: RunConfig
    benchmark: Benchmark
    out: Path
    shard: Shard | None = None


def read_inputs(arguments: argparse.Namespace) -> RunInputs:
    """Return what the arguments name."""
    from ragaliq.benchmark.load import load_benchmark

    system = _system(arguments)
    config = system if isinstance(system, RunConfig) else system.named_config()
    knowledge_base = (config.knowledge_base, config.chunking, config.kb_lang)
    stored = _stored_index(arguments)
    corpora = None if stored is None else stored.corpora
    benchmark = load_benchmark(Path(config.data), parse_languages(arguments.lang), *knowledge_base, corpora)
    if stored is not None:
        stored.check(benchmark.hash, list(benchmark.chunks))
    shard = _chosen_shard(arguments)
    if arguments.out:
        return RunInputs(system, config, benchmark, run_path(arguments.out), shard)
    # An edition (0.2.0+7) is other data than edition 0.
    edition = benchmark.version.partition("+")[2]
    name = run_name(config, "-".join(filter(None, (benchmark.name, edition))))
    out = Path("results") / name
    return RunInputs(system, config, benchmark, out if shard is None else shard.folder(out), shard)


def _stored_index(arguments: argparse.Namespace) -> StoredIndex | None:
    from ragaliq.retrieve.stored.index import StoredIndex

    return StoredIndex(Path(arguments.index)) if arguments.index else None


def _chosen_shard(arguments: argparse.Namespace) -> Shard | None:
    from ragaliq.runs.shards import parse_shard, shard_of_environment

    return parse_shard(arguments.shard) if arguments.shard else shard_of_environment()


def _system(arguments: argparse.Namespace) -> RunConfig | Chatbot:
    named = Path(arguments.config or "")
    if not (arguments.config or "").startswith("python:"):
        if named.suffix == ".py":
            raise ConfigError(f"{named}: is no configuration; a Chatbot is named python:{named.stem}:NAME")
        if arguments.config and named.is_dir():
            raise ConfigError(f"{named}: is a folder, not a configuration; a benchmark is named with --data {named}")
        return resolve(arguments)
    from ragaliq.pipeline.system.choice import load_chatbot

    bot = load_chatbot(arguments.config)
    # Its parts are made by now.
    options = [f"{stage}_model_id" for stage in LOCAL_KINDS] + ["use_decoder_as_embedder", "sampling_params", "kb_lang"]
    given = next((name for name in options if getattr(arguments, name)), None)
    if given:
        raise ConfigError(f"--{given}: {arguments.config} brings its own parts; set it there")
    bot.config = resolve(arguments, replace(bot.config, name=bot.config.name or bot.path))
    return bot


def run_options(arguments: argparse.Namespace, session: LLMSession) -> RunOptions:
    """Return how the run is carried out."""
    from ragaliq.pipeline.evaluate import RunOptions

    return RunOptions(
        limit=arguments.limit,
        shard=_chosen_shard(arguments),
        looks=arguments.looks,
        fresh=arguments.fresh,
        judged=not arguments.no_judge,
        session=session,
        index_dir=Path(".ragaliq") / "index",
        controls=not arguments.no_controls,
        engine=_engine(arguments),
        waterfall=arguments.waterfall or None,
    )


def _engine(arguments: argparse.Namespace) -> RayEngine | None:
    """Return the workers that the options ask for.

    Raises:
        ConfigError: if they do not go together.
    """
    from ragaliq.pipeline.distributed.engine import RayEngine

    given = [f"--{name}" for name in ("address", "workers", "gpus") if getattr(arguments, name)]
    if arguments.engine == "local":
        if given:
            raise ConfigError(f"{given[0]}: is an option of --engine ray; name that, too")
        return None
    if arguments.batch:
        raise ConfigError("--batch: one process sends batches; leave out --engine ray")
    gpus = {}
    for text in filter(None, arguments.gpus.split(",")):
        stage, _, share = text.partition("=")
        try:
            gpus[stage.strip()] = float(share)
        except ValueError:
            raise ConfigError(f"--gpus '{text}': write STAGE=SHARE, such as embedding=.25") from None
    return RayEngine(arguments.address, arguments.workers, gpus)


def finish(run: RunFigures, min_coverage: float) -> int:
    """Write results.md beside a graded run, print the headlines, and return the exit code of the coverage gate."""
    from ragaliq.compare.neighbours import runs_beside
    from ragaliq.compare.results import compare_results
    from ragaliq.report.findings import finding_sentences
    from ragaliq.report.markdown.results import results_file, write_results
    from ragaliq.report.terminal import headline, unscored_lines, vote_lines

    beside = runs_beside(run)
    path = results_file(run.folder.path.parent)
    tell(f"ragaliq: {why}; {broken} is left out of {path}" for broken, why in beside.broken.items())
    results = compare_results(beside.same, min_coverage, path.parent / "certificates", beside.others)
    write_results(path, results)
    for summary in run.summaries.values():
        print(headline(summary, min_coverage))
    if len(beside.same) > 1:
        print(f"the {len(beside.same)} runs in {path.parent} on these data:")
    for line in finding_sentences(results.findings):
        print(line)
    for line in vote_lines(run.metrics.get("repeats")):
        print(line)
    print(f"run: {run.folder}\nresults: {path}")
    low = [summary for summary in run.summaries.values() if not summary.covered(min_coverage)]
    tell(
        f"ragaliq: {run.folder}: {summary.lang}: only {summary.aggregates.n_scored} of {summary.aggregates.n_expected} "
        f"answers have a grade, less than --min-coverage {min_coverage:g}"
        for summary in low
    )
    tell(f"ragaliq: {run.folder}: {line}" for line in unscored_lines(run))
    return 1 if low else 0


def _language_notes(langs: Sequence[str]) -> list[str]:
    """Return what the embedded parts lack in the languages of a benchmark."""
    notes = abstention_notes(langs)
    if notes:
        notes.append("note: there the embedded reader abstains in English, as the shipped prompts ask a model to")
    return notes
