"""Any data set, told by its content, as collections per language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragaliq.benchmark.document_checks import check_queries
from ragaliq.benchmark.layout import choose_languages, one_language
from ragaliq.benchmark.named_sources import read_beir_source, read_hub_source
from ragaliq.benchmark.own_reader import read_own, read_upstream
from ragaliq.benchmark.trec_folder import is_trec, read_trec
from ragaliq.errors import ConfigError, InputError, listed, nearest
from ragaliq.formats import beir, cranfield, freshstack, miracl, mmarco, squad, squad_files, upstream
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.reading.truncation import truncate
from ragaliq.storage.files import check_name

_NAMED: Mapping[str, Callable[[str, Sequence[str] | None, str], dict[str, Collection]]] = {
    "hub": read_hub_source,
    "beir": read_beir_source,
}
# Characters of a path that an error repeats.
_LONG = 200
# Stricter than a code may be, so that a data set's name is not taken for a language.
_LANGUAGE_FOLDER = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


Languages = Sequence[str] | None


@dataclass(frozen=True, slots=True)
class _Format:
    """How a format is recognised and how languages and split are read; an empty split is the format's choice."""

    holds: Callable[[Path], bool]
    read: Callable[[Path, Languages, str], dict[str, Collection]]
    splits: bool = True


def load_collections(
    source: Path | str,
    *,
    fmt: str = "",
    langs: Sequence[str] | None = None,
    split: str = "",
    max_docs: int | None = None,
) -> dict[str, Collection]:
    """Return the collections of a data set by language; the corpora stay on disk.

    Notes of the collections say what was left out and what does not meet (`check_queries`); what only a pass over the
    corpus can tell is left to `scan_documents`.

    Args:
        source: a folder, a file (`.zip` of BEIR, `.json` of SQuAD), `hub:NAME` for a data set of the hub, or
            `beir:NAME` for a public set of BEIR, fetched on first use.
        fmt: the format, one of `FORMATS`; empty tells it from the content.
        langs: languages to load (of mMARCO pairs, too: `en-de`, queries first); None loads all. A layout that does not
            tell its language takes the one named here, `en` without.
        split: part of the queries, such as `dev`; empty takes the part with public judgements that is reported.
        max_docs: take a part of the corpus that keeps every judged document, and mark it as truncated.

    Raises:
        ConfigError: if the format is unknown.
        InputError: if the source is missing, of no known format, malformed, or lacks the language or the split.
    """
    if source == "":
        raise InputError("the data set has an empty name; give a folder, a file, hub:NAME or beir:NAME")
    check_name(str(source))
    kind, colon, name = str(source).partition(":")
    try:
        if colon and kind in _NAMED:
            if fmt:
                raise ConfigError(f"--from {fmt}: '{source}' says itself what it is; leave it out")
            collections = _NAMED[kind](name, langs, split)
        else:
            collections = _from_disk(Path(source), fmt, langs, split)
    except OSError as error:
        raise unreadable(source, error) from None
    if max_docs is not None:
        collections = {lang: truncate(collection, max_docs) for lang, collection in collections.items()}
    return {
        lang: replace(collection, notes=(*collection.notes, *check_queries(collection)))
        for lang, collection in collections.items()
    }


def detect_format(source: Path) -> str:
    """Return the name of the format that a folder or file is in, empty if none is known."""
    try:
        if not source.exists():
            return ""
        return next((name for name, known in _FORMATS.items() if known.holds(source)), "")
    except OSError as error:
        raise unreadable(source, error) from None


def unreadable(source: Path | str, error: OSError) -> InputError:
    """Return the one line on a place that the system does not let us read."""
    place = str(error.filename or source)
    short = place if len(place) <= _LONG else f"{place[:_LONG]}…"
    return InputError(f"{short}: cannot be read ({error.strerror or error}); check the path")


def _from_disk(source: Path, fmt: str, langs: Languages, split: str) -> dict[str, Collection]:
    if fmt and fmt not in _FORMATS:
        raise ConfigError(f"unknown format '{fmt}'; {nearest(fmt, FORMATS)}")
    # A folder inside an archive, as in cqadupstack.zip/android, is no file.
    inside = any(parent.suffix == ".zip" and parent.is_file() for parent in source.parents)
    if not inside and not source.exists():
        raise InputError(f"{source}: no such folder or file; check the path")
    fmt = fmt or ("beir" if inside else detect_format(source))
    if not fmt:
        raise InputError(f"{source}: no data set of a known format here; name it (--format, --from); {listed(FORMATS)}")
    known = _FORMATS[fmt]
    if split and not known.splits:
        raise InputError(f"--split: '{fmt}' has no splits; leave it out")
    return known.read(source, langs, split)


