"""The folder that a benchmark is built in: `DIR` is the benchmark, `DIR/build/` holds what each stage left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from ragaliq.benchmark.layout import file_hash
from ragaliq.build.settings import BuildSettings
from ragaliq.build.settings_file import load_settings, parse_settings
from ragaliq.build.stage_row import STAGE_ROWS, StageRow, row_to_json
from ragaliq.build.update.version import Update, read_update, write_update
from ragaliq.errors import InputError
from ragaliq.storage.files import clear_drafts, write_atomic, write_json, write_jsonl
from ragaliq.storage.lock import locked
from ragaliq.storage.own_json import read_own_json
from ragaliq.storage.record_store import RecordStore

_STAGES, _BACKEND = "stages", "backend"
_FINISHED = {"inputs": str, "rows": str, "needs?": {str: str}, "settings?": {str: object}}
_NONE: Mapping[str, Any] = {}
_STATE = {f"{_BACKEND}?": str, f"{_STAGES}?": {str: _FINISHED}}


@dataclass(frozen=True, slots=True)
class Finished:
    """The state of a finished stage.

    Attributes:
        inputs: hash of all its inputs.
        rows: hash of its rows.
        needs: the stages whose rows it read → the hash of these.
        settings: the keys of `build.yaml` that decided it.
    """

    inputs: str
    rows: str
    needs: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


class StageFiles:
    """The rows of stages, a file each; a stage without a file has no rows."""

    def __init__(self, build: Path) -> None:
        self.build = build

    def rows_file(self, stage: str) -> Path:
        """Return the file of a stage's rows."""
        return self.build / f"{stage}.jsonl"

    def store(self, stage: str) -> RecordStore[StageRow]:
        """Return the rows of a stage, finished or not.

        Raises:
            InputError: if a line is not a row; the message names it.
        """
        return RecordStore(self.rows_file(stage), STAGE_ROWS)

    def rows(self, stage: str) -> list[StageRow]:
        """Return the rows of a finished stage, sorted by language and id.

        A key that a row's value lacks raises InputError where it is read: somebody has edited the file.
        """
        path = self.rows_file(stage)
        return [replace(row, value=_Value(row.value, f"{path}: row '{row.item_id}'"))
                for row in self.store(stage).values()]  # fmt: skip

    def kept(self, stage: str) -> list[StageRow]:
        """Return the rows that a finished stage kept, sorted by language and id."""
        return [row for row in self.rows(stage) if row.kept]


