"""Where MIRACL's files lie: as its repositories hold them, or side by side in one folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ragaliq.errors import InputError, nearest
from ragaliq.formats.reading.streams import read_rows

_NAME = re.compile(r"(?:topics\.)?miracl-v1\.0-([a-z]{2,3})-([A-Za-z-]+)\.(?:tsv|jsonl)(?:\.gz)?")
_SHARD = re.compile(r"docs-([0-9]+)\.jsonl(?:\.gz)?")
_ROWS = re.compile(r"(train|dev)\.jsonl(?:\.gz)?")


# Topics and qrels of one language and split; or None and one file of rows that hold queries and judged passages.
JudgedFiles = tuple[Path | None, Path]


def judged_files(folder: Path) -> dict[tuple[str, str], JudgedFiles]:
    """Return the files of queries by language and split; where topics have no qrels, their path is where to look."""
    files: dict[tuple[str, str], JudgedFiles] = {}
    for path in _candidates(folder):
        match = _NAME.fullmatch(path.name)
        if match and path.name.startswith("topics."):
            files[match[1], match[2]] = (path, _qrels_beside(path))
        elif match:
            files.setdefault((match[1], match[2]), (None, path))
        elif (match := _ROWS.fullmatch(path.name)) and _has_passages(path):
            files.setdefault((path.parent.name, match[1]), (None, path))
    return files


def shards(folder: Path, lang: str) -> list[Path]:
    """Return the corpus files of one language in the order of their numbers; empty if there are none."""
    name = f"miracl-corpus-v1.0-{lang}"
    for place in (folder / name, folder / "miracl-corpus" / name, folder / "corpus" / name, folder.parent / name):
        numbered = {path: match for path in place.glob("docs-*") if (match := _SHARD.fullmatch(path.name))}
        if numbered:
            return sorted(numbered, key=lambda path: int(numbered[path][1]))
    return []


def choose_files(folder: Path, lang: str, split: str) -> JudgedFiles:
    """Return the files of one language and split."""
    files = judged_files(folder)
    if (lang, split) in files:
        return files[lang, split]
    langs = {known for known, _ in files}
    if not langs:
        raise InputError(f"{folder}: no MIRACL files here, such as topics/topics.miracl-v1.0-{lang}-{split}.tsv")
    if lang not in langs:
        raise InputError(f"{folder}: no queries in '{lang}'; {nearest(lang, langs)}")
    raise InputError(f"{folder}: no split '{split}' in '{lang}'; {nearest(split, {s for k, s in files if k == lang})}")


def _candidates(folder: Path) -> Iterator[Path]:
    for pattern in ("", "topics/", "*/", "*/topics/", "miracl/*/topics/"):
        for tail in ("topics.miracl-v1.0-*.tsv*", "miracl-v1.0-*.jsonl*", "train.jsonl*", "dev.jsonl*"):
            yield from sorted(folder.glob(pattern + tail))


def _qrels_beside(topics: Path) -> Path:
    name = topics.name.replace("topics.", "qrels.", 1)
    names = (name, name + ".gz", name.removesuffix(".gz"))
    paths = [folder / n for folder in (topics.parent, topics.parent.parent / "qrels") for n in names]
    return next((path for path in paths if path.is_file()), paths[0])


def _has_passages(path: Path) -> bool:
    try:
        return any("positive_passages" in row for _, row in [next(read_rows(path), ("", {}))])
    except InputError:
        return False
