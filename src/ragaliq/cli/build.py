"""`ragaliq build`: make a benchmark of documents, stage by stage."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli import check_translation, update
from ragaliq.cli.audit import audit
from ragaliq.cli.build_options import check_options
from ragaliq.cli.later import check_stage
from ragaliq.cli.options import add_calls, command_session, positive, tell
from ragaliq.cli.translate import add_exchange, exchange
from ragaliq.config import sample_path

if TYPE_CHECKING:
    from ragaliq.build.context import BuildContext
    from ragaliq.build.dry_run import StageForecast
    from ragaliq.build.model.backend import Backend
    from ragaliq.build.workspace import Workspace


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "build",
        help="make a benchmark of your own documents",
        description="Make a benchmark of documents: generate, critique, nuggets, pool, judge, filter, translate, "
        "export. Every stage writes its rows to DIR/build, and none is done twice; DIR/build.yaml has all settings.",
    )
    add = parser.add_argument
    stages = "all, a stage, init, update, certify, audit, or status: which stages are up to date"
    add("stage", metavar="STAGE", help=stages)
    add("--bench", required=True, metavar="DIR", help="the benchmark's folder")
    add(
        "--from",
        dest="sources",
        nargs="+",
        type=sample_path,
        metavar="PATH",
        help="documents: folders or files (writes DIR/build.yaml)",
    )
    add("--lang", metavar="L", help="languages of the documents, as in de,fr (default: recognised)")
    add("--to", metavar="L", help="languages to translate into, as in de,fr (writes DIR/build.yaml)")
    backends = "openai:MODEL, replay:FILE, or scripted: rules, whose benchmark is well-formed, not valid"
    add("--backend", metavar="NAME", help=f"{backends} (default: the one that DIR was built with, else scripted)")
    add("--record", metavar="FILE", help="write all replies there, for replay:FILE")
    add("--faults", default="", metavar="SPEC", help="inject faults into replies, as in refusal=.1,500=.05 or all=.2")
    add("--timeout", type=positive, default=120, metavar="S", help="longest wait for a reply, in seconds (120)")
    add("--human", metavar="FILE", help="certify: questions of people on the same documents (CSV, TSV, JSON Lines)")
    matched = "certify: draw built questions like those of people, or a log's"
    add("--match", default="", metavar="human|FILE", help=matched)
    checked = "check-translation: the language that was translated (default: the first of bench.json)"
    add("--source-lang", default="", metavar="L", help=checked)
    retire = "update: queries to retire, or documents whose queries are: ids, or files of ids, a line each; "
    add("--retire", nargs="*", metavar="ID|FILE", help=f"{retire}without any, an open update retires none on request")
    add("--dry-run", action="store_true", help="print what each stage would do and may cost; nothing is called")
    add_exchange(parser)
    add_calls(parser, traces=True)
    parser.set_defaults(call=call, parser=parser)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.build.context import BuildContext
    from ragaliq.build.models_used import model_warnings
    from ragaliq.build.pipeline import chosen_stages, run_build, wanted_stages
    from ragaliq.build.stages.init import init
    from ragaliq.build.workspace import Workspace
    from ragaliq.report.markdown.build.report import refuse_foreign_build_report

    check_stage(arguments.stage)
    check_options(arguments)
    if arguments.export or arguments.returned:
        return exchange(arguments)
    if arguments.stage == check_translation.NAME and check_translation.is_on_disk(Path(arguments.bench)):
        return check_translation.check_on_disk(Path(arguments.bench), arguments.source_lang)
    if arguments.stage == "audit":
        return audit(arguments)
    told = arguments.dry_run or arguments.stage in ("init", "status")
    names = (
        []
        if arguments.stage in ("init", "status", "certify")
        else chosen_stages("all" if arguments.stage == "update" else arguments.stage)
    )
    workspace = Workspace(Path(arguments.bench))
    langs, targets = (
        [lang.strip() for lang in (listed or "").split(",") if lang.strip()]
        for listed in (arguments.lang, arguments.to)
    )
    if arguments.sources or targets or arguments.stage == "init":
        init(workspace, [Path(path) for path in arguments.sources or ()], langs, targets)
    with command_session(arguments, planned=told) as session:
        context = BuildContext(workspace, session, _backend(arguments, workspace))
        if arguments.stage == "init" and not arguments.dry_run:
            workspace.write_draft()
        if told:
            print(_told(arguments, context))
            if workspace.draft:
                tell([f"ragaliq: nothing was written; `ragaliq build init` writes {workspace.settings_file}"])
            return 0
        if arguments.stage == "certify":
            return _certify(arguments, context)
        if "export" in names:
            refuse_foreign_build_report(workspace.path)
        if not update.begin(arguments, context):
            return 0
        if any(stage.prompts for stage in wanted_stages(context.settings) if stage.name in names):
            tell(model_warnings(context))
        n_failed = run_build(context, names)
        if "export" in names:
            is_version = update.settle(context)
            _report(context)
            update.conclude(arguments, context, is_version)
    if n_failed:
        tell([f"ragaliq: {n_failed} items failed; the same command tries them again"])
    if arguments.stage == check_translation.NAME:
        return check_translation.exit_code_of_stage(workspace)
    return 1 if n_failed else 0


def _told(arguments: argparse.Namespace, context: BuildContext) -> str:
    if arguments.dry_run:
        if arguments.stage == "update":
            return update.preview(arguments, context)
        tell(update.advice(arguments, context))
        return _plan(context)
    return "\n".join([_status(context), *update.open_lines(context)])


def _report(context: BuildContext) -> None:
    """Write the quality report and the card, unless they already are those of the present rows and settings."""
    from ragaliq.build.pipeline import wanted_stages
    from ragaliq.build.quality.figures import build_figures, figures_inputs
    from ragaliq.report.markdown.build.report import write_build_report
    from ragaliq.storage.own_json import read_own_json

    folder, finished = context.workspace.path, context.workspace.finished()
    stages = [stage.name for stage in wanted_stages(context.settings) if stage.name in finished]
    written = folder / "report.json"
    what, remedy = "a report of a build", "remove it, the same command writes it anew"
    earlier = read_own_json(written, {"inputs": str}, what, remedy) if written.is_file() else {}
    if earlier.get("inputs") == figures_inputs(context):
        return
    write_build_report(folder, build_figures(context, stages))
    tell([f"report: {folder / 'report.md'}, card: {folder / 'CARD.md'}"])


def _backend(arguments: argparse.Namespace, workspace: Workspace) -> Backend:
    from ragaliq.build.model.backend import Backend
    from ragaliq.build.model.scripted import NAME
    from ragaliq.llm import CallOptions

    name = arguments.backend or workspace.backend or NAME
    if not arguments.backend and name != NAME:
        tell([f"backend: {name}, as before"])
    record = Path(arguments.record) if arguments.record else None
    return Backend(name, record, arguments.faults, CallOptions(timeout_s=arguments.timeout))


def _status(context: BuildContext) -> str:
    """Return the stages with their status and the rows that they have on disk, as a table."""
    from ragaliq.build.pipeline import statuses
    from ragaliq.build.stage_row import FAILED
    from ragaliq.report.format import markdown

    rows = []
    for name, status in statuses(context).items():
        counts = context.workspace.counts(name)
        kept, failed = counts.pop("", 0), counts.pop(FAILED, 0)
        rows.append({"stage": name, "status": str(status), "kept": str(kept), "removed": str(counts.total()),
                     "failed": str(failed)})  # fmt: skip
    return markdown(rows, colons=False)


def _plan(context: BuildContext) -> str:
    """Return what each stage would do and may cost, as a table and a sentence."""
    from ragaliq.build.dry_run import forecast
    from ragaliq.report.format import NONE, markdown

    stages = forecast(context)

    def shown(value: int | None) -> str:
        return NONE if value is None else str(value)

    rows = [
        {
            "stage": one.stage,
            "status": str(one.status),
            "items": f"≤ {one.items}" if one.at_most else shown(one.items),
            "calls at most": shown(one.calls),
            "cached": str(one.cached),
            "prompt tokens": shown(one.prompt_tokens),
            "reply tokens": shown(one.reply_tokens),
            "USD": NONE if one.cost is None else f"{one.cost:.4f}",
        }
        for one in stages
    ]
    notes = "Tokens are estimated from characters. Replies are counted at their maximum length, and each is asked "
    return f"{markdown(rows, colons=False)}\n{_cost(stages)}\n{notes}for once more; items that fail come on top."


def _cost(stages: Sequence[StageForecast]) -> str:
    unpriced = sorted({name for one in stages for name in one.unpriced})
    later = [one.stage for one in stages if one.asks and one.prompt_tokens is None]
    if unpriced:
        cost = f"cost: unknown, there is no price of {', '.join(unpriced)}; --prices FILE names another file"
    elif any(one.cost for one in stages):
        cost = f"cost: at most {sum(one.cost or 0.0 for one in stages):.4f} USD"
    else:
        cost = "cost: nothing so far"
    return f"{cost}; that of {', '.join(later)} is known when the stages before are done" if later else cost


def _certify(arguments: argparse.Namespace, context: BuildContext) -> int:
    """Compare built questions with people's, write the certificate, and print its claims."""
    from ragaliq.build.pipeline import StageStatus, statuses
    from ragaliq.build.validity.certificate import certify_benchmark
    from ragaliq.errors import InputError
    from ragaliq.report.markdown.validity import certified_lines, write_validity

    workspace = context.workspace
    if not arguments.human:
        raise InputError("build certify: name the questions of people with --human")
    if not (workspace.path / "bench.json").is_file():
        raise InputError(f"--bench {workspace.path}: there is no benchmark yet; run `ragaliq build all` first")
    built = workspace.settings_file.is_file()
    stale = [name for name, status in statuses(context).items() if status is not StageStatus.DONE] if built else []
    if stale:
        raise InputError(
            f"build certify: stage '{stale[0]}' is not up to date with this --backend; run `ragaliq build all` first"
        )
    with workspace.locked():
        certificate = certify_benchmark(
            workspace.path, Path(arguments.human), arguments.match, context if built else None
        )
        write_validity(workspace.path, certificate)
    print("\n".join(certified_lines(certificate)))
    return 0
