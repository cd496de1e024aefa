"""Evaluating a system: retrieve → read → judge → aggregate, each stage resumable from the run folder."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from ragaliq.chatbot import Chatbot
from ragaliq.components import make
from ragaliq.config import RunConfig
from ragaliq.corpus.benchmark import Benchmark
from ragaliq.engine import Stage, work
from ragaliq.errors import InputError, RagaliqError
from ragaliq.formats.trec import ScoredDoc, read_run, write_run
from ragaliq.io import Journal, write_json
from ragaliq.judge import Judge
from ragaliq.manifest import judge_identity, judge_manifest, run_manifest
from ragaliq.report.summary import Summary, summarise_run
from ragaliq.run_rows import FAILED, Answered, answered_to_row, verdict_to_row
from ragaliq.runs import RunFolder
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Item, Query, Verdict, VerdictOutcome

CONCURRENCY = 16


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is carried out; none of this changes an answer or a grade.

    Attributes:
        limit: number of queries of each language, the first of the benchmark; None takes all.
        fresh: throw away what an earlier run left in the folder.
        judged: grade the answers.
        concurrency: most calls to an endpoint under way at once.
        index_dir: folder for indexes; None keeps them in memory.
    """

    limit: int | None = None
    fresh: bool = False
    judged: bool = True
    concurrency: int = CONCURRENCY
    index_dir: Path | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that would do nothing."""
        if self.concurrency < 1 or (self.limit is not None and self.limit < 1):
            raise InputError("run: limit and concurrency must be at least 1")


def evaluate(config: RunConfig, benchmark: Benchmark, out: Path, options: RunOptions | None = None) -> list[Summary]:
    """Run a system over a benchmark, grade its answers, and return the summaries per language.

    Every finished item is on disk at once; the same call after a kill repeats none of them. Answers whose reader failed
    are tried again.

    Raises:
        InputError: if the configuration or the folder does not fit; nothing is written then.
    """
    chosen = options or RunOptions()
    items = {lang: benchmark.items[lang][: chosen.limit] for lang in benchmark.languages}
    judge = make_judge(config) if chosen.judged else None
    chatbot = Chatbot(config, index_dir=chosen.index_dir)
    folder = RunFolder(out)
    with folder.locked():
        folder.open(run_manifest(config, benchmark, items, chatbot.reader, judge), chosen.fresh)
        asyncio.run(_answer_and_grade(chatbot, benchmark, items, folder, judge, chosen.concurrency))
        return measure(folder, config.seed) if judge is not None else []


def make_judge(config: RunConfig) -> Judge:
    """Return the judge of a configuration."""
    judge: Judge = make("judge", config.judge, seed=config.seed)
    return judge


def grade_again(
    folder: RunFolder, config: RunConfig, concurrency: int = CONCURRENCY, only_unscored: bool = False
) -> list[Summary]:
    """Grade a run's answers anew without answering again, and return the summaries.

    With `only_unscored` just the answers without a grade are graded, by the judge that graded the others. Otherwise the
    old verdicts stay in force until the last new one is there; the same call after a kill goes on.

    Raises:
        InputError: if the folder is no run, or `only_unscored` would mix two judges.
    """
    judge = make_judge(config)
    with folder.locked():
        manifest = folder.config()
        resolved = judge_manifest(config.judge, judge)
        if only_unscored:
            if manifest["judge"] not in (None, resolved):
                raise InputError(
                    f"{folder}: graded by '{manifest['judge']['name']}'; "
                    "--only-unscored goes on with the same judge, without it all answers are graded anew"
                )
            # Before the first grade, so that no later call adds those of another judge.
            write_json(folder.config_file, {**manifest, "judge": resolved})
            asyncio.run(_grade(folder, judge, concurrency, only_unscored=True))
        else:
            asyncio.run(_regrade(folder, judge, concurrency))
            write_json(folder.config_file, {**manifest, "judge": resolved})
            # Last, so that the same call after a kill finds its grades and only has to finish.
            folder.regrading_file.unlink(missing_ok=True)
        return measure(folder, config.seed)


def measure(folder: RunFolder, seed: int = 0) -> list[Summary]:
    """Aggregate a run, write its `metrics.json`, and return the summaries."""
    summaries = summarise_run(folder, seed)
    write_json(folder.metrics_file, {"aggregates": [summary.to_json() for summary in summaries]})
    return summaries


async def _answer_and_grade(
    chatbot: Chatbot,
    benchmark: Benchmark,
    items: Mapping[str, Sequence[Item]],
    folder: RunFolder,
    judge: Judge | None,
    concurrency: int,
) -> None:
    for lang in benchmark.languages:
        await _answer(chatbot, benchmark.chunks[lang], items[lang], folder, concurrency)
    folder.finish_answers()
    if judge is not None:
        await _grade(folder, judge, concurrency)


async def _answer(
    chatbot: Chatbot, chunks: Sequence[Chunk], items: Sequence[Item], folder: RunFolder, concurrency: int
) -> None:
    """Answer the items of one language that have no answer yet, or whose reader failed."""
    done = folder.answers()
    pending = [item for item in items if item.key not in done or done[item.key].answer.outcome in FAILED]
    if not pending:
        return
    lang = pending[0].query.lang
    hits = _retrieve(chatbot, chunks, pending, folder.retrieval_file(lang))

    async def read(item: Item) -> tuple[Answer, float]:
        start = time.perf_counter()
        ranked = hits[item.query.query_id]
        try:
            answer = await chatbot.read(item.query, ranked)
        except RagaliqError:
            raise
        except Exception as error:  # A reader may be anybody's code; whatever it raises is this item's failure.
            answer = Answer(item.query, "", AnswerOutcome.ERROR, chatbot.context(ranked), error=_line(error))
        return answer, time.perf_counter() - start

    with Journal(folder.answers_file) as answers, Journal(folder.timings_file) as timings:

        def keep(item: Item, result: tuple[Answer, float]) -> None:
            answer, seconds = result
            query = item.query
            timings.append({"lang": query.lang, "query_id": query.query_id, "seconds": round(seconds, 6)})
            answers.append(answered_to_row(Answered(item, answer)))

        stage = Stage(f"answering {lang}", read, keep, lambda result: result[0].outcome in FAILED)
        await work(stage, pending, concurrency)


def _retrieve(chatbot: Chatbot, chunks: Sequence[Chunk], items: Sequence[Item], file: Path) -> dict[str, list[Hit]]:
    """Return the ranked chunks of each item; what an earlier call has ranked is read back from the run."""
    by_id = {chunk.doc_id: chunk for chunk in chunks}
    run = read_run(file) if file.is_file() else {}
    unknown = sorted({doc.doc_id for docs in run.values() for doc in docs} - by_id.keys())
    if unknown:
        raise InputError(f"{file}: '{unknown[0]}' is no chunk of this corpus; begin anew with --fresh")
    missing = [item.query for item in items if item.query.query_id not in run]
    if missing:
        try:
            _rank(chatbot, chunks, missing, run)
        except RagaliqError:
            raise
        except Exception as error:  # A retriever may be anybody's code; without it there is nothing to read.
            raise InputError(f"embedder, retriever or reranker: {_line(error)}; mend it and run again") from error
        write_run(file, run, "ragaliq")
    return {
        query_id: [Hit(by_id[doc.doc_id], doc.score, rank) for rank, doc in enumerate(docs, start=1)]
        for query_id, docs in run.items()
    }


def _rank(chatbot: Chatbot, chunks: Sequence[Chunk], queries: Sequence[Query], run: dict[str, list[ScoredDoc]]) -> None:
    lang = queries[0].lang
    with tqdm(total=1, desc=f"indexing {lang}", unit="corpus") as bar:
        chatbot.index(chunks)
        bar.update()
    for query in tqdm(queries, desc=f"retrieving {lang}", unit="query"):
        # The scores of other people's code may be numpy's.
        run[query.query_id] = [ScoredDoc(hit.chunk.doc_id, float(hit.score)) for hit in chatbot.retrieve(query)]


async def _grade(folder: RunFolder, judge: Judge, concurrency: int, only_unscored: bool = False) -> None:
    """Grade the answers that have no verdict yet; with `only_unscored` also those whose verdict is no grade."""
    verdicts = folder.verdicts()
    pending = [
        answered
        for key, answered in sorted(folder.answers().items())
        if key not in verdicts or _stale(answered.answer, verdicts[key], only_unscored)
    ]
    await _judge_into(folder.verdicts_file, pending, judge, concurrency)
    folder.finish_verdicts()


async def _regrade(folder: RunFolder, judge: Judge, concurrency: int) -> None:
    file = folder.regrading_file
    done = folder.verdicts(file)
    name, prompt_hash = judge_identity(judge)
    if any((verdict.judge, verdict.prompt_hash) != (name, prompt_hash) for verdict in done.values()):
        # Left by an interrupted call with another judge.
        file.unlink()
        done = {}
    pending = [answered for key, answered in sorted(folder.answers().items()) if key not in done]
    await _judge_into(file, pending, judge, concurrency)
    folder.finish_verdicts(folder.verdicts(file))


async def _judge_into(file: Path, pending: Sequence[Answered], judge: Judge, concurrency: int) -> None:
    async def grade(answered: Answered) -> Verdict:
        if answered.answer.outcome in FAILED:
            return _no_grade(answered, judge, VerdictOutcome.NO_ANSWER, answered.answer.error)
        try:
            made = judge.grade(answered.item, answered.answer)
            return _checked(await made if inspect.isawaitable(made) else made, answered)
        except RagaliqError:
            raise
        except Exception as error:  # A judge may be anybody's code; whatever it raises is no grade.
            return _no_grade(answered, judge, VerdictOutcome.API_ERROR, _line(error))

    with Journal(file) as verdicts:

        def keep(_: Answered, verdict: Verdict) -> None:
            verdicts.append(verdict_to_row(verdict))

        await work(Stage("judging", grade, keep, lambda verdict: verdict.grade is None), pending, concurrency)


def _checked(verdict: Verdict, answered: Answered) -> Verdict:
    """Return a judge's verdict if it is one, and on this item."""
    if not isinstance(verdict, Verdict):
        raise TypeError(f"a judge returns a Verdict, not {verdict!r}")
    if verdict.key != answered.item.key:
        raise ValueError(f"the verdict is on {verdict.key}, not on {answered.item.key}")
    return verdict


def _no_grade(answered: Answered, judge: Judge, outcome: VerdictOutcome, why: str) -> Verdict:
    query = answered.item.query
    name, prompt_hash = judge_identity(judge)
    return Verdict(query.query_id, query.lang, None, outcome, why, name, prompt_hash, attempts=0)


def _stale(answer: Answer, verdict: Verdict, only_unscored: bool) -> bool:
    """Tell whether a verdict is to be given again."""
    if verdict.outcome is VerdictOutcome.NO_ANSWER:
        # The reader may have been asked again since, and have answered this time.
        return answer.outcome not in FAILED
    return only_unscored and verdict.grade is None


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
