"""A benchmark's folder in our own layout: its languages, its hashes, and the models that it was built with."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError, listed
from ragaliq.storage.files import read_json, refuse_special

FOLDERS = ("corpus", "queries", "nuggets")
# The rules that replace a model.
SCRIPTED = "scripted"
_ROLES = ("generator", "judge")
_CODE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")


def declared_languages(head: object, where: Path) -> tuple[str, ...]:
    """Return the languages that a `bench.json` lists.

    Raises:
        InputError: if they are not a list of different language codes; they become parts of file names.
    """
    langs = head.get("languages") if isinstance(head, dict) else None
    if not isinstance(langs, list) or not langs or not all(isinstance(lang, str) for lang in langs):
        raise InputError(f'{where}: \'languages\' must be a list of language codes, as in ["en", "de"]')
    bad = [lang for lang in langs if not is_code(lang) or langs.count(lang) > 1]
    if bad:
        raise InputError(f"{where}: 'languages' names '{bad[0]}' twice or is no language code such as de or pt-BR")
    return tuple(langs)


def is_code(lang: str) -> bool:
    """Return whether `lang` has the form of a language code, as in `de` or `pt-BR`."""
    return _CODE.fullmatch(lang) is not None


def choose_languages(langs: Iterable[str] | None, available: tuple[str, ...]) -> tuple[str, ...]:
    """Return the wanted languages in the benchmark's order."""
    if langs is None:
        return available
    wanted = list(langs)
    for lang in wanted:
        if lang not in available:
            raise InputError(f"--lang: unknown language '{lang}'; {listed([*available, 'all'])}")
    return tuple(lang for lang in available if lang in wanted)


def one_language(langs: Sequence[str] | None, default: str = "en") -> str:
    """Return the language of a data set in one unnamed language: the one that the user names, else the default."""
    if langs and len(langs) > 1:
        raise InputError("--lang: this data set is in one language; name it alone")
    return langs[0] if langs else default


def stale_hashes(folder: Path, hashes: object) -> list[str]:
    """Return a line for each file whose content is not the one that `bench.json` records."""
    if not hashes:
        return []
    if not isinstance(hashes, dict):
        return [f"{folder / 'bench.json'}:1: 'hashes' must map file names to SHA-256"]
    findings = []
    for name, recorded in sorted(hashes.items()):
        path = folder / name
        # The sources need not ship.
        if not path.is_file() and name.startswith("sources/"):
            continue
        if not path.is_file() or file_hash(path) != recorded:
            findings.append(
                f"{path}:1: differs from the hash in bench.json; data/derive.py renews the hashes of your own edition"
            )
    return findings


def own_hash(folder: Path, langs: Iterable[str]) -> str:
    """Return the hash of a benchmark in our own layout: of corpora, queries and nuggets in its languages."""
    return hash_files(folder, [folder / kind / f"{lang}.jsonl" for kind in FOLDERS for lang in langs])


def data_hash(source: Path) -> str:
    """Return the hash of a data set on disk: of our own layout `own_hash`, else of all its files.

    Raises:
        InputError: if there is nothing.
    """
    head = source / "bench.json"
    if head.is_file():
        return own_hash(source, declared_languages(read_json(head), head))
    if not source.exists():
        raise InputError(f"{source}: no such file or folder")
    files = [path for path in source.rglob("*") if path.is_file()] if source.is_dir() else [source]
    return hash_files(source if source.is_dir() else source.parent, files)


def hash_files(folder: Path, files: Iterable[Path]) -> str:
    """Return one SHA-256 over the names and contents of files that exist below `folder`."""
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode("utf-8") + b"\0")
            digest.update(bytes.fromhex(file_hash(path)))
    return digest.hexdigest()


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file's content, read piece by piece."""
    refuse_special(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def builders(head: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the models that wrote a benchmark's questions and judged its documents; none if it was not built."""
    models = head.get("built_with")
    named = models if isinstance(models, dict) else {}
    return tuple(sorted({str(name) for role in _ROLES for name in named.get(role) or ()}))


def rules_notes(built_by: Sequence[str]) -> tuple[str, ...]:
    """Return what a user should know of a benchmark that rules have built."""
    if SCRIPTED not in built_by:
        return ()
    return ("warning[scripted]: the benchmark was built by rules instead of a model: it is well-formed, not valid",)
