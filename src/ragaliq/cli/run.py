"""`ragaliq run`: answer a benchmark, grade the answers, write results.md."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.judging import abstention_notes, chosen_judge, idle_model_notes, judge_notes
from ragaliq.cli.options import (
    add_calls,
    add_check,
    add_judging,
    add_shared,
    command_session,
    parse_languages,
    positive,
    run_path,
    tell,
)
from ragaliq.config import Component, RunConfig, load_config, load_sampling, run_name, sample_path
from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from ragaliq.aggregate.run_figures import RunFigures
    from ragaliq.benchmark.load import Benchmark
    from ragaliq.llm import LLMSession
    from ragaliq.pipeline.chatbot import Chatbot
    from ragaliq.pipeline.evaluate import RunOptions

# Stage → the kind of a bare model id in the flags of the RAGaliq sources.
_LOCAL = {"reader": "transformers", "embedder": "transformers", "reranker": "cross-encoder"}


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
    add("--out", metavar="RUN", help="the run's folder (default: results/NAME)")
    add("--no-judge", action="store_true", help="answer only; `ragaliq judge RUN` grades later")
    add("--kb_lang", metavar="LANG", help="language of the corpus: same as the query's (default), one for all, or all")
    add_shared(parser, "--lang", "--fresh", "--min-coverage")
    add_judging(parser)
    add_check(parser)
    add_calls(parser, traces=True)
    add = parser.add_argument_group("options of the RAGaliq sources").add_argument
    add("--knowledge_base", metavar="PATH", help="file or folder of texts, replaces the corpus; {lang} is the language")
    add("--sampling_params", metavar="FILE", help="JSON object of sampling parameters")
    for stage in _LOCAL:
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
        tell([] if _names_judge(arguments) else idle_model_notes(config.judge))
    with command_session(arguments) as session:
        run = evaluate(inputs.system, benchmark, out, run_options(arguments, session))
    if run is None:
        print(f"answers: {out / 'answers.jsonl'}; `ragaliq judge {out}` grades them")
        return 0
    return finish(run, arguments.min_coverage)


@dataclass(frozen=True)
class RunInputs:
    """What a run is made of: the system, its configuration with all parts named, the benchmark, the run's folder."""

    system: RunConfig | Chatbot
    config: RunConfig
    benchmark: Benchmark
    out: Path


def read_inputs(arguments: argparse.Namespace) -> RunInputs:
    """Return what the arguments name."""
    from ragaliq.benchmark.load import load_benchmark

    system = _system(arguments)
    config = system if isinstance(system, RunConfig) else system.named_config()
    knowledge_base = (config.knowledge_base, config.chunking, config.kb_lang)
    benchmark = load_benchmark(Path(config.data), parse_languages(arguments.lang), *knowledge_base)
    if arguments.out:
        return RunInputs(system, config, benchmark, run_path(arguments.out))
    # An edition (0.2.0+7) is other data than edition 0.
    edition = benchmark.version.partition("+")[2]
    name = run_name(config, "-".join(filter(None, (benchmark.name, edition))))
    return RunInputs(system, config, benchmark, Path("results") / name)


def _system(arguments: argparse.Namespace) -> RunConfig | Chatbot:
    if not (arguments.config or "").startswith("python:"):
        return resolve(arguments)
    from ragaliq.pipeline.system.choice import load_chatbot

    bot = load_chatbot(arguments.config)
    # Its parts are made by now.
    options = [f"{stage}_model_id" for stage in _LOCAL] + ["use_decoder_as_embedder", "sampling_params", "kb_lang"]
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
        fresh=arguments.fresh,
        judged=not arguments.no_judge,
        session=session,
        index_dir=Path(".ragaliq") / "index",
        controls=not arguments.no_controls,
    )


