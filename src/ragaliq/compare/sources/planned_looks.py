"""How many looks at growing data a run was planned with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragaliq.aggregate.run_rows import run_at
from ragaliq.errors import ConfigError, InputError


def planned_looks(paths: Sequence[Path], asked: int | None) -> int:
    """Return the number of looks: what is asked for, else the most that `config.json` of a run names, else 1.

    A run records its plan as `"looks": {"planned": K}`.

    Raises:
        ConfigError: if fewer are asked for than a run was planned with.
        InputError: if the record is no whole number from 1.
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
    record = run.config().get("looks")
    looks = record.get("planned") if isinstance(record, dict) else record
    if looks is None:
        return 1
    if not isinstance(looks, int) or isinstance(looks, bool) or looks < 1:
        raise InputError(f"{run.config_file}: 'looks' must be a whole number from 1, not {looks!r}; fix it")
    return looks
