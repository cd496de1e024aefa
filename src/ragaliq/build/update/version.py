"""The state of updates: `DIR/build/update.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ragaliq.build.stage_row import content_hash
from ragaliq.storage.files import write_json
from ragaliq.storage.own_json import read_own_json

UPDATE_FILE = "update.json"
_SHAPE = {
    "serial": int,
    "named": str,
    "number": int,
    "earlier_version": str,
    "settings": {str: object},
    "retired": [str],
    "retire": [str],
    "done": bool,
    "requested?": [str],
}


@dataclass(frozen=True, slots=True)
class Update:
    """An update of a benchmark.

    Attributes:
        serial: how many updates there were with this one; 0 if there was none.
        named: `version` in `build.yaml`.
        number: the updates since it is that; the version is `NAMED.NUMBER`, or `NAMED` for 0.
        earlier_version: the version before.
        settings: what decided the stages of the version before, key by key.
        retired: the queries that earlier versions retired for good; their ids are not used again.
        retire: ids of queries and documents that somebody asked to retire, in this update or before.
        done: whether the changelog has it.
        requested: those of `retire` that were named for this update; until it is done they can be replaced.
    """

    serial: int = 0
    named: str = ""
    number: int = 0
    earlier_version: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    retired: tuple[str, ...] = ()
    retire: tuple[str, ...] = ()
    done: bool = True
    requested: tuple[str, ...] = ()

    @property
    def base(self) -> str:
        """The folder of the earlier rows below `DIR/build/`; it is not there if there was no update."""
        return f"earlier/{self.serial}"

    @property
    def hash(self) -> str:
        """Hash of what the stages take from it; empty if there was no update."""
        taken = {name: value for name, value in asdict(self).items() if name != "requested"}
        return content_hash({**taken, "done": True}) if self.serial else ""

    def version_for(self, named: str) -> str:
        """Return the benchmark's version where `build.yaml` has `named`."""
        return f"{named}.{self.number}" if named == self.named and self.number else named


def read_update(build: Path) -> Update:
    """Return the last update.

    Raises:
        InputError: if the file is not one of ours.
    """
    path = build / UPDATE_FILE
    if not path.is_file():
        return Update()
    value = dict(read_own_json(path, _SHAPE, "the state of an update", "restore it from a copy"))
    ids = {name: tuple(value.get(name, ())) for name in ("retired", "retire", "requested")}
    return Update(**{**value, **ids})


def write_update(build: Path, update: Update) -> None:
    """Write the state of an update."""
    write_json(build / UPDATE_FILE, asdict(update))
