"""BEIR data sets: `corpus.jsonl`, `queries.jsonl` and `qrels/SPLIT.tsv`, in a folder or a zip archive."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ragaliq.errors import InputError, listed, nearest
from ragaliq.formats.reading.archives import Shelf, open_shelf
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.reading.fields import row_id, row_text
from ragaliq.formats.reading.joining import join_judgements
from ragaliq.formats.reading.streams import Stored, read_rows
from ragaliq.formats.trec.qrels import read_qrels, write_beir_qrels
from ragaliq.storage.files import Row, write_jsonl
from ragaliq.types import Chunk

CORPUS = "corpus.jsonl"
QUERIES = "queries.jsonl"


def is_beir(path: Path) -> bool:
    """Tell whether `path` is a folder or a zip archive in this layout, or an archive of several."""
    try:
        shelf = open_shelf(path)
    except InputError:
        return False
    if shelf.members is not None:
        return shelf.find(CORPUS) is not None or bool(shelf.folders_with(CORPUS))
    return shelf.find(CORPUS) is not None and shelf.find(QUERIES) is not None


def beir_splits(path: Path) -> tuple[str, ...]:
    """Return the splits that have judgements, sorted.

    Raises:
        InputError: as `read_beir`.
    """
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
    judged = join_judgements(_queries(_file(shelf, QUERIES)), read_qrels(judgements), lang, judgements)
    return Collection(
        name=_name(path),
        lang=lang,
        split=split,
        chunks=partial(_chunks, _file(shelf, CORPUS), lang),
        items=judged.items,
        qrels=judged.qrels,
    )


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


def _chunks(source: Stored, lang: str) -> Iterator[Chunk]:
    for where, row in read_rows(source):
        yield document(row_id(row, "_id", where), lang, _text(row, where), row_text(row, "title", where))


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
    found = shelf.find(name)
    if found is None:
        raise InputError(f"{shelf}: no {name} here; a BEIR data set has {CORPUS}, {QUERIES} and qrels/SPLIT.tsv")
    return found


def _splits(shelf: Shelf) -> list[str]:
    names = {name.removesuffix(".gz") for name in shelf.names("qrels")}
    return sorted(name.removesuffix(".tsv") for name in names if name.endswith(".tsv"))


def _qrels_file(shelf: Shelf, split: str) -> Stored:
    found = shelf.find(f"qrels/{split}.tsv")
    if found is None:
        splits = _splits(shelf)
        hint = nearest(split, splits) if splits else "there is no qrels/SPLIT.tsv at all"
        raise InputError(f"{shelf}: no split '{split}'; {hint}")
    return found


def _queries(source: Stored) -> dict[str, str]:
    texts: dict[str, str] = {}
    for where, row in read_rows(source):
        query_id = row_id(row, "_id", where)
        if query_id in texts:
            raise InputError(f"{where}: query '{query_id}' stands twice; remove one")
        texts[query_id] = _text(row, where)
    return texts


def _text(row: Row, where: str) -> str:
    if "text" not in row:
        raise InputError(f"{where}: no 'text'; a row of a BEIR data set has _id and text")
    return row_text(row, "text", where)


def _name(path: Path) -> str:
    name = path.resolve().name
    return name[:-4] if name.lower().endswith(".zip") else name
