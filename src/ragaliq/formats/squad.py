"""Reading comprehension sets in SQuAD's JSON (SQuAD, XQuAD, MLQA): find the paragraph of each question."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.reading.fields import row_id, row_objects, row_text
from ragaliq.formats.squad_files import SquadFile, choose_file, file_name
from ragaliq.storage.files import Row, read_json, write_json
from ragaliq.types import Chunk, Item, Qrels, Query


def read_squad(path: Path, lang: str = "", split: str = "") -> Collection:
    """Read one file; its paragraphs are the documents, and each question has its own paragraph as the relevant one.

    A document's id is the paragraph's `id`, which our own files have, or else its number in the file, from 1: the same
    in all languages of XQuAD, whose files are parallel. A paragraph that occurs twice is one document, under its
    first number. Titles of articles are not read (XQuAD's are English in every language). The reference is the first
    answer. A question without an answer in its paragraph (`is_impossible`) is judged nowhere and has gold `()`.

    Args:
        path: a file, or a folder of `xquad.LANG.json` or of MLQA's files (of which the ones in one language are meant).
        lang: the language; needed for a folder, and where the file's name does not tell it.
        split: which of a folder's files, where it has several for a language.

    Raises:
        InputError: if the file is not in this form, the language unknown, or a question id stands for two questions.
    """
    named = choose_file(path, lang, split)
    qrels: dict[str, dict[str, int]] = {}
    texts: dict[str, str] = {}
    references: dict[str, str] = {}
    for where, doc_id, question in _questions(named.path):
        query_id, text = row_id(question, "id", where), row_text(question, "question", where)
        if texts.setdefault(query_id, text) != text:
            raise InputError(f"{where}: question id '{query_id}' is another question's already; give each its own")
        for answer in row_objects(question, "answers", where):
            references.setdefault(query_id, row_text(answer, "text", where))
        if not _is_impossible(question, where):
            qrels.setdefault(query_id, {})[doc_id] = 1
    if not texts:
        raise InputError(f"{named.path}: no questions; a file with paragraphs and their questions is expected")
    items = []
    for query_id, text in texts.items():
        # Any paragraph of a question will do.
        gold = (tuple(sorted(qrels[query_id])),) if query_id in qrels else ()
        query = Query(query_id, named.query_lang, text)
        items.append(Item(query, references.get(query_id, ""), answerable=bool(gold), gold=gold))
    without = len(texts) - len(qrels)
    note = f"{named.path}: {without} questions have no answer in their paragraph and are left out of the judgements"
    notes = (note,) if without else ()
    return Collection(named.name, named.lang, named.split, partial(_documents, named), tuple(items), qrels, notes=notes)


def article_titles(path: Path, lang: str = "", split: str = "") -> int:
    """Return how many articles of a file have a title and a paragraph that does not carry one: they are not read."""
    data = read_json(choose_file(path, lang, split).path)
    return sum(
        bool(article.get("title")) and any(not paragraph.get("title") for paragraph in article.get("paragraphs") or ())
        for article in data.get("data", [])
    )


def write_squad(collection: Collection, folder: Path) -> Path:
    """Write a collection as one file of this form and return its path, `NAME.LANG[.SPLIT].json`.

    A query stands under each relevant paragraph, so that queries come in the order of paragraphs; without one it is
    `is_impossible` under the first. Paragraphs carry `id` and `title`, which other readers pass over. The whole file is
    in memory while it is written.

    Raises:
        InputError: if there is a judgement other than 1, for which the form has no place, there is no document, or the
            file cannot be written.
    """
    path = folder / file_name(collection)
    asked: dict[str, list[Item]] = {}
    qrels = collection.qrels
    chunks = list(collection.chunks())
    if not chunks:
        raise InputError(f"{path}: the corpus is empty; questions stand under paragraphs")
    for item in collection.items:
        judged = qrels.get(item.query.query_id, {})
        if any(relevance != 1 for relevance in judged.values()):
            raise InputError(f"{path}: query '{item.query.query_id}' has judgements other than 1; write another format")
        for doc_id in judged or [chunks[0].doc_id]:
            asked.setdefault(doc_id, []).append(item)
    missing = asked.keys() - {chunk.doc_id for chunk in chunks}
    if missing:
        raise InputError(f"{path}: judged document '{min(missing)}' is not in the corpus; it cannot hold its question")
    articles = [
        {
            "title": title,
            "paragraphs": [_paragraph(chunk, asked.get(chunk.doc_id, []), qrels) for chunk in group],
        }
        for title, group in groupby(chunks, key=lambda chunk: chunk.title)
    ]
    write_json(path, {"version": "1.1", "data": articles})
    return path


def _documents(named: SquadFile) -> Iterator[Chunk]:
    seen: set[str] = set()
    for where, doc_id, paragraph in _paragraphs(named.path):
        if doc_id not in seen:
            seen.add(doc_id)
            title = row_text(paragraph, "title", where)
            yield document(doc_id, named.lang, row_text(paragraph, "context", where), title)


def _questions(path: Path) -> Iterator[tuple[str, str, Row]]:
    """Yield place, id of the paragraph and object of each question."""
    for where, doc_id, paragraph in _paragraphs(path):
        for number, question in enumerate(row_objects(paragraph, "qas", where), start=1):
            yield f"{where}, question {number}", doc_id, question


def _is_impossible(question: Row, where: str) -> bool:
    value = question.get("is_impossible", False)
    if not isinstance(value, bool):
        # A text "false" would be true.
        raise InputError(f"{where}: 'is_impossible' must be true or false, not {value!r}; fix it")
    return value


def _paragraphs(path: Path) -> Iterator[tuple[str, str, Row]]:
    """Yield place, doc id and object of each paragraph; one whose text stood before has the id from there."""
    data = read_json(path)
    if not isinstance(data, dict):
        raise InputError(f"{path}: a JSON object with 'data' is expected")
    by_text: dict[str, str] = {}
    texts: dict[str, str] = {}
    number = 0
    for a, article in enumerate(row_objects(data, "data", str(path)), start=1):
        for p, paragraph in enumerate(row_objects(article, "paragraphs", f"{path}: article {a}"), start=1):
            where = f"{path}: article {a}, paragraph {p}"
            number += 1
            if "context" not in paragraph:
                raise InputError(f"{where}: no 'context'; a paragraph has context and qas")
            text = row_text(paragraph, "context", where)
            own = row_id(paragraph, "id", where) if "id" in paragraph else by_text.setdefault(text, str(number))
            if texts.setdefault(own, text) != text:
                raise InputError(f"{where}: paragraph id '{own}' stands for another paragraph already; rename it")
            yield where, own, paragraph


def _paragraph(chunk: Chunk, items: list[Item], qrels: Qrels) -> Row:
    questions = []
    for item in items:
        query, answer = item.query, item.reference
        row: Row = {"id": query.query_id, "question": query.text, "answers": []}
        if answer:
            row["answers"].append({"text": answer, "answer_start": chunk.text.find(answer)})
        if query.query_id not in qrels:
            row["is_impossible"] = True
        questions.append(row)
    return {"id": chunk.doc_id, "title": chunk.title, "context": chunk.text, "qas": questions}