def finish(run: RunFigures, min_coverage: float) -> int:
    """Write results.md beside a graded run, print the headlines, and return the exit code of the coverage gate."""
    from ragaliq.compare.neighbours import runs_beside
    from ragaliq.compare.results import compare_results
    from ragaliq.report.markdown.results import results_file, write_results
    from ragaliq.report.terminal import headline, unscored_lines, vote_lines

    beside = runs_beside(run)
    path = results_file(run.folder.path.parent)
    tell(f"ragaliq: {why}; {broken} is left out of {path}" for broken, why in beside.broken.items())
    write_results(path, compare_results(beside.same, min_coverage, path.parent / "certificates", beside.others))
    for summary in run.summaries.values():
        print(headline(summary, min_coverage))
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


def resolve(arguments: argparse.Namespace, config: RunConfig | None = None) -> RunConfig:
    """Return a configuration, by default the file's, with the command line's options in place of its values."""
    if config is None:
        config = load_config(arguments.config) if arguments.config else RunConfig()
    named = {key: getattr(arguments, key) for key in ("data", "knowledge_base", "kb_lang")}
    changes: dict[str, Any] = {key: value for key, value in named.items() if value is not None}
    changes |= _sources_folder(arguments, config)
    if arguments.sampling_params:
        changes["sampling"] = load_sampling(Path(arguments.sampling_params))
    changes["judge"] = chosen_judge(arguments, config.judge)
    if arguments.check:
        changes["check"] = Component.parse(arguments.check, "--check")
    for stage in _LOCAL:
        model_id = getattr(arguments, f"{stage}_model_id")
        if model_id:
            changes[stage] = _legacy(stage, model_id)
    config = replace(config, **changes)
    if arguments.use_decoder_as_embedder:
        embedder = config.embedder
        if embedder.kind != "transformers":
            raise ConfigError(f"--use_decoder_as_embedder: needs the embedder transformers:ID, not '{embedder}'")
        config = replace(config, embedder=replace(embedder, options={**embedder.options, "pooling": "last"}))
    return config


def _sources_folder(arguments: argparse.Namespace, config: RunConfig) -> dict[str, str]:
    """Return `data`, and `knowledge_base`, where a command of the RAGaliq sources leaves out what they take as given.

    Their questions are in `data`. Their `--knowledge_base` is never read; where it names the benchmark's own file, it
    says nothing new.
    """
    from ragaliq.formats.upstream import is_upstream

    base = Path(arguments.knowledge_base or config.knowledge_base)
    changes = {}
    data = Path(arguments.data or config.data)
    if arguments.data is None and config.data == RunConfig().data:
        folders = [folder for folder in (base.parent, Path("data")) if is_upstream(folder)]
        data = folders[0] if folders else data
        if folders:
            changes["data"] = str(data)
            tell([f"note: the questions are those of {data}; --data names another benchmark"])
    own = {"orientation_{lang}.md", f"orientation_{arguments.lang}.md"}
    if base.name in own and is_upstream(data) and base.parent.resolve() == data.resolve():
        changes["knowledge_base"] = ""
    return changes


def _names_judge(arguments: argparse.Namespace) -> bool:
    """Return whether `--judge` or the configuration's file names a judge."""
    from ragaliq.storage.files import read_text
    from ragaliq.storage.yaml_files import parse_yaml

    file = arguments.config or ""
    if arguments.judge or not file or file.startswith("python:"):
        return bool(arguments.judge)
    return "judge" in (parse_yaml(read_text(Path(file)), file).value or ())


def _legacy(stage: str, model_id: str) -> Component:
    """Return the component that a legacy flag names: a known kind, or a bare Hugging Face id for the local kind."""
    from ragaliq.components import KINDS, unknown_kind

    kind = model_id.partition(":")[0]
    if kind in KINDS[stage] or kind == "python":
        return Component.parse(model_id, f"--{stage}_model_id")
    if "/" not in model_id:
        raise ConfigError(f"--{stage}_model_id: {unknown_kind(stage, kind)}")
    return Component(_LOCAL[stage], model_id)


def _language_notes(langs: Sequence[str]) -> list[str]:
    """Return what the embedded parts lack in the languages of a benchmark."""
    notes = abstention_notes(langs)
    if notes:
        notes.append("note: there the embedded reader abstains in English, as the shipped prompts ask a model to")
    return notes
