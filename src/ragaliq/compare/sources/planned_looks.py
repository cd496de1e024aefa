"""How many looks at growing data a run was planned with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragaliq.aggregate.run_rows import run_at
from ragaliq.errors import ConfigError, InputError
from ragaliq.metrics.statistics.multiplicity import SPENDING


def planned_looks(paths: Sequence[Path], asked: int | None = None) -> int:
    """Return the number of looks: what is asked for, else the most that `config.json` of a run names, else 1.

    A run records its plan as `"looks": {"planned": K, "spending": "pocock"}`.

    Raises:
        ConfigError: if fewer are asked for than a run was planned with.
        InputError: if the record is no whole number from 1, or another spending function than `level_per_look` has.
    """
    planned = {path: _planned(path) for path in paths if path.exists()}
    most = max(planned.values(), default=1)
    if asked is not None and asked < most:
        path = next(path for path, looks in planned.items() if looks == most)
        raise ConfigError(f"--looks {asked}: {path} was planned with {most}; give {most} or more")
    return asked or most


def _planned(path: Path) -> int:
    run = run_at(path)
    if run is None:
        return 1
    return recorded_looks(run.config(), str(run.config_file))


def recorded_looks(config: Mapping[str, Any], where: str) -> int:
    """Return the number of looks that a run's configuration names; 1 where it names none.

    Raises:
        InputError: as `planned_looks`.
    """
    record = config.get("looks")
    if record is None:
        return 1
    looks = record.get("planned") if isinstance(record, dict) else record
    spending = record.get("spending", SPENDING) if isinstance(record, dict) else SPENDING
    if not isinstance(looks, int) or isinstance(looks, bool) or looks < 1:
        raise InputError(f"{where}: 'looks' must be a whole number from 1, not {looks!r}; fix it")
    if spending != SPENDING:
        raise InputError(f"{where}: 'looks' must have the spending function '{SPENDING}', not {spending!r}; fix it")
    return looks
