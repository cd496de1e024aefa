"""BEIR data sets: `corpus.jsonl`, `queries.jsonl` and `qrels/SPLIT.tsv`, in a folder or a zip archive."""

from __future__ import annotations

from pathlib import Path

from ragaliq.errors import InputError, listed, nearest
from ragaliq.formats.reading.archives import Shelf, open_shelf
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.reading.joining import join_judgements
from ragaliq.formats.reading.rows import read_documents, read_texts
from ragaliq.formats.reading.streams import Stored, read_rows
from ragaliq.formats.trec.qrels import read_qrels, write_beir_qrels
from ragaliq.storage.files import write_jsonl

CORPUS = "corpus.jsonl"
QUERIES = "queries.jsonl"


def is_beir(path: Path) -> bool:
    """Return whether `path` is a folder or a zip archive in this layout, or an archive of several."""
    try:
        shelf = open_shelf(path)
    except InputError:
        return False
    if shelf.members is not None:
        return shelf.find(CORPUS) is not None or bool(shelf.folders_with(CORPUS))
    return shelf.find(CORPUS) is not None and shelf.find(QUERIES) is not None


def beir_splits(path: Path) -> tuple[str, ...]:
    """Return the splits that have judgements, sorted."""
    return tuple(_splits(_data_set(path)))


def read_beir(path: Path, split: str = "test", lang: str = "en") -> Collection:
    """Read a BEIR data set; the corpus stays where it is and is read row by row.

    The queries are those with judgements in this split; judged queries without a text count 0. Title and text stay
    apart; `metadata` is passed over. An archive is read where it lies: nothing of it is unpacked.

    Args:
        path: the folder, the archive, or a folder inside an archive (`cqadupstack.zip/android`).
        split: `test`, or another with a file in `qrels/`.
        lang: the language, which the layout does not tell.

    Raises:
        InputError: if a file is missing or malformed (with its line), the split is unknown, or no judged query has a
            text.
    """
    shelf = _data_set(path)
    judgements = _qrels_file(shelf, split)
    texts = read_texts(read_rows(_file(shelf, QUERIES)))
    items, qrels = join_judgements(texts, read_qrels(judgements), lang, judgements)
    corpus = _file(shelf, CORPUS)
    return Collection(_name(path), lang, split, lambda: read_documents(read_rows(corpus), lang), items, qrels)


def write_beir(collection: Collection, folder: Path) -> None:
    """Write a collection in this layout; judgements come last, so a folder that has them is whole.

    What the layout has no place for is left out: nuggets, references, gold groups, languages. Without a split the
    judgements are `test`.

    Raises:
        InputError: if an id holds a tab or a line end, or a file cannot be written.
    """
    write_jsonl(folder / CORPUS, ({"_id": c.doc_id, "title": c.title, "text": c.text} for c in collection.chunks()))
    write_jsonl(folder / QUERIES, ({"_id": query.query_id, "text": query.text} for query in collection.queries))
    write_beir_qrels(folder / "qrels" / f"{collection.split or 'test'}.tsv", collection.qrels)


def _data_set(path: Path) -> Shelf:
    shelf = open_shelf(path)
    if shelf.find(CORPUS):
        return shelf
    folders = shelf.folders_with(CORPUS)
    if len(folders) == 1:
        return shelf.below(folders[0])
    if folders:
        raise InputError(f"{path}: holds {len(folders)} data sets; name one, as {path}/{folders[0]}; {listed(folders)}")
    raise InputError(f"{path}: no {CORPUS} here; a BEIR data set has {CORPUS}, {QUERIES} and qrels/SPLIT.tsv")


def _file(shelf: Shelf, name: str) -> Stored:
    file = shelf.find(name)
    if file is None:
        raise InputError(f"{shelf}: no {name} here; a BEIR data set has {CORPUS}, {QUERIES} and qrels/SPLIT.tsv")
    return file


def _splits(shelf: Shelf) -> list[str]:
    names = {name.removesuffix(".gz") for name in shelf.names("qrels")}
    return sorted(name.removesuffix(".tsv") for name in names if name.endswith(".tsv"))


def _qrels_file(shelf: Shelf, split: str) -> Stored:
    file = shelf.find(f"qrels/{split}.tsv")
    if file is None:
        splits = _splits(shelf)
        hint = nearest(split, splits) if splits else "there is no qrels/SPLIT.tsv at all"
        raise InputError(f"{shelf}: no split '{split}'; {hint}")
    return file


def _name(path: Path) -> str:
    name = path.resolve().name
    return name[:-4] if name.lower().endswith(".zip") else name
