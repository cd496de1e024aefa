"""Evaluating a system: retrieve → read → judge → aggregate, each stage resumable from the run folder."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragaliq.aggregate.beside import measure_languages, measure_overlap
from ragaliq.aggregate.gap import gap_to_json
from ragaliq.aggregate.repeats import summarise_repeats
from ragaliq.aggregate.summary import Summary, summarise_run, summarise_token_consistency, summarise_usage
from ragaliq.aggregate.token_scores import TokenScores
from ragaliq.benchmark.kb_language import knowledge_base
from ragaliq.benchmark.load import Benchmark, require_references
from ragaliq.components import make
from ragaliq.config import RunConfig
from ragaliq.errors import InputError, Stopped
from ragaliq.execution.engine import SerialThread, interruptible, run_to_end
from ragaliq.judge import Judge
from ragaliq.llm import LLMSession
from ragaliq.pipeline.answer import Answering, answer
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.pipeline.grade import Grading, grade
from ragaliq.pipeline.judge_gate import open_checked
from ragaliq.pipeline.manifest import run_manifest
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import write_json
from ragaliq.storage.record_store import Key
from ragaliq.storage.redaction import error_line
from ragaliq.types import SCALE, Item


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is carried out; none of this changes an answer or a grade.

    Attributes:
        limit: number of queries of each language, the first of the benchmark; None takes all.
        fresh: throw away what an earlier run left in the folder.
        judged: grade the answers.
        session: the calls to endpoints: cache, budget, concurrency.
        index_dir: folder for indexes; None keeps them in memory.
        controls: let a judge that calls an endpoint pass its controls before anything is judged.
    """

    limit: int | None = None
    fresh: bool = False
    judged: bool = True
    session: LLMSession = field(default_factory=LLMSession)
    index_dir: Path | None = None
    controls: bool = False

    def __post_init__(self) -> None:
        """Refuse numbers that would do nothing."""
        if self.session.concurrency < 1 or (self.limit is not None and self.limit < 1):
            raise InputError("run: limit and concurrency must be at least 1")


def evaluate(config: RunConfig, benchmark: Benchmark, out: Path, options: RunOptions | None = None) -> list[Summary]:
    """Run a system over a benchmark, grade its answers, and return the summaries per language.

    Judging begins while answering still goes on. Every finished item is on disk at once; the same call after a kill
    repeats none of them. Answers whose reader failed are tried again.

    Raises:
        InputError: if the configuration or the folder does not fit; nothing is written then.
        ControlsFailed: if the judge fails its controls; nothing is answered or judged then.
        Stopped: if the work ended early; the figures so far are in `metrics.json`.
    """
    chosen = options or RunOptions()
    items = {lang: benchmark.items[lang][: chosen.limit] for lang in benchmark.languages}
    for lang in benchmark.languages:
        knowledge_base(benchmark, config.kb_lang, lang)
    if chosen.judged:
        require_references(benchmark, items)
    judge = make_judge(config, chosen.session) if chosen.judged else None
    chatbot = Chatbot(config, index_dir=chosen.index_dir, session=chosen.session)
    folder = RunFolder(out)
    with folder.locked():
        manifest = run_manifest(config, benchmark, items, chatbot, judge)
        if chosen.controls and judge is not None:
            open_checked(folder, manifest, judge, chosen.session, chosen.fresh)
        else:
            folder.open(manifest, chosen.fresh)
        job = Job("answering" if judge is None else "answering and judging", folder, chosen.session, chatbot.thread)
        job.carry_out(_answer_and_grade(chatbot, benchmark, items, folder, judge))
        return measure(folder, config.seed) if judge is not None else []


def make_judge(config: RunConfig, session: LLMSession) -> Judge:
    """Return the judge of a configuration."""
    judge: Judge = make("judge", config.judge, seed=config.seed, session=session)
    return judge


