"""A causal language model on this machine as judge, run by Hugging Face `transformers`."""

from __future__ import annotations

from ragaliq.judge.instructions import load_instructions
from ragaliq.judge.model import MAX_TOKENS, ModelJudge
from ragaliq.llm import LLMSession
from ragaliq.local.causal.client import LocalClient
from ragaliq.local.causal.engine import check_library
from ragaliq.local.causal.transformers import CausalModel


class TransformersJudge(ModelJudge):
    """Grades as `ModelJudge` does, with the most probable token each time."""

    client: LocalClient

    def __init__(
        self,
        model: str,
        rubric: str = "",
        prompt: str = "",
        instructions: str = "english",
        revision: str = "",
        device: str = "",
        dtype: str = "",
        trust_remote_code: bool = False,
        seed: int = 0,
        session: LLMSession | None = None,
    ) -> None:
        source = CausalModel("judge", model, revision, device, dtype, trust_remote_code)
        client = LocalClient("judge", source, session)
        if not client.session.planned:
            check_library(source.label, "torch")
        name = f"transformers:{model}{'@' if revision else ''}{revision}"
        loaded = load_instructions(rubric, prompt, instructions)
        super().__init__(name, client, loaded, {"temperature": 0.0, "max_tokens": MAX_TOKENS}, seed)

    @property
    def resolved(self) -> str:
        """The commit of the hub that was loaded; empty for a folder, or before anything is loaded."""
        return self.client.resolved
