"""One client for every model behind an OpenAI-compatible endpoint: reader, reranker, embedder, judge.

Connections, cache, budget, prices, retries and the window of requests under way are shared by all clients of one
command. Another dialect of the protocol is a change of `dialect`.
"""

from ragaliq.llm.cache import ResponseCache
from ragaliq.llm.client import LLMClient
from ragaliq.llm.connections.transport import FaultKind
from ragaliq.llm.dialect import Request
from ragaliq.llm.endpoints.call_options import DEFAULT_OPTIONS, TIMEOUT_S, CallOptions
from ragaliq.llm.prices import load_prices
from ragaliq.llm.replies.reply import CallFailed, Message, Reply
from ragaliq.llm.session import CONCURRENCY, LLMSession

__all__ = [
    "CONCURRENCY",
    "DEFAULT_OPTIONS",
    "TIMEOUT_S",
    "CallFailed",
    "CallOptions",
    "FaultKind",
    "LLMClient",
    "LLMSession",
    "Message",
    "Reply",
    "Request",
    "ResponseCache",
    "batches",
    "budget",
    "call_trace",
    "connections",
    "endpoints",
    "load_prices",
    "prices",
    "prompts",
    "replies",
    "tokens",
]
