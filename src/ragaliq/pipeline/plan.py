"""What a run would call, and what that may cost; nothing is called, nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

from ragaliq.benchmark.kb_language import corpus_name, knowledge_base
from ragaliq.benchmark.load import Benchmark
from ragaliq.components import check, make
from ragaliq.config import Component, RunConfig
from ragaliq.judge import Judge
from ragaliq.judge.controls.cases import Control
from ragaliq.judge.panel import Member, members
from ragaliq.llm import LLMSession, Request
from ragaliq.llm.budget import greatest_cost
from ragaliq.llm.tokens import estimate_tokens
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.pipeline.check import make_checking, nuggets_by_query
from ragaliq.pipeline.evaluate import RunOptions, make_judge
from ragaliq.pipeline.judge_gate import controls_to_pass
from ragaliq.pipeline.planned_contexts import EMBEDDERS, RERANKERS, RETRIEVERS, PlannedContexts
from ragaliq.pipeline.stage_plan import StagePlan, planned_checks, planned_stage
from ragaliq.pipeline.waterfall.planned import other_contexts
from ragaliq.pipeline.waterfall.waterfall import reads_other_contexts
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import current_verdicts
from ragaliq.storage.record_store import Key
from ragaliq.text.sentences import sentences
from ragaliq.types import Answer, AnswerOutcome, CitedSentence, Hit, Item, VerdictOutcome

# What an answer may look like before it is there: about as long as two references.
_SHORTEST_ANSWER = 200
# Readers that may list sentences with what they cite.
_CITING = ("http", "python")


def plan(config: RunConfig, benchmark: Benchmark, out: Path, options: RunOptions) -> list[StagePlan]:
    """Return what `evaluate` with the same arguments would do, stage by stage.

    What the reader will be shown is taken from the run's rankings, else from a search with the embedded parts; where
    another model would have to be loaded or called for it, each context is taken to cost as much as it may. What the
    run has finished already is not counted.
    """
    items = options.items(benchmark)
    # What is misspelt, or has no model or key, is refused before anything is counted.
    chatbot = Chatbot(_light(config), session=options.session)
    embedder, reranker = _called(config, options.session)
    judge = make_judge(config, options.session) if options.judged else None
    checking = make_checking(config.check, options.session, config.seed, nuggets_by_query(benchmark))
    answers, verdicts = _finished(out, options.fresh)
    unread = [i for queries in items.values() for i in queries if i.key not in answers]
    unjudged = [i for queries in items.values() for i in queries if i.key not in verdicts or i.key not in answers]
    contexts = PlannedContexts(config, chatbot, benchmark, None if options.fresh else RunFolder(out))
    unranked = [item for item in unread if contexts.ranked(item.query) is None]
    stages = [*_embeds(config, benchmark, unranked, embedder), *_reranks(config, unranked, contexts, reranker)]
    stages.append(
        planned_stage("reader", str(config.reader), chatbot.reader, _reads(chatbot, unread, contexts), len(unread))
    )
    if judge is not None:
        controls: Sequence[Control] = ()
        if options.controls and unjudged:
            passed = None if options.fresh else RunFolder(out).controls_file
            controls = controls_to_pass(judge, benchmark.languages, passed)
        for member in members(judge, config.judge):
            if controls:
                pairs = [(c.item, Answer(c.item.query, c.answer, AnswerOutcome.ANSWERED, ())) for c in controls]
                stages.append(_judging("controls", member, pairs))
            graded = [(item, answers.get(item.key) or _imagined(item)) for item in unjudged]
            stages.append(_judging("judge", member, graded))
        if reads_other_contexts(config, options.waterfall):
            finished = (None if options.fresh else RunFolder(out), answers.keys() & verdicts)
            shown_again = other_contexts(config, benchmark, items, finished, contexts)
            stages += _again(config, chatbot, judge, shown_again)
    if checking is not None and checking.context is not None:
        shown = {
            item.key: (item, answers.get(item.key) or _cited(_imagined(item), contexts.of(item.query), config.reader))
            for queries in items.values()
            for item in queries
        }
        folder = None if options.fresh or not answers else RunFolder(out)
        stages += planned_checks(config, checking, (folder, answers), shown)
    return stages


def _light(config: RunConfig) -> RunConfig:
    """Return the configuration with embedded parts in the place of those that would load a model or reach a server."""
    offered = {"seed": config.seed, "sampling": config.sampling, "index_dir": None, "session": None}
    of_retriever = {"embedder": None, "gold": None}
    for part in ("embedder", "retriever", "reranker", "reader"):
        check(part, getattr(config, part), **offered, **(of_retriever if part == "retriever" else {}))
    if config.reader.kind == "http":
        # It loads nothing, and refuses addresses that hold a secret.
        make("reader", config.reader)
    light = config if config.embedder.kind in EMBEDDERS else replace(config, embedder=Component("char-ngrams"))
    if config.retriever.kind not in RETRIEVERS or config.retriever.options:
        light = replace(light, retriever=Component("bm25"))
    if config.reranker.kind not in RERANKERS:
        light = replace(light, reranker=Component("none"))
    return light if config.reader.kind == "openai" else replace(light, reader=Component("extractive"))


def _called(config: RunConfig, session: LLMSession) -> tuple[Any, Any]:
    """Return the embedder and the reranker, each None unless it calls an endpoint."""
    embeds = config.embedder.kind == "openai" and config.retriever.kind != "bm25"
    embedder = make("embedder", config.embedder, session=session) if embeds else None
    reranks = config.reranker.kind == "llm"
    return embedder, make("reranker", config.reranker, seed=config.seed, session=session) if reranks else None


def _finished(out: Path, fresh: bool) -> tuple[Mapping[Key, Answer], set[Key]]:
    """Return what the run folder holds already: answers that did not fail, and the items with a verdict on them."""
    folder = RunFolder(out)
    if fresh or not folder.config_file.is_file():
        return {}, set()
    answers, verdicts = folder.answers(), folder.verdicts()
    standing = {key: answers[key].answer for key in answers if not answers.header(key).failed}
    # A verdict that there was no answer is given again where there is one now.
    graded = {
        key
        for key in current_verdicts(answers, verdicts)
        if verdicts.header(key).outcome is not VerdictOutcome.NO_ANSWER
    }
    return standing, graded & standing.keys()


def _embeds(config: RunConfig, benchmark: Benchmark, unranked: Sequence[Item], embedder: Any) -> Iterator[StagePlan]:
    """Plan an embedder behind an endpoint; vectors that the store may hold already are counted."""
    if embedder is None or not unranked:
        return
    langs = sorted({item.query.lang for item in unranked})
    corpora = {corpus_name(config.kb_lang, lang): knowledge_base(benchmark, config.kb_lang, lang) for lang in langs}
    texts = [chunk.text for chunks in corpora.values() for chunk in chunks] + [i.query.text for i in unranked]
    tokens = sum(map(estimate_tokens, texts))
    calls = sum(ceil(len(chunks) / embedder.batch_size) for chunks in corpora.values()) + len(langs)
    price = embedder.client.price
    cost = None if price is None else greatest_cost(price, tokens, 0)
    model = embedder.client.endpoint.model
    yield StagePlan("embedder", str(config.embedder), len(texts), calls, 0, tokens, 0, cost, model)


def _reranks(
    config: RunConfig, unranked: Sequence[Item], contexts: PlannedContexts, reranker: Any
) -> Iterator[StagePlan]:
    """Plan a reranker behind an endpoint: a request for each of the first chunks of each query."""
    if reranker is not None:
        requests = (
            reranker.request(item.query, hit)
            for item in unranked
            for hit in contexts.retrieved(item.query)[: reranker.depth]
        )
        yield planned_stage("reranker", str(config.reranker), reranker, requests, len(unranked))


def _reads(chatbot: Chatbot, items: Sequence[Item], contexts: PlannedContexts) -> Iterator[Request]:
    request = getattr(chatbot.reader, "request", None)
    if request is not None:
        yield from (request(item.query, contexts.of(item.query)) for item in items)


def _judging(stage: str, member: Member, pairs: Sequence[tuple[Item, Answer]]) -> StagePlan:
    """Plan what one judge, or one member of a panel, is asked in all its draws."""
    makers = [request for draw in member.draws if (request := getattr(draw, "request", None)) is not None]
    requests = (make_request(item, answer) for make_request in makers for item, answer in pairs)
    return planned_stage(stage, str(member.component), member.draws[0], requests, len(pairs))


def _again(
    config: RunConfig, chatbot: Chatbot, judge: Judge, shown: Iterator[tuple[Item, tuple[Hit, ...]]]
) -> list[StagePlan]:
    """Plan the same reader and judge under other contexts, as far as they call an endpoint."""
    parts = [chatbot.reader, *(member.draws[0] for member in members(judge, config.judge))]
    if not any(hasattr(part, "request") for part in parts):
        # The contexts need not be searched for.
        return []
    pairs, request = list(shown), getattr(chatbot.reader, "request", None)
    requests = (request(item.query, context) for item, context in pairs if request is not None)
    stages = [planned_stage("waterfall reader", str(config.reader), chatbot.reader, requests, len(pairs))]
    answered = [(item, _imagined(item)) for item, _ in pairs]
    stages += [_judging("waterfall judge", member, answered) for member in members(judge, config.judge)]
    return [stage for stage in stages if stage.model]


def _imagined(item: Item) -> Answer:
    # On two lines, so that in every script each copy keeps its sentences; filled up within the first of them.
    text = f"{item.reference}\n{item.reference}".rjust(_SHORTEST_ANSWER, "x")
    return Answer(item.query, text, AnswerOutcome.ANSWERED, ())


def _cited(answer: Answer, context: Sequence[Hit], reader: Component) -> Answer:
    """Return an imagined answer with its context; each sentence cites the longest chunk, if the reader may cite."""
    shown = replace(answer, context=tuple(context))
    if reader.kind not in _CITING or not context:
        return shown
    longest = max(context, key=lambda hit: estimate_tokens(hit.chunk.text)).chunk.doc_id
    return replace(shown, sentences=tuple(CitedSentence(text, (longest,)) for text in sentences(answer.text)))