def _folders(source: Path, holds: Callable[[Path], bool]) -> dict[str, Path]:
    """Return the folders of a data set that has one for each language."""
    if not source.is_dir():
        return {}
    folders = sorted(path for path in source.iterdir() if path.is_dir() and _LANGUAGE_FOLDER.fullmatch(path.name))
    return {path.name: path for path in folders if holds(path)}


def _monolingual(
    holds: Callable[[Path], bool],
    read: Callable[[Path, str, str], Collection],
    splits: Callable[[Path], Sequence[str]] | None = None,
) -> _Format:
    """Return a format that does not tell its language; folders named by language codes make it parallel."""

    def read_all(source: Path, langs: Languages, split: str) -> dict[str, Collection]:
        folders = {} if holds(source) else _folders(source, holds)
        if not folders:
            lang = one_language(langs)
            return {lang: read_one(source, split, lang)}
        # Its folder is the language; the data set is what holds them all.
        name = source.resolve().name
        chosen = choose_languages(langs, tuple(folders))
        return {lang: replace(read_one(folders[lang], split, lang), name=name) for lang in chosen}

    def read_one(path: Path, split: str, lang: str) -> Collection:
        return read(path, split or (_reported(splits(path)) if splits else ""), lang)

    return _Format(lambda path: holds(path) or bool(_folders(path, holds)), read_all, splits is not None)


def _reported(splits: Sequence[str]) -> str:
    """Return the split that results are reported on: `test`, else `dev`, else the first; `test` where there is none."""
    return next((split for split in ("test", "dev", *splits) if split in splits), "test")


def _multilingual(
    holds: Callable[[Path], bool],
    languages: Callable[[Path, str], Iterable[str]],
    read: Callable[[Path, str, str], Collection],
    default: str = "",
) -> _Format:
    """Return a format whose files tell their languages; where they do not, they are in the one named."""

    def read_all(source: Path, langs: Languages, split: str) -> dict[str, Collection]:
        available = tuple(languages(source, split))
        chosen = choose_languages(langs, available) if available else (one_language(langs),)
        return {lang: read(source, lang, split or default) for lang in chosen}

    return _Format(holds, read_all)


def _read_mmarco(source: Path, langs: Languages, split: str) -> dict[str, Collection]:
    """Read languages of mMARCO, or pairs such as `en-de`: English queries, German documents."""
    available = mmarco.mmarco_languages(source)
    pairs = [lang for lang in langs or () if "-" in lang]
    single = [lang for lang in langs or () if "-" not in lang]
    chosen = [*choose_languages(single if langs is not None else None, available), *dict.fromkeys(pairs)]
    collections = {}
    for lang in chosen:
        doc_lang, query_lang = mmarco.language_pair(lang)
        if doc_lang not in available:
            raise InputError(f"--lang {lang}: {source} has no documents in '{doc_lang}'; {listed(available)}")
        collections[lang] = mmarco.read_mmarco(source, doc_lang, split or "dev", query_lang)
    return collections


def _read_upstream(path: Path, langs: Languages, split: str) -> dict[str, Collection]:
    note = f"{path}: this layout has no judgements; retrieval over it can be run, not measured"
    collections = read_upstream(path, langs)
    return {lang: replace(own, notes=(note, *own.notes)) for lang, own in collections.items()}


# In the order in which a folder is tried: the most particular first.
_FORMATS: Mapping[str, _Format] = {
    "ragaliq": _Format(
        lambda path: (path / "bench.json").is_file(), lambda path, langs, split: read_own(path, langs), splits=False
    ),
    "upstream": _Format(upstream.is_upstream, _read_upstream, splits=False),
    "cranfield": _monolingual(cranfield.is_cranfield, lambda path, split, lang: cranfield.read_cranfield(path, lang)),
    "freshstack": _monolingual(
        freshstack.is_freshstack, lambda path, split, lang: freshstack.read_freshstack(path, lang)
    ),
    "beir": _monolingual(beir.is_beir, beir.read_beir, beir.beir_splits),
    "miracl": _multilingual(
        miracl.is_miracl, lambda path, split: miracl.miracl_languages(path), miracl.read_miracl, "dev"
    ),
    "mmarco": _Format(mmarco.is_mmarco, _read_mmarco),
    "squad": _multilingual(squad_files.is_squad, squad_files.language_files, squad.read_squad),
    "trec": _Format(is_trec, read_trec),
}
FORMATS = tuple(_FORMATS)
