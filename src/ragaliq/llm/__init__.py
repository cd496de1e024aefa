"""One client for every model behind an OpenAI-compatible endpoint: reader, reranker, embedder, judge.

Connections, cache, budget, prices, retries and the window of requests under way are shared by all clients of one
command. Another dialect of the protocol is a change of `dialect`.
"""

from ragaliq.llm.cache import ResponseCache
from ragaliq.llm.client import TIMEOUT_S, LLMClient
from ragaliq.llm.dialect import Request
from ragaliq.llm.prices import load_prices
from ragaliq.llm.reply import CallFailed, Message, Reply
from ragaliq.llm.session import CONCURRENCY, LLMSession
from ragaliq.llm.transport import FaultKind

__all__ = [
    "CONCURRENCY",
    "TIMEOUT_S",
    "CallFailed",
    "FaultKind",
    "LLMClient",
    "LLMSession",
    "Message",
    "Reply",
    "Request",
    "ResponseCache",
    "budget",
    "call_trace",
    "dialect",
    "endpoint",
    "load_prices",
    "prompts",
    "reply",
    "tokens",
    "transport",
]
