"""Evaluating a system: retrieve → read → judge → aggregate, each stage resumable from the run folder."""

from __future__ import annotations

import os
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.aggregate.token_scores import TokenScores
from ragaliq.benchmark.judgements import gold_of
from ragaliq.benchmark.kb_language import corpus_name, knowledge_base
from ragaliq.benchmark.load import Benchmark, require_references
from ragaliq.components import ORACLE, make
from ragaliq.config import ALL, RunConfig, path_of
from ragaliq.errors import InputError
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.cluster.connection import connected
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.execution.stopping import StopSignal, together
from ragaliq.judge import Judge
from ragaliq.llm import LLMSession
from ragaliq.pipeline.answer import Answering, answer
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.pipeline.check import Checking, make_checking, nuggets_by_query
from ragaliq.pipeline.distributed.chatbot import DistributedChatbot
from ragaliq.pipeline.distributed.engine import RayEngine
from ragaliq.pipeline.distributed.judging import DistributedJudge, distributed_checking
from ragaliq.pipeline.judge_gate import open_checked
from ragaliq.pipeline.manifest import looks_manifest, resolved_judge, run_manifest
from ragaliq.pipeline.measure import measure
from ragaliq.pipeline.next_stages import NextStage, next_stages
from ragaliq.pipeline.system.choice import System, as_system, note_changed_source
from ragaliq.pipeline.waterfall.waterfall import follow_gold
from ragaliq.retrieve import Retriever
from ragaliq.runs.benchmark import items_by_key
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import current_verdicts
from ragaliq.runs.shards import Shard
from ragaliq.runs.traces import traced
from ragaliq.storage.error_log import errors_logged
from ragaliq.storage.files import write_json
from ragaliq.storage.record_store import Key
from ragaliq.storage.redaction import error_line
from ragaliq.types import Item


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is carried out; none of this changes an answer or a grade.

    Attributes:
        limit: number of queries of each language, the first of the benchmark; None takes all.
        shard: the part of these queries that is answered; the manifest names them, and `merge` joins the parts.
        looks: times that the run is looked at while `limit` grows, this one included; None: as an earlier call had it.
        fresh: throw away what an earlier run left in the folder.
        judged: grade the answers.
        session: the calls to endpoints: cache, budget, concurrency.
        index_dir: folder for indexes; None keeps them in memory.
        controls: let a judge that calls an endpoint pass its controls before anything is judged.
        engine: the workers that do the parts' work; None does it here.
        waterfall: read and grade each query under other contexts, too; None: where the parts call nothing.
    """

    limit: int | None = None
    shard: Shard | None = None
    looks: int | None = None
    fresh: bool = False
    judged: bool = True
    session: LLMSession = field(default_factory=LLMSession)
    index_dir: Path | None = None
    controls: bool = False
    engine: RayEngine | None = None
    waterfall: bool | None = None

    def __post_init__(self) -> None:
        """Refuse what would do nothing."""
        if self.session.concurrency < 1 or (self.limit is not None and self.limit < 1):
            raise InputError("run: limit and concurrency must be at least 1")
        if self.looks is not None and self.looks < 1:
            raise InputError(f"run: looks must be at least 1, not {self.looks}")
        if self.waterfall and not self.judged:
            raise InputError("run: --waterfall needs grades, and --no-judge makes none; leave out one of them")

    def items(self, benchmark: Benchmark) -> Mapping[str, Sequence[Item]]:
        """Return the items of each language that the run, or its shard, answers."""
        items: dict[str, Sequence[Item]] = {lang: benchmark.items[lang][: self.limit] for lang in benchmark.languages}
        return items if self.shard is None else self.shard.part(items)


def evaluate(
    system: System, benchmark: Benchmark, out: Path | str, options: RunOptions | None = None
) -> RunFigures | None:
    """Run a system over a benchmark, grade its answers, and return the run's figures; None where nothing is graded.

    The system is a configuration, also as a dict, or a `Chatbot`: an instance or a subclass. Judging begins while
    answering still goes on. Every finished item is on disk at once; the same call after a kill repeats none of them.
    Answers whose reader failed are tried again.

    Raises:
        InputError: if an argument, the configuration or the folder does not fit; of a run that has no answer then
            nothing is left, but for `errors.log`.
        ControlsFailed: if the judge fails its controls; nothing is answered or judged then.
        Stopped: if the work ended early; the figures so far are in `metrics.json`.
    """
    chosen_system, folder = as_system(system), RunFolder(path_of(out, "evaluate: out"))
    if not isinstance(benchmark, Benchmark):
        raise InputError(f"evaluate: a benchmark as load_benchmark(path) returns it is wanted, not {benchmark!r}")
    if not isinstance(options, RunOptions | None):
        raise InputError(f"evaluate: options are a RunOptions, not {options!r}")
    chosen = options or _default_options(chosen_system)
    config = chosen_system if isinstance(chosen_system, RunConfig) else chosen_system.named_config()
    if chosen.engine is not None and not isinstance(chosen_system, RunConfig):
        raise InputError(
            "--engine ray: a Chatbot of your own runs on one machine; name its parts in a configuration, or use --shard"
        )
    items = chosen.items(benchmark)
    for lang in benchmark.languages:
        knowledge_base(benchmark, config.kb_lang, lang)
    if chosen.judged:
        require_references(benchmark, items)
    judge = make_judge(config, chosen.session) if chosen.judged else None
    checking = make_checking(config.check, chosen.session, config.seed, nuggets_by_query(benchmark))
    chatbot = _chatbot(chosen_system, benchmark, chosen)
    with folder.locked():
        manifest = run_manifest(config, benchmark, items, chatbot, judge)
        manifest["check"] = checking and checking.manifest()
        manifest |= looks_manifest(chosen.looks)
        if chosen.shard is not None:
            manifest["shard"] = chosen.shard.manifest(items)
        if not chosen.fresh:
            note_changed_source(folder, manifest.get("chatbot_source", ""))
        if checking and not chosen.fresh and folder.config_file.is_file():
            checking.refuse_others(folder, checking.inquiries(folder, folder.answers()))
        if chosen.controls and judge is not None:
            open_checked(folder, manifest, judge, chosen.session, chosen.fresh)
        else:
            folder.open(manifest, chosen.fresh)
        name = "answering" if judge is None else "answering and judging"
        with _removed_if_in_vain(folder), chatbot.at_work(), ExitStack() as held:
            task = _Evaluation(chatbot, benchmark, items, folder, (judge, checking), chosen.waterfall)
            n_cpus = 0 if chosen.engine is None else held.enter_context(connected(chosen.engine.address))
            work = _answer_and_grade(task) if chosen.engine is None else _distributed(task, chosen, n_cpus)
            work_on_run(name, folder, work, chatbot.session, chatbot.thread)
        return measure(folder) if judge is not None else None


def _default_options(system: RunConfig | Chatbot) -> RunOptions:
    if isinstance(system, RunConfig):
        return RunOptions()
    # What stopped an earlier call may have passed.
    system.session.signal = StopSignal()
    return RunOptions(session=system.session)


def _chatbot(system: RunConfig | Chatbot, benchmark: Benchmark, options: RunOptions) -> Chatbot:
    if isinstance(system, RunConfig):
        retriever = _oracle(system, benchmark) if system.retriever.kind == ORACLE else None
        return Chatbot(system, retriever=retriever, index_dir=options.index_dir, session=options.session)
    system.join(options.session, options.index_dir)
    return system


@contextmanager
def _removed_if_in_vain(folder: RunFolder) -> Iterator[None]:
    """Leave nothing of a run that cannot be made and has no answer; a traceback stays, with the configuration."""
    try:
        yield
    except InputError:
        if not any(folder.answers()) and not folder.errors_file.exists():
            folder.remove()
            with suppress(OSError):
                folder.path.rmdir()
        raise


def _oracle(config: RunConfig, benchmark: Benchmark) -> Retriever:
    """Return the retriever that finds the gold; no other part of a system gets to know it."""
    if config.kb_lang == ALL:
        raise InputError(f"retriever '{ORACLE}': finds documents of one language; leave out kb_lang: {ALL}")
    gold = {
        (corpus_name(config.kb_lang, lang), query_id): groups
        for lang, collection in benchmark.collections.items()
        for query_id, groups in gold_of(collection).items()
    }
    retriever: Retriever = make("retriever", config.retriever, gold=gold)
    return retriever


def make_judge(config: RunConfig, session: LLMSession) -> Judge:
    """Return the judge of a configuration."""
    judge: Judge = make("judge", config.judge, seed=config.seed, session=session)
    return judge


def work_on_run(
    name: str, folder: RunFolder, work: Coroutine[Any, Any, None], session: LLMSession, thread: SerialThread
) -> None:
    """Work on a run to the end, or until it is stopped.

    Raises:
        Stopped: with how far it came; the figures so far are in `metrics.json`.
    """

    def done() -> str:
        config = folder.config()
        expected = sum(sum(counts.values()) for counts in config["expected"].values())
        if folder.verdicts_file.exists():
            measure(folder)
        answers, verdicts = folder.answers(), folder.verdicts()
        return f"{len(answers)} of {expected} answered, {len(current_verdicts(answers, verdicts))} judged"

    wall, cpu = time.perf_counter(), time.process_time()
    try:
        with traced(folder.traces_file, session), errors_logged(folder.errors_file):
            carry_out(work, session, thread, done)
    finally:
        _note_time(name, time.perf_counter() - wall, time.process_time() - cpu)


def _note_time(name: str, wall_s: float, cpu_s: float) -> None:
    """Write how long a job took to the file that `RAGALIQ_TIMINGS` names, for benchmarks."""
    path = os.environ.get("RAGALIQ_TIMINGS")
    if path:
        write_json(Path(path), {name: {"wall_s": wall_s, "cpu_s": cpu_s}})


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """What is evaluated, and by whom; `after` the reader come the judge and the separate questions."""

    chatbot: Chatbot
    benchmark: Benchmark
    items: Mapping[str, Sequence[Item]]
    folder: RunFolder
    after: tuple[Judge | None, Checking | None]
    waterfall: bool | None


async def _distributed(task: _Evaluation, options: RunOptions, n_cpus: int) -> None:
    """Answer, grade and check as `_answer_and_grade` does, the calls of all parts by the workers of an engine."""
    assert options.engine is not None
    chatbot, (judge, checking) = task.chatbot, task.after
    async with options.engine.calls(chatbot.config, chatbot.session, n_cpus) as calls:
        bot = DistributedChatbot(chatbot, calls, options.index_dir)
        there = judge and DistributedJudge(judge, calls), checking and distributed_checking(checking, calls)
        await _answer_and_grade(replace(task, chatbot=bot, after=there))
        task.folder.note_models(calls.resolved)


async def _answer_and_grade(task: _Evaluation) -> None:
    """Answer, grade and check at the same time: what is answered is handed on to each stage `after` the reader."""
    chatbot, benchmark, items, folder = task.chatbot, task.benchmark, task.items, task.folder
    answers = folder.answers()
    stages: list[NextStage] = []
    scores = TokenScores(chatbot.reader, benchmark.chunks)

    def hand_on(key: Key) -> None:
        for stage in stages:
            stage.hand(key)

    answering = Answering(chatbot, folder, answers, hand_on, scores)
    awaited = [item.key for of_lang in items.values() for item in answering.pending(of_lang)]
    stages += next_stages(chatbot, answers, folder, items_by_key(benchmark), task.after)
    for stage in stages:
        stage.expect(awaited)

    async def answer_all() -> None:
        try:
            for lang in filter(items.get, benchmark.languages):
                chunks = knowledge_base(benchmark, chatbot.config.kb_lang, lang)
                await answer(answering, chunks, items[lang])
        except Exception as error:
            # No stage is to go on, and be paid, with a run that cannot.
            chatbot.session.signal.ask(error_line(error))
            raise
        finally:
            for stage in stages:
                stage.ready.put_nowait(None)

    await together(answer_all(), *(stage.work(stage, row) for row, stage in enumerate(stages, start=1)))
    answers.rewrite()
    for stage in stages:
        stage.store.rewrite()
    judge, _ = task.after
    if judge is not None:
        await follow_gold(answering, benchmark, judge, task.waterfall)
        folder.note_models(resolved_judge(chatbot.config.judge, judge))
