"""A retrieval system under test: everything that decides its rankings of given data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ragaliq.components import ORACLE, check, make
from ragaliq.config import Component
from ragaliq.errors import ConfigError
from ragaliq.experiment.settings.depth import RERANK_DEPTH
from ragaliq.experiment.settings.queries import Mode, Source
from ragaliq.llm import LLMSession
from ragaliq.rerank import Reranker
from ragaliq.retrieve import Embedder, Retriever
from ragaliq.retrieve.gold import GoldByQuery
from ragaliq.types import Query

TOP_K = 100
EMBEDDER = Component("use-multilingual")
NO_RERANKER = Component("none")
QUESTION = Mode(Source.QUESTION)


@dataclass(frozen=True, slots=True)
class System:
    """One way to retrieve.

    Attributes:
        retriever: ranks the corpus.
        embedder: makes the vectors of a retriever that needs some.
        reranker: orders the first `rerank_depth` hits again.
        rerank_depth: how many of the first hits are reranked.
        top_k: documents of a ranking.
        chunk_tokens: size of the windows that are indexed; None indexes the documents as they are.
        title: titles are indexed, too.
        queries: what is asked.
        keep_self_match: a query that is a document of the corpus stays in its own ranking.
        seed: of everything that draws.
    """

    retriever: Component
    embedder: Component = EMBEDDER
    reranker: Component = NO_RERANKER
    rerank_depth: int = RERANK_DEPTH
    top_k: int = TOP_K
    chunk_tokens: int | None = None
    title: bool = True
    queries: Mode = QUESTION
    keep_self_match: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for key in ("top_k", "rerank_depth", "chunk_tokens"):
            value = getattr(self, key)
            if value is not None and value < 1:
                raise ConfigError(f"'{key}' must be at least 1, not {value}")

    @property
    def reranks(self) -> bool:
        """Whether there is a reranker."""
        return self.reranker.kind != "none"

    @property
    def is_oracle(self) -> bool:
        """Whether it knows what no user knows: the gold, or a text made of the answer."""
        return self.retriever.kind == ORACLE or self.queries.is_oracle

    @property
    def is_plain_bm25(self) -> bool:
        """Whether this is the baseline: BM25 over the documents as they are, asked the question."""
        same = (self.reranker.kind, self.chunk_tokens, self.title, self.queries.source)
        return self.retriever == Component("bm25") and same == ("none", None, True, Source.QUESTION)

    def to_json(self) -> dict[str, Any]:
        """Return the system as the manifest of a run has it."""
        values = asdict(self)
        return {**values, "queries": str(self.queries), "rerank_depth": self.rerank_depth if self.reranks else None}


@dataclass(slots=True)
class Parts:
    """Makes the parts of systems; embedders and rerankers, which may hold models, are made once.

    Attributes:
        session: the calls to endpoints.
        index_dir: where vectors are kept; None keeps them in memory.
        gold: what the retriever `gold` gets, and no other part.
    """

    session: LLMSession = field(default_factory=LLMSession)
    index_dir: Path | None = None
    gold: GoldByQuery = field(default_factory=dict)
    _made: dict[str, Any] = field(default_factory=dict)

    def embedder(self, system: System) -> Embedder:
        """Return a system's embedder."""
        embedder: Embedder = self._once("embedder", system.embedder, self._offered(system))
        return embedder

    def reranker(self, system: System) -> Reranker:
        """Return a system's reranker; one with a parameter `depth` gets the system's."""
        offered = {**self._offered(system), "depth": system.rerank_depth}
        reranker: Reranker = self._once("reranker", system.reranker, offered)
        return reranker

    def retriever(self, system: System) -> Retriever:
        """Return a new retriever: each holds one corpus."""
        # These vectors take longer to keep than to make.
        cheap = system.embedder.kind == "char-ngrams" and system.retriever.kind in ("dense", "hybrid")
        offered = {"embedder": self.embedder(system), "index_dir": None if cheap else self.index_dir}
        oracle = {"gold": self.gold} if system.retriever.kind == ORACLE else {}
        retriever: Retriever = make("retriever", system.retriever, **offered, **oracle, **self._offered(system))
        return retriever

    def gold_hash(self, queries: Iterable[Query]) -> str:
        """Return a hash of what the retriever `gold` gets for some queries."""
        keys = sorted((query.lang, query.query_id) for query in queries)
        gold = [[key, [list(group) for group in self.gold.get(key, ())]] for key in keys]
        return hashlib.sha256(json.dumps(gold).encode()).hexdigest()

    def _offered(self, system: System) -> Mapping[str, Any]:
        return {"seed": system.seed, "session": self.session}

    def _once(self, stage: str, component: Component, offered: Mapping[str, Any]) -> Any:
        key = f"{stage} {asdict(component)} {offered.get('depth')} {offered['seed']}"
        if key not in self._made:
            self._made[key] = make(stage, component, **offered)
        return self._made[key]


def check_parts(system: System, where: Mapping[str, str] | None = None) -> None:
    """Check a system's parts as `components.check` does; `where` has file and line of the keys that name them.

    Raises:
        ConfigError: if a part cannot be made, as far as that can be known without making it.
    """
    if system.retriever.kind == ORACLE and system.chunk_tokens is not None:
        raise ConfigError(f"retriever '{ORACLE}': finds documents, no windows of them; leave the size of chunks out")
    common = {"seed": 0, "session": None}
    parts = (
        ("retriever", "retriever", system.retriever, {"embedder": None, "index_dir": None, "gold": None, **common}),
        ("embedder", "embedder", system.embedder, common),
        ("rerank", "reranker", system.reranker, {"depth": 0, **common}),
    )
    for key, stage, component, context in parts:
        try:
            check(stage, component, **context)
        except ConfigError as error:
            if where is None or key not in where:
                raise
            raise ConfigError(f"{where[key]}: {error}") from None
