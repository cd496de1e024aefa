"""What all exports share: files that never replace others, and the names of a run's parts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.files import refuse_special, write_atomic
from ragaliq.storage.redaction import redact


def write_new(files: Mapping[Path, bytes]) -> list[Path]:
    """Write files, and return their paths; equal files may be there already.

    Raises:
        InputError: if a file of another content is there.
    """
    for path, data in files.items():
        refuse_special(path)
        if path.exists() and path.read_bytes() != data:
            raise InputError(f"{path}: is there with another content; give another folder with --out")
    for path, data in files.items():
        write_atomic(path, data)
    return list(files)


def part_name(system: Mapping[str, Any], stage: str) -> str:
    """Return the id of a part's model, or the kind of a part that has none."""
    component = system.get(stage, {})
    return redact(component.get("model") or component.get("kind") or "none")
