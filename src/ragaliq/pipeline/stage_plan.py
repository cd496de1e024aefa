"""What one stage of a run would call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragaliq.llm import LLMClient, Request
from ragaliq.llm.budget import greatest_cost
from ragaliq.llm.tokens import estimate_chat


@dataclass(frozen=True, slots=True)
class StagePlan:
    """What one stage would do.

    Attributes:
        stage: `embedder`, `reranker`, `reader`, `controls`, `judge`, `check`, `nuggets` or `context`; reader and judge
            always, the others only where they call an endpoint; controls and judge once for each member of a panel.
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
    for request in requests:
        if client.is_cached(request):
            cached += 1
            continue
        calls += 1
        prompt += estimate_chat(list(request.messages))
        completion += int(request.parameters.get("max_tokens") or 0)
    cost = None if client.price is None and calls else greatest_cost(client.price, prompt, completion)
    return StagePlan(stage, component, items, calls, cached, prompt, completion, cost, client.endpoint.model)
