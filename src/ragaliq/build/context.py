"""What the stages of one build share: the workspace, the settings, the models and the calls to them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragaliq.build.model import Model
from ragaliq.build.model.ask import REPAIR
from ragaliq.build.model.backend import Backend
from ragaliq.build.model.planned import PlannedCalls
from ragaliq.build.model.prompts import builder_prompt
from ragaliq.build.settings import BuildSettings
from ragaliq.build.stage_row import FAILED, StageRow, content_hash
from ragaliq.build.workspace import Workspace
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.run_stage import run_stage
from ragaliq.llm import LLMSession
from ragaliq.storage.record_store import Key, RecordStore


@dataclass(frozen=True, slots=True)
class WorkItem:
    """An item of a stage that asks a model.

    Attributes:
        item_id: unique in the stage and language.
        lang: its language.
        inputs: everything that its row follows from, as JSON.
        data: what the stage works with.
    """

    item_id: str
    lang: str
    inputs: Any
    data: Any


@dataclass(slots=True)
class BuildContext:
    """One call of `ragaliq build`.

    Attributes:
        workspace: the files.
        session: how endpoints are called.
        backend: the models to ask.
        planned: counts what a stage would ask; None for a real build.
    """

    workspace: Workspace
    session: LLMSession
    backend: Backend
    planned: PlannedCalls | None = None
    _models: dict[str, Model] = field(default_factory=dict)
    _outside: dict[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> BuildSettings:
        """What `build.yaml` says."""
        return self.workspace.settings

    def model(self, name: str = "") -> Model:
        """Return the backend's model, or one that the settings name."""
        if name not in self._models:
            self._models[name] = self.backend.open(self.session, name, self.planned)
        return self._models[name]

    def outside(self, stage: str, read: Callable[[BuildContext], Any]) -> Any:
        """Return what `read` says of the files that a stage reads from outside the build; they are read once."""
        if stage not in self._outside:
            self._outside[stage] = read(self)
        return self._outside[stage]


def work_on_items(
    context: BuildContext,
    stage: str,
    items: Sequence[WorkItem],
    work: Callable[[WorkItem], Awaitable[StageRow]],
    identity: Mapping[str, Any],
) -> None:
    """Make the row of each item that has none from the same inputs, and write the stage's file, sorted.

    Items whose model failed are tried once more when all others are done, and again by the next call. If the build is
    only planned, nothing is written: the items to work on and their first requests are counted.

    Args:
        context: the build.
        stage: names the file.
        items: what the stage works on.
        work: makes the row of an item.
        identity: what decides all rows: prompts, models, settings.

    Raises:
        Stopped: if the work ended early; what is finished is on disk.
    """
    always = [stage, dict(identity), builder_prompt(REPAIR).hash]
    hashes = {(item.lang, item.item_id): content_hash([*always, item.inputs]) for item in items}
    store = context.workspace.store(stage)

    def pending() -> list[WorkItem]:
        return [item for item in items if not _done(store, (item.lang, item.item_id), hashes)]

    async def do(batch: Sequence[WorkItem]) -> list[StageRow]:
        return [replace(await work(item), inputs=hashes[item.lang, item.item_id]) for item in batch]

    async def both() -> None:
        for attempt in ("", " again"):
            waiting = pending()
            if waiting:
                await run_stage(f"{stage}{attempt}", waiting, do, store, context.session)

    if context.planned is not None:
        context.planned.n_rows += len(hashes)
        carry_out(_plan(context.planned, pending(), work), context.session)
        return
    with store:
        carry_out(both(), context.session)
    store.rewrite(order=sorted(hashes))


def _done(store: RecordStore[StageRow], key: Key, hashes: Mapping[Key, str]) -> bool:
    if key not in store:
        return False
    inputs, reason = store.header(key)
    return bool(inputs == hashes[key] and reason != FAILED)


async def _plan(
    planned: PlannedCalls, items: Sequence[WorkItem], work: Callable[[WorkItem], Awaitable[StageRow]]
) -> None:
    for item in items:
        planned.begin_item()
        await work(item)
