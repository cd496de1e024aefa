"""What the names of files in SQuAD's form tell: data set, languages, split."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from ragaliq.errors import InputError, listed, nearest
from ragaliq.formats.reading.collection import Collection
from ragaliq.storage.files import open_file

# Bytes in which the form shows itself.
_HEAD = 2**16
_SQUAD = re.compile(r"(train|dev)-v(?:1\.1|2\.0)")
_MLQA = re.compile(r"(dev|test)-context-([a-z]{2,3})-question-([a-z]{2,3})")
# `xquad.de.json`, and our own `NAME.LANG.SPLIT.json`.
_OTHER = re.compile(r"([\w-]+)\.((?!dev\b)[a-z]{2,3}(?:-\w+)?)(?:\.(\w+))?")


@dataclass(frozen=True, slots=True)
class SquadFile:
    """A file, and what its name tells; `lang` is empty where it tells nothing."""

    path: Path
    name: str
    split: str
    lang: str
    query_lang: str


def is_squad(path: Path) -> bool:
    """Return whether `path` is a file in SQuAD's form, or a folder with one whose name tells its language."""
    if path.is_dir():
        return bool(language_files(path))
    return path.suffix == ".json" and path.is_file() and _looks_so(path)


def language_files(path: Path, split: str = "") -> dict[str, Path]:
    """Return the file of each language that a name tells; of several splits the last by name.

    Args:
        path: a file; or a folder, of which only files with questions and paragraphs in one language are meant.
        split: for a folder, only files whose names tell this split; empty takes any.
    """
    if not path.is_dir():
        lang = _named(path).lang
        return {lang: path} if lang else {}
    files: dict[str, Path] = {}
    for candidate in sorted(path.glob("*.json")):
        named = _named(candidate)
        fits = named.lang and named.lang == named.query_lang and split in ("", named.split)
        if fits and candidate.is_file() and _looks_so(candidate):
            files[named.lang] = candidate
    return files


def choose_file(path: Path, lang: str, split: str) -> SquadFile:
    """Return the file to read, with all that is known of it.

    Raises:
        InputError: if a folder has no file in this language, nothing tells a file's language, or its name tells
            another language or split.
    """
    if path.is_dir():
        files = language_files(path, split)
        if lang not in files:
            hint = nearest(lang, files) if lang and files else listed(files) if files else "no file's name tells one"
            raise InputError(f"{path}: no questions in '{lang}'{f' of split {split!r}' if split else ''}; {hint}")
        path = files[lang]
    named = _named(path)
    if not named.lang:
        if not lang:
            raise InputError(f"{path}: its name does not tell its language; say which it is")
        return replace(named, lang=lang, query_lang=lang, split=split)
    if lang and lang != named.lang:
        raise InputError(f"{path}: its name says '{named.lang}', not '{lang}'; take the other language's file")
    if split and split != named.split:
        told = f"split '{named.split}'" if named.split else "no split"
        raise InputError(f"{path}: its name says {told}, not '{split}'; take the other split's file")
    return named


def file_name(collection: Collection) -> str:
    """Return the name that tells a collection's name, languages and split."""
    query_lang = collection.queries[0].lang if collection.queries else collection.lang
    if query_lang != collection.lang:
        return f"{collection.split or 'test'}-context-{collection.lang}-question-{query_lang}.json"
    name = re.sub(r"[^\w-]", "_", collection.name) or "squad"
    return ".".join(part for part in (name, collection.lang, collection.split, "json") if part)


def _named(path: Path) -> SquadFile:
    stem = path.name.removesuffix(".json")
    if match := _MLQA.fullmatch(stem):
        return SquadFile(path, "mlqa", match[1], match[2], match[3])
    if match := _SQUAD.fullmatch(stem):
        return SquadFile(path, "squad", match[1], "en", "en")
    if match := _OTHER.fullmatch(stem):
        return SquadFile(path, match[1], match[3] or "", match[2], match[2])
    return SquadFile(path, stem, "", "", "")


def _looks_so(path: Path) -> bool:
    try:
        with open_file(path) as file:
            head = file.read(_HEAD)
    except (InputError, OSError):
        return False
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b'"data"' in head and b'"paragraphs"' in head
