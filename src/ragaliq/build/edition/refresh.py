"""Refreshing: writing an edition of a benchmark into a folder."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragaliq.benchmark.checks.licence import CARD
from ragaliq.benchmark.layout import declared_languages
from ragaliq.build.edition.commitment import commitment
from ragaliq.build.edition.render import Edition, edition_of, head_of, render_edition
from ragaliq.build.edition.template import FOLDER
from ragaliq.build.edition.template_reader import read_template
from ragaliq.errors import InputError
from ragaliq.storage.files import read_json, write_atomic
from ragaliq.storage.new_folder import new_folder

_PARTS = ("corpus", "exam", "nuggets", "qrels", "queries", "sources")
_HEAD_KEYS = ("name", "version", "title", "licence", "languages", "canary")


def refresh(folder: Path, seed: int, out: Path, private: bool = False) -> list[str]:
    """Write the edition `seed` of a benchmark into a new folder, as a whole or not at all, and return its files.

    An edition holds no template, and the benchmark's card; of a private one nothing in the folder tells the seed.

    Raises:
        InputError: if the benchmark has no template, the template is malformed, or `out` holds anything but this same
            edition, untouched.
    """
    edition = Edition(read_head(folder), seed, private)
    files = {**_all_files(folder, edition), **_card(folder, edition)}
    command = {"refresh": edition.head["name"], "version": edition.head["version"],
               "seed": commitment(edition.head, seed), **({"private": True} if private else {})}  # fmt: skip
    with new_folder(out, command) as draft:
        for name in _changed(out, files):
            if (out / name).is_file():
                raise InputError(f"{out / name}: is not as this command would write it; name another folder with --out")
        for name, content in files.items():
            write_atomic(draft / name, content)
    return sorted(files)


def renew(folder: Path) -> list[str]:
    """Write edition 0 of a benchmark beside its template, and return the files that changed or went."""
    files = _all_files(folder, Edition(read_head(folder), 0))
    stale, changed = _stale(folder, files), _changed(folder, files)
    for name in stale:
        (folder / name).unlink()
    for name in changed:
        write_atomic(folder / name, files[name])
    return sorted(stale + changed)


def edition_differences(folder: Path, seed: int, edition_folder: Path) -> list[str]:
    """Return what tells a folder apart from the edition `seed` of a benchmark; nothing means that it is this edition.

    Compared are `bench.json` and the folders of an edition; cards, and what else lies beside them, are not.

    Raises:
        InputError: as `refresh`; and if the edition's `bench.json` cannot be read.
    """
    told = read_json(edition_folder / "bench.json")
    named = told.get("edition") if isinstance(told, dict) else None
    private = isinstance(named, dict) and "seed_sha256" in named
    edition = Edition(read_head(folder), seed, private)
    wanted = edition_of(edition)
    if named != wanted and isinstance(named, dict) and set(named) == set(wanted):
        (key, value), (asked,) = next(iter(named.items())), wanted.values()
        return [f"{edition_folder / 'bench.json'}: {key} is {value}, not {asked}: another edition"]
    files = _all_files(folder, edition)
    differences = [
        f"{edition_folder / name}: {'differs' if (edition_folder / name).is_file() else 'missing'}"
        for name in _changed(edition_folder, files)
    ]
    return differences + [f"{edition_folder / name}: not of this edition" for name in _stale(edition_folder, files)]


def read_head(folder: Path) -> dict[str, Any]:
    """Return the head that all editions share, from `template/bench.json`."""
    path = folder / FOLDER / "bench.json"
    if not path.is_file():
        raise InputError(
            f"{folder}: no template of editions there ({FOLDER}/bench.json); a benchmark with slots has one"
        )
    head = read_json(path)
    for key in _HEAD_KEYS:
        if not isinstance(head, dict) or not head.get(key):
            raise InputError(f"{path}: '{key}' is missing")
        if key != "languages" and not isinstance(head[key], str):
            raise InputError(f"{path}: '{key}' is a text, not {head[key]!r}")
    declared_languages(head, path)
    try:
        uuid.UUID(head["canary"])
    except ValueError:
        raise InputError(f"{path}: 'canary' is a UUID, as uuid.uuid4() makes one, not '{head['canary']}'") from None
    return dict(head)


def _changed(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """Return the files that a folder lacks or holds with another content, sorted."""
    there = {name: (folder / name).read_bytes() for name in files if (folder / name).is_file()}
    return sorted(name for name in files if there.get(name) != files[name])


def _stale(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """Return the other files in a folder's parts of an edition, sorted."""
    paths = (path for part in _PARTS for path in (folder / part).rglob("*") if path.is_file())
    return sorted({path.relative_to(folder).as_posix() for path in paths} - set(files))


def _card(folder: Path, edition: Edition) -> dict[str, bytes]:
    """Return the card of a benchmark, which lies in its folder or beside it, headed by the edition."""
    which = "A private edition" if edition.private else f"Edition {edition.seed}"
    note = (
        f"> {which} of {edition.head['name']}. What follows is the benchmark's card; its figures are of edition 0.\n\n"
    )
    for path in (folder / CARD, folder.resolve().parent / CARD):
        if path.is_file():
            return {CARD: note.encode() + path.read_bytes()}
    return {}


def _all_files(folder: Path, edition: Edition) -> Mapping[str, bytes]:
    template = read_template(folder, edition.head["languages"])
    files = render_edition(template, edition)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return files | {"bench.json": head_of(edition, hashes)}
