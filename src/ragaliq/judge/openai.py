"""A language model as judge, behind any OpenAI-compatible endpoint."""

from __future__ import annotations

from ragaliq.errors import ConfigError
from ragaliq.judge.instructions import load_instructions
from ragaliq.judge.model import MAX_TOKENS, ModelJudge
from ragaliq.llm import DEFAULT_OPTIONS, CallOptions, LLMClient, LLMSession, Reply, Request

MAX_TEMPERATURE = 2.0


class OpenAIJudge(ModelJudge):
    """Grades as `ModelJudge` does; every request and every repair goes to the endpoint."""

    client: LLMClient

    def __init__(
        self,
        model: str = "",
        rubric: str = "",
        prompt: str = "",
        options: CallOptions = DEFAULT_OPTIONS,
        seed: int = 0,
        session: LLMSession | None = None,
        instructions: str = "english",
        temperature: float = 0.0,
        logprobs: bool = True,
    ) -> None:
        client = LLMClient("judge", model, session, options)
        loaded = load_instructions(rubric, prompt, instructions)
        if not 0 <= temperature <= MAX_TEMPERATURE:
            raise ConfigError(
                f"judge: option 'temperature' must be between 0 and {MAX_TEMPERATURE:g}, not {temperature:g}"
            )
        # Draws at another temperature are another judge's: nothing may take the one's grades for the other's.
        warm = f"@{temperature}".removesuffix(".0") if temperature else ""
        parameters = {"temperature": float(temperature), "max_tokens": MAX_TOKENS}
        super().__init__(f"{client.name}{warm}", client, loaded, parameters, seed, logprobs)

    def _repaired(self, request: Request, reply: Reply) -> None:
        # Cached only together with the reply that repairs it: where that one is missing, both are asked for again.
        self.client.keep(request, reply)
