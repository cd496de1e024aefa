"""The files of an export: which it wrote, which it may replace, which it removes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ragaliq.benchmark.layout import file_hash
from ragaliq.build.context import BuildContext
from ragaliq.errors import InputError
from ragaliq.storage.files import read_json, write_json
from ragaliq.storage.own_json import misfit, read_own_json

HEAD = "bench.json"


def claim_files(context: BuildContext, names: Sequence[str]) -> None:
    """Remove what an earlier export wrote and this one does not; refuse to replace any other file.

    Raises:
        InputError: if a file that no export wrote is in the way.
    """
    folder, earlier = context.workspace.path, _noted_files(context)
    foreign = [name for name in names if name not in earlier and (folder / name).exists()]
    if foreign:
        raise InputError(f"{folder / foreign[0]}: is in the way, and no export wrote it; move it")
    # Before anything is written: a kill must not leave unknown files.
    note_files(context, sorted({*earlier, *names}))
    for name in sorted(earlier - set(names), reverse=True):
        path = folder / name
        path.unlink(missing_ok=True)
        with suppress(OSError):
            # A folder with anything else in it stays.
            for above in path.relative_to(folder).parents[:-1]:
                (folder / above).rmdir()


def note_files(context: BuildContext, names: Sequence[str]) -> None:
    """Record the files that an export wrote."""
    write_json(_files_file(context), sorted(names))


def _noted_files(context: BuildContext) -> set[str]:
    """Return the files that an export wrote; else those that a built `bench.json` names with the same hash."""
    path, folder = _files_file(context), context.workspace.path
    if path.is_file():
        return set(read_own_json(path, [str], "the list of what was exported", "write it again: a JSON list of names"))
    head = read_json(folder / HEAD) if (folder / HEAD).is_file() else {}
    if misfit(head, {"built_with": object, "hashes?": {str: str}}):
        return set()
    hashes = head.get("hashes", {})
    return {HEAD, *(name for name in hashes if (folder / name).is_file() and file_hash(folder / name) == hashes[name])}


def _files_file(context: BuildContext) -> Path:
    return context.workspace.build / "export_files.json"
