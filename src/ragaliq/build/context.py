"""What the stages of one build share: the workspace, the settings, the models and the calls to them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from ragaliq.build.model import Model
from ragaliq.build.model.ask import REPAIR
from ragaliq.build.model.backend import Backend
from ragaliq.build.model.planned import PlannedCalls
from ragaliq.build.model.prompts import builder_prompt
from ragaliq.build.settings import BuildSettings
from ragaliq.build.stage_row import FAILED, StageRow, content_hash
from ragaliq.build.workspace import StageFiles, Workspace
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.run_stage import run_stage
from ragaliq.llm import LLMSession
from ragaliq.storage.record_store import Key, RecordStore

# Language and item → row.
Rows = Mapping[Key, StageRow]


@dataclass(frozen=True, slots=True)
class WorkItem:
    """An item of a stage that asks a model.

    Attributes:
        item_id: unique in the stage and language.
        lang: its language.
        inputs: everything that its row follows from, as JSON.
        data: what the stage works with.
        carried: keys of the row's value that decide nothing of it, such as places; they may change without a call.
    """

    item_id: str
    lang: str
    inputs: Any
    data: Any
    carried: Mapping[str, Any] = field(default_factory=dict)


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
    def earlier(self) -> StageFiles:
        """The rows of the version before the last update; none if there was no update."""
        return self.workspace.earlier

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
    work_in_steps(context, stage, [lambda _: items], work, identity)


def work_in_steps(
    context: BuildContext,
    stage: str,
    steps: Sequence[Callable[[Rows], Sequence[WorkItem]]],
    work: Callable[[WorkItem], Awaitable[StageRow]],
    identity: Mapping[str, Any],
) -> None:
    """Do what `work_on_items` does for items in several steps: each returns its items from the rows of those before.

    Raises:
        Stopped: if the work ended early; what is finished is on disk.
    """
    hashes: dict[Key, str] = {}
    store = context.workspace.store(stage)

    def pending(items: Sequence[WorkItem]) -> list[WorkItem]:
        return [item for item in items if not _done(store, (item.lang, item.item_id), hashes)]

    async def do(batch: Sequence[WorkItem]) -> list[StageRow]:
        return [replace(await work(item), inputs=hashes[item.lang, item.item_id]) for item in batch]

    async def both(items: Sequence[WorkItem]) -> None:
        for attempt in ("", " again"):
            waiting = pending(items)
            if waiting:
                await run_stage(f"{stage}{attempt}", waiting, do, store, context.session)

    with store if context.planned is None else nullcontext():
        for step in steps:
            items = step({key: store[key] for key in hashes if key in store})
            hashes |= {(item.lang, item.item_id): item_hash(stage, identity, item.inputs) for item in items}
            if context.planned is not None:
                carry_out(_plan(context.planned, pending(items), work), context.session)
                continue
            for item in items:
                if item.carried and _done(store, (item.lang, item.item_id), hashes):
                    _carry(store, item)
            carry_out(both(items), context.session)
    if context.planned is not None:
        context.planned.n_rows += len(hashes)
    else:
        store.rewrite(order=sorted(hashes))


def item_hash(stage: str, identity: Mapping[str, Any], inputs: Any) -> str:
    """Return the `inputs` of the row that a stage makes of an item with these inputs."""
    return content_hash([stage, dict(identity), builder_prompt(REPAIR).hash, inputs])


def _carry(store: RecordStore[StageRow], item: WorkItem) -> None:
    """Give a finished row the present values of the keys that it only carries."""
    row = store[item.lang, item.item_id]
    if any(row.value.get(key) != value for key, value in item.carried.items()):
        store.append(replace(row, value={**row.value, **item.carried}))


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
