"""Folders of documents for tests, and the rows that the first stages leave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragaliq.cli import main


def write_folder(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files by their paths, and return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return folder


def write_settings(bench: Path, *lines: str) -> Path:
    """Write `build.yaml`, and return the benchmark's folder."""
    write_folder(bench, {"build.yaml": "\n".join(lines) + "\n"})
    return bench


def stage(bench: Path, name: str, *options: str) -> int:
    """Run one stage on the command line, and return the exit code."""
    return main(["build", name, "--bench", str(bench), *options])


def stage_rows(bench: Path, name: str) -> dict[str, dict[str, Any]]:
    """Return the rows of a stage by their ids."""
    lines = (bench / "build" / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return {row["id"]: row for row in map(json.loads, filter(None, lines))}