class Workspace(StageFiles):
    """The files of one build."""

    def __init__(self, path: Path) -> None:
        super().__init__(path / "build")
        self.path = path
        self.settings_file = path / "build.yaml"
        self.traces_file = self.build / "traces.jsonl"
        self.state_file = self.build / "state.json"
        # The text of a `build.yaml` that is not written yet.
        self.draft = ""
        self._seen: dict[str, tuple[tuple[int, ...], str, Counter[str]]] = {}

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out of the folder while this one builds in it.

        Raises:
            InputError: if another process builds here.
        """
        busy, remedy = "another process is building here; wait for it", "give another folder with --bench"
        with locked(self.path, str(self.path), busy=busy, remedy=remedy, folder=True):
            clear_drafts(self.path)
            yield

    @cached_property
    def settings(self) -> BuildSettings:
        """What `build.yaml` says, with the version of the last update.

        Raises:
            InputError: if there is none.
        """
        if not self.draft and not self.settings_file.is_file():
            raise InputError(f"{self.settings_file}: no such file; `ragaliq build init` writes it")
        settings = parse_settings(self.draft, self.settings_file) if self.draft else load_settings(self.settings_file)
        return replace(settings, version=self.update.version_for(settings.version))

    def write_draft(self) -> None:
        """Write the `build.yaml` that is only drafted so far, if one is."""
        if self.draft:
            write_atomic(self.settings_file, self.draft.encode("utf-8"))
        self.draft = ""

    @cached_property
    def update(self) -> Update:
        """The last update, finished or not."""
        return read_update(self.build)

    def set_update(self, update: Update) -> None:
        """Record an update."""
        write_update(self.build, update)
        for name in ("update", "settings", "earlier"):
            self.__dict__.pop(name, None)

    @cached_property
    def earlier(self) -> StageFiles:
        """The rows of the version before the last update; no stage has any if there was none.

        Raises:
            InputError: as `check_earlier`.
        """
        self.check_earlier()
        return StageFiles(self.build / self.update.base)

    def check_earlier(self) -> None:
        """Refuse to build on what is lost: without the earlier rows, all that stays would be taken for new.

        Raises:
            InputError: if there was an update, and the folder of the earlier rows is gone or empty.
        """
        update, folder = self.update, self.build / self.update.base
        if not update.serial or any(folder.glob("*.jsonl")):
            return
        other = "`ragaliq build update` makes the next version without them"
        if not update.done:
            other = "build in another folder (--bench)"
        raise InputError(
            f"{folder}: the rows of version {update.earlier_version} are gone, and the next version follows from them; "
            f"restore them from a copy, or {other}"
        )

    def write_rows(self, stage: str, rows: Iterable[StageRow]) -> None:
        """Write all rows of a stage at once, sorted by language and id.

        Raises:
            InputError: if two rows have one id.
        """
        ordered = sorted(rows, key=lambda row: (row.lang, row.item_id))
        for one, two in pairwise(ordered):
            if (one.lang, one.item_id) == (two.lang, two.item_id):
                raise InputError(f"{self.rows_file(stage)}: '{one.item_id}' would occur twice; rename a source")
        write_jsonl(self.rows_file(stage), map(row_to_json, ordered))

    def finished(self) -> dict[str, Finished]:
        """Return what is known of the finished stages.

        Raises:
            InputError: if the state file is not one.
        """
        stages = self._state().get(_STAGES, {})
        return {name: Finished(one["inputs"], one["rows"], one.get("needs", {}), one.get("settings", {}))
                for name, one in stages.items()}  # fmt: skip

    def finish(self, stage: str, inputs: str, needs: Iterable[str] = (), settings: Mapping[str, Any] = _NONE) -> None:
        """Record a stage whose rows are written, and what they follow from, as `Finished` has it."""
        read = {need: self.rows_hash(need) for need in needs}
        self._write(self.finished() | {stage: Finished(inputs, self.rows_hash(stage), read, settings)}, self.backend)

    def begin(self, stage: str, backend: str) -> None:
        """Record that a stage is in progress: it has no state until it is finished again."""
        finished = self.finished()
        if stage in finished or backend != self.backend:
            self._write({name: one for name, one in finished.items() if name != stage}, backend)

    def forget_others(self, stages: Iterable[str]) -> None:
        """Leave only these stages in the state; the rows of the others stay on disk."""
        finished = self.finished()
        known = {name: one for name, one in finished.items() if name in set(stages)}
        if known != finished:
            self._write(known, self.backend)

    @property
    def backend(self) -> str:
        """The backend of the last stage that was worked on; empty if there is none."""
        return str(self._state().get(_BACKEND, ""))

    def rows_hash(self, stage: str) -> str:
        """Return the hash of a stage's rows on disk; empty if there are none."""
        return self._read(stage)[0]

    def counts(self, stage: str) -> Counter[str]:
        """Return how many rows a stage has on disk by the reason of their removal; those kept have none."""
        return Counter(self._read(stage)[1])

    def _read(self, stage: str) -> tuple[str, Counter[str]]:
        path = self.rows_file(stage)
        if not path.is_file():
            return "", Counter()
        status = path.stat()
        version = status.st_ino, status.st_size, status.st_mtime_ns
        if stage not in self._seen or self._seen[stage][0] != version:
            store = self.store(stage)
            self._seen[stage] = version, file_hash(path), Counter(store.header(key)[1] for key in store)
        return self._seen[stage][1:]

    def _state(self) -> dict[str, Any]:
        what, remedy = "the state of a build", "remove it, the same command goes on"
        return dict(read_own_json(self.state_file, _STATE, what, remedy)) if self.state_file.is_file() else {}

    def _write(self, finished: Mapping[str, Finished], backend: str) -> None:
        stages = {name: asdict(one) for name, one in sorted(finished.items())}
        write_json(self.state_file, {_BACKEND: backend, _STAGES: stages})


class _Value(dict[str, Any]):
    """The value of a row that was read from a file."""

    def __init__(self, value: Mapping[str, Any], where: str) -> None:
        super().__init__(value)
        self._where = where

    def __missing__(self, key: str) -> Any:
        raise InputError(f"{self._where} lacks '{key}'; remove the line, the same command writes it anew")
