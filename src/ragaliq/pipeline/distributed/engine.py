"""The engine of a run: this process, or the workers of a Ray cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragaliq.config import RunConfig
from ragaliq.errors import ConfigError, nearest
from ragaliq.execution.cluster.pool import Placement, Pool
from ragaliq.execution.progress import say
from ragaliq.llm import LLMSession
from ragaliq.pipeline.check import NO_CHECK
from ragaliq.pipeline.distributed.calls import Calls, CallSettings, Ledger
from ragaliq.pipeline.distributed.works import (
    ANSWERING,
    CHECKING,
    EMBEDDING,
    JUDGING,
    RERANKING,
    RETRIEVAL,
    CheckWork,
    EmbedWork,
    JudgeWork,
    ReadWork,
    RerankWork,
    RetrieveWork,
    Work,
)

_WORKS: Mapping[str, type[Work]] = {
    EMBEDDING: EmbedWork,
    RETRIEVAL: RetrieveWork,
    RERANKING: RerankWork,
    ANSWERING: ReadWork,
    JUDGING: JudgeWork,
    CHECKING: CheckWork,
}


@dataclass(frozen=True, slots=True)
class RayEngine:
    """The workers that a run asks a Ray cluster for.

    Attributes:
        address: of the cluster; empty for a Ray of this machine.
        workers: how many; None takes one for each CPU of the cluster.
        gpus: the share of a GPU that a worker of a stage reserves; such a stage has workers of its own.
    """

    address: str = ""
    workers: int | None = None
    gpus: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse stages that there are not, and shares that cannot be.

        Raises:
            ConfigError: that names one.
        """
        for stage, share in self.gpus.items():
            if stage not in _WORKS:
                raise ConfigError(f"--gpus: unknown stage '{stage}'; {nearest(stage, list(_WORKS))}")
            if not 0 < share <= 1 and share != int(share):
                raise ConfigError(f"--gpus {stage}={share:g}: a share of a GPU, or a whole number of them")

    @asynccontextmanager
    async def calls(self, config: RunConfig, session: LLMSession, n_cpus: int) -> AsyncIterator[Calls]:
        """Yield the calls to workers, which end with the block; then a line for each stage says who did what.

        Meanwhile the session's concurrency is that of all workers together.
        """
        workers, concurrency, budget = self.workers or n_cpus, session.concurrency, _ledger(session)
        settings = CallSettings(
            cache="" if session.cache is None else str(session.cache.path),
            moved_from="" if session.cache is None else session.cache.moved_from,
            prices=session.prices,
            ledger=budget,
            concurrency=concurrency,
            traced=session.traced,
            vectors=str(Path(".ragaliq") / "vectors.sqlite"),
        )
        stages = [stage for stage in _WORKS if stage != CHECKING or config.check != NO_CHECK]
        shared = [stage for stage in stages if stage not in self.gpus]
        pools: dict[str, Pool] = {}
        async with AsyncExitStack() as opened:
            for group in (shared, *([stage] for stage in stages if stage in self.gpus)):
                gpus = self.gpus.get(group[0], 0.0) if group else 0.0
                works: dict[str, Any] = {stage: _WORKS[stage](config, settings, gpus) for stage in group}
                lost = (lambda _: None) if budget is None else budget.forget.remote
                placement = Placement(workers, 3 * concurrency, gpus)
                pool = await opened.enter_async_context(Pool(works, placement, session.signal, lost))
                pools |= dict.fromkeys(group, pool)
            calls = Calls(pools, session)
            session.concurrency = 3 * concurrency * workers
            try:
                yield calls
            finally:
                session.concurrency = concurrency
                calls.enter()
                for pool in dict.fromkeys(pools.values()):
                    for line in pool.report():
                        say(line)


def _ledger(session: LLMSession) -> Any:
    """Return the actor that keeps the budget, on this machine; None where there is no bound."""
    if session.budget.most is None:
        return None
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return ray.remote(Ledger).options(num_cpus=0, scheduling_strategy=here).remote(session.budget.most)
