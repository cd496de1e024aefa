"""What one stage of a run, or the separate questions about its answers, would call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragaliq.config import RunConfig
from ragaliq.execution.progress import watched
from ragaliq.judge.checks.cited import citations_of
from ragaliq.llm import LLMClient, Request
from ragaliq.llm.budget import greatest_cost
from ragaliq.llm.tokens import estimate_chat
from ragaliq.pipeline.check import Checking
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.record_store import Key
from ragaliq.types import Answer, Item


@dataclass(frozen=True, slots=True)
class StagePlan:
    """What one stage would do.

    Attributes:
        stage: `embedder`, `reranker`, `reader`, `controls`, `judge`, `waterfall reader`, `waterfall judge`, `check`,
            `nuggets`, `context` or `citations`; reader and judge always, the others only where they call an endpoint;
            those of a judge once for each member of a panel.
        component: its kind and model.
        items: how many items it has to do.
        calls: how many of them are requests to an endpoint that no cached reply answers.
        cached: how many a cached reply answers.
        prompt_tokens: about how many tokens the requests have.
        completion_tokens: how many tokens the replies may have at most.
        cost: at most, in US dollars; None if there is no price.
        model: id of the model behind the endpoint; empty if none is called.
    """

    stage: str
    component: str
    items: int
    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    model: str = ""


def planned_stage(stage: str, component: str, part: object, requests: Iterator[Request], items: int) -> StagePlan:
    """Return what a part would be asked; a part without a client calls nothing."""
    client = getattr(part, "client", None)
    if not isinstance(client, LLMClient):
        return StagePlan(stage, component, items, 0, 0, 0, 0, 0.0)
    calls = cached = prompt = completion = 0
    # A request needs its context, and that a search.
    for request in watched(requests, f"planning {stage}", items):
        if client.is_cached(request):
            cached += 1
            continue
        calls += 1
        prompt += estimate_chat(list(request.messages))
        completion += int(request.parameters.get("max_tokens") or 0)
    cost = None if client.price is None and calls else greatest_cost(client.price, prompt, completion)
    return StagePlan(stage, component, items, calls, cached, prompt, completion, cost, client.endpoint.model)


def planned_checks(
    config: RunConfig,
    checking: Checking,
    finished: tuple[RunFolder | None, Mapping[Key, Answer]],
    shown: Mapping[Key, tuple[Item, Answer]],
) -> Iterator[StagePlan]:
    """Plan what a model is asked beside the grade, a request each: the answers, their nuggets, contexts, citations.

    Those about citations are at most as many as the answers of `shown` hold: an answer that abstains has none.
    """
    folder, standing = finished
    nuggets = checking.nuggets
    assert checking.context is not None
    pending = {one.name: set(one.pending()) for one in checking.inquiries(folder, folder.answers())} if folder else {}

    def todo(inquiry: str) -> list[Key]:
        return [key for key in shown if key not in standing or key in pending.get(inquiry, ())]

    def planned(stage: str, part: Any, asked: Sequence[tuple[Any, ...]]) -> Iterator[StagePlan]:
        if asked:
            requests = (part.request(*one) for one in asked)
            yield planned_stage(stage, str(config.check), part, requests, len(asked))

    checks = [shown[key] for key in todo("checking")]
    yield from planned("check", checking.checker, checks)
    matched = [(*shown[key], nuggets[key]) for key in todo("nuggets") if key in nuggets]
    yield from planned("nuggets", checking.matcher, matched)
    if config.retriever.kind != "none":
        contexts = [shown[key] for key in todo("context") if checking.context.asks(*shown[key])]
        yield from planned("context", checking.context, contexts)
    cited = [(item, one.alone) for item, answer in checks for one in citations_of(answer) if one.alone is not None]
    yield from planned("citations", checking.checker, cited)