def measure(folder: RunFolder, seed: int = 0) -> list[Summary]:
    """Aggregate a run, write its `metrics.json`, and return the summaries."""
    summaries = summarise_run(folder, seed)
    metrics = {
        "aggregates": [summary.to_json() for summary in summaries],
        "overlap": measure_overlap(folder),
        "language": measure_languages(folder),
        "usage": summarise_usage(folder),
        "scale": SCALE,
    }
    # What not every run has.
    extra = {
        "language_gap": gap_to_json(folder, seed),
        "repeats": summarise_repeats(folder),
        "token_language_consistency": summarise_token_consistency(folder),
    }
    write_json(folder.metrics_file, {**metrics, **{key: value for key, value in extra.items() if value}})
    return summaries


@dataclass(frozen=True, slots=True)
class Job:
    """Work on a run's folder, and what it is done with."""

    name: str
    folder: RunFolder
    session: LLMSession
    thread: SerialThread

    def carry_out(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work to its end, or until it is stopped.

        Raises:
            Stopped: with how far it came; the figures so far are in `metrics.json`.
        """

        async def carried() -> None:
            try:
                with interruptible(self.session.signal):
                    await work
            finally:
                await self.session.close()

        wall, cpu = time.perf_counter(), time.process_time()
        try:
            run_to_end(carried())
        except Stopped as stop:
            config = self.folder.config()
            expected = sum(sum(counts.values()) for counts in config["expected"].values())
            if self.folder.verdicts_file.exists():
                measure(self.folder, config["system"]["seed"])
            done = f"{len(self.folder.answers())} of {expected} answered, {len(self.folder.verdicts())} judged"
            raise Stopped(f"{stop} ({done})") from None
        finally:
            self.thread.close()
            _note_time(self.name, time.perf_counter() - wall, time.process_time() - cpu)


def _note_time(name: str, wall_s: float, cpu_s: float) -> None:
    """Write how long a job took to the file that `RAGALIQ_TIMINGS` names, for benchmarks."""
    path = os.environ.get("RAGALIQ_TIMINGS")
    if path:
        write_json(Path(path), {name: {"wall_s": wall_s, "cpu_s": cpu_s}})


async def _answer_and_grade(
    chatbot: Chatbot,
    benchmark: Benchmark,
    items: Mapping[str, Sequence[Item]],
    folder: RunFolder,
    judge: Judge | None,
) -> None:
    """Answer and grade at the same time: what is answered is handed on to the judge."""
    answers = folder.answers()
    ready: asyncio.Queue[Key | None] = asyncio.Queue()
    scores = TokenScores(chatbot.reader, benchmark.chunks)
    answering = Answering(chatbot, folder, answers, ready.put_nowait, scores, chatbot.session.concurrency)
    grading = None if judge is None else Grading(judge, answers, folder.verdicts(), chatbot.session, chatbot.thread)
    awaited = {item.key for own in items.values() for item in answering.pending(own)}
    waiting = [] if grading is None else [key for key in grading.pending() if key not in awaited]

    async def answer_all() -> None:
        try:
            for lang in benchmark.languages:
                chunks = knowledge_base(benchmark, chatbot.config.kb_lang, lang)
                await answer(answering, chunks, items[lang])
        except Exception as error:
            # The judge is not to go on, and be paid, with a run that cannot.
            chatbot.session.signal.ask(error_line(error))
            raise
        finally:
            ready.put_nowait(None)

    async def keys() -> AsyncIterator[Key]:
        for key in waiting:
            yield key
        while (handed := await ready.get()) is not None:
            yield handed

    jobs = [answer_all()]
    if grading is not None:
        jobs.append(grade(grading, keys(), len(waiting) + len(awaited), row=1))
    await _all(jobs)
    answers.rewrite()
    if grading is not None:
        grading.verdicts.rewrite()


async def _all(jobs: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run jobs at the same time to their ends; of their errors the one that says most is raised."""
    ended = await asyncio.gather(*jobs, return_exceptions=True)
    errors = [end for end in ended if end is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, Stopped)):
        raise error
