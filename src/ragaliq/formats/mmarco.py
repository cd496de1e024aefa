"""mMARCO: machine-translated MS MARCO passages and queries, with the judgements of MS MARCO for every language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from ragaliq.errors import InputError, listed, nearest
from ragaliq.formats.catalogue import catalogue
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.reading.fields import check_doc_id
from ragaliq.formats.reading.joining import join_judgements
from ragaliq.formats.reading.streams import read_lines
from ragaliq.formats.trec.qrels import read_qrels, write_qrels
from ragaliq.formats.trec.topics import one_line, read_topics, write_topics
from ragaliq.storage.files import write_lines
from ragaliq.types import Chunk

# The repository keeps two versions of the translation; the second replaced the first.
_ROOTS = ("", "data/v2", "data/google", "data/v1", "v2", "v1")
_TRANSLATED = "unicamp-dl/mmarco on Hugging Face, under data/v2"
_JUDGED = "MS MARCO's own passage-ranking files, which serve every language"
# The small dev set (6,980 of 101,093 queries) is what the literature reports.
_QRELS = {"dev": ("qrels.dev.small.tsv", "qrels.dev.tsv"), "train": ("qrels.train.tsv",)}


def is_mmarco(path: Path) -> bool:
    """Return whether a folder holds passages in this layout."""
    return path.is_dir() and bool(mmarco_languages(path))


def mmarco_languages(path: Path) -> tuple[str, ...]:
    """Return the codes of the languages that a folder has passages in, sorted."""
    return tuple(
        code for code, name in sorted(_languages().items()) if _find(path, f"collections/{name}_collection.tsv")
    )


def read_mmarco(path: Path, lang: str = "en", split: str = "dev", query_lang: str = "") -> Collection:
    """Read passages and judged queries; passages stay on disk and are read line by line.

    Args:
        path: the folder above `collections/` and `queries/`, or the repository's own root.
        lang: the passages' language, by code or by name (`de`, `german`).
        split: `dev` takes the small dev set where its judgements are there, and else the whole; or `train`.
        query_lang: the queries' language; the passages' own unless said.

    Raises:
        InputError: if a language is unknown, the split hidden, or a file missing or malformed (with its line).
    """
    corpus_lang, queries_lang = language(lang), language(query_lang or lang)
    if split not in _QRELS:
        raise InputError(f"{path}: no split '{split}': dev and train have public judgements, eval has none; take dev")
    name, corpus_name = _languages()[queries_lang], _languages()[corpus_lang]
    corpus = _file(path, [f"collections/{corpus_name}_collection.tsv"], _TRANSLATED)
    queries = _file(path, [f"queries/{split}/{name}_queries.{split}{end}.tsv" for end in ("", ".small")], _TRANSLATED)
    qrels = _file(path, [folder + file for file in _QRELS[split] for folder in ("", "qrels/")], _JUDGED)
    items, judged = join_judgements(read_topics(queries), read_qrels(qrels), queries_lang, qrels)
    return Collection("mmarco", corpus_lang, split, partial(_passages, corpus, corpus_lang), items, judged)


def write_mmarco(collection: Collection, folder: Path) -> None:
    """Write a collection in this layout; judgements come last, so files that have them are whole.

    A line holds a passage: its title, which mMARCO lacks, goes in front of its text with a space, and tabs and line
    ends become spaces. Nuggets, references and gold groups are left out. Without a split the files are `dev`.

    Raises:
        InputError: if mMARCO does not have the language or the split, an id cannot stand in the format, or a file
            cannot be written.
    """
    split = collection.split or "dev"
    if split not in _QRELS:
        raise InputError(f"{folder}: mMARCO has no split '{split}'; {listed(_QRELS)}")
    query_lang = collection.queries[0].lang if collection.queries else collection.lang
    name, query_name = (_languages()[language(lang)] for lang in (collection.lang, query_lang))
    write_lines(folder / "collections" / f"{name}_collection.tsv", map(_passage_line, collection.chunks()))
    write_topics(
        folder / "queries" / split / f"{query_name}_queries.{split}.tsv",
        {query.query_id: query.text for query in collection.queries},
    )
    write_qrels(folder / _QRELS[split][0], collection.qrels)


def language(name: str) -> str:
    """Return the code of a language of mMARCO that is given by code or by name."""
    word, names = name.lower(), _languages()
    code = next((code for code, known in names.items() if word in (code, known)), "")
    if not code:
        raise InputError(f"mMARCO has no language '{name}'; {nearest(name, [*names, *names.values()])}")
    return code


def language_pair(lang: str) -> tuple[str, str]:
    """Return the codes of the documents' and the queries' languages that `--lang` names: `de`, or `en-de` for both.

    A pair is written queries first.
    """
    query_lang, hyphen, doc_lang = lang.partition("-")
    return (language(doc_lang), language(query_lang)) if hyphen else (language(lang), language(lang))


def _languages() -> dict[str, str]:
    """Return language code → how the files are called."""
    return {dataset.lang: dataset.config for dataset in catalogue("mmarco")}


def _passages(path: Path, lang: str) -> Iterator[Chunk]:
    for number, line in read_lines(path):
        doc_id, tab, text = line.partition("\t")
        if tab and doc_id:
            yield document(doc_id, lang, text)
        elif line.strip():
            raise InputError(f"{path}:{number}: `id<tab>text` is expected")


def _passage_line(chunk: Chunk) -> bytes:
    check_doc_id(chunk.doc_id, "mMARCO")
    if one_line(chunk.doc_id) != chunk.doc_id:
        raise InputError(f"doc id {chunk.doc_id!r} holds a tab or a line end, which mMARCO cannot; rename it")
    return f"{chunk.doc_id}\t{one_line(f'{chunk.title} {chunk.text}' if chunk.title else chunk.text)}".encode()


def _find(path: Path, name: str) -> Path | None:
    places = (path / root / (name + tail) for root in _ROOTS for tail in ("", ".gz"))
    return next((place for place in places if place.is_file()), None)


def _file(path: Path, names: Sequence[str], origin: str) -> Path:
    for name in names:
        if place := _find(path, name):
            return place
    raise InputError(f"{path}: no {names[0]} here; it is in {origin}")
