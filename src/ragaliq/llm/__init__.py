"""One client for every model behind an OpenAI-compatible endpoint: reader, reranker, embedder, judge."""

from ragaliq.llm.cache import ResponseCache
from ragaliq.llm.client import TIMEOUT_S, CallFailed, LLMClient
from ragaliq.llm.dialect import Request
from ragaliq.llm.prices import load_prices
from ragaliq.llm.reply import Message, Reply
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
    "load_prices",
]
