"""mMARCO: one set of judgements for fourteen languages, across languages, and parts of the corpus."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.mmarco import is_mmarco, language, mmarco_languages, read_mmarco, write_mmarco
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.reading.truncation import truncate
from ragaliq.types import Query
from unit.formats.sets import LINES, SMALL, collections, facts, items_for

NUMBERS = st.integers(0, 10**7).map(str)


def write(folder: Path, qrels: str = "qrels.dev.small.tsv") -> Path:
    texts = {"german": ("Hund", "Wo?"), "japanese": ("犬", "どこ？"), "hindi": ("कुत्ता", "कहाँ?")}
    for name, (doc, query) in texts.items():
        collection = folder / "collections" / f"{name}_collection.tsv"
        queries = folder / "queries" / "dev" / f"{name}_queries.dev.tsv"
        for path in (collection, queries):
            path.parent.mkdir(parents=True, exist_ok=True)
        collection.write_text("".join(f"{number}\t{doc} {number}\n" for number in range(9)))
        queries.write_text(f"1048585\t{query}\n2\tunjudged\n300\t{query} \t!\n")
    (folder / qrels).parent.mkdir(exist_ok=True)
    (folder / qrels).write_text("1048585 0 7 1\n300\t0\t3\t1\n300\t0\t7\t1\n")
    return folder


def test_e7_passages_and_queries_with_the_judgements_of_ms_marco(tmp_path: Path) -> None:
    """Requirement E7: dev, not train, unless said."""
    collection = read_mmarco(write(tmp_path), "ja")
    assert (collection.name, collection.lang, collection.split) == ("mmarco", "ja", "dev")
    assert next(collection.chunks()) == document("0", "ja", "犬 0")
    assert collection.queries == (Query("1048585", "ja", "どこ？"), Query("300", "ja", "どこ？ \t!"))
    assert collection.qrels == {"1048585": {"7": 1}, "300": {"3": 1, "7": 1}}
    assert (collection.notes, collection.truncated) == ((), False)


def test_e7_across_languages_by_code_and_by_name(tmp_path: Path) -> None:
    collection = read_mmarco(write(tmp_path), "german", query_lang="hi")
    assert (collection.lang, collection.queries[0]) == ("de", Query("1048585", "hi", "कहाँ?"))
    assert next(collection.chunks()).text == "Hund 0"
    assert facts(read_mmarco(tmp_path, "de", query_lang="Hindi")) == facts(collection)


def test_the_repository_may_be_given_whole(tmp_path: Path) -> None:
    for number, root in enumerate(["data/v2", "data/google", "v1", ""]):
        folder = tmp_path / str(number)
        folder.mkdir()
        expected = facts(read_mmarco(write(folder / "a"), "hi"))
        shutil.copytree(folder / "a", folder / "b" / root, dirs_exist_ok=True)
        if root:
            shutil.move(folder / "b" / root / "qrels.dev.small.tsv", folder / "b" / "qrels.dev.small.tsv")
        assert is_mmarco(folder / "b"), root
        assert mmarco_languages(folder / "b") == ("de", "hi", "ja"), root
        assert facts(read_mmarco(folder / "b", "hi")) == expected, root


def test_the_small_dev_set_goes_before_the_whole(tmp_path: Path) -> None:
    write(tmp_path, "qrels/qrels.dev.tsv")
    assert len(read_mmarco(tmp_path, "de").queries) == 2
    (tmp_path / "qrels.dev.small.tsv").write_text("300\t0\t3\t1\n")
    assert [query.query_id for query in read_mmarco(tmp_path, "de").queries] == ["300"]


def test_e7_a_part_keeps_what_is_judged(tmp_path: Path) -> None:
    """Requirement E7 and E16: a part of the corpus is marked, since its values are too high."""
    part = truncate(read_mmarco(write(tmp_path), "de"), 4)
    assert [chunk.doc_id for chunk in part.chunks()] == ["0", "1", "3", "7"]
    assert part.truncated
    assert part.notes[0].startswith("warning[truncated-corpus]: mmarco de: 2 documents beside the 2 judged ones")
    assert not truncate(read_mmarco(tmp_path, "de"), 9).truncated


def test_what_is_missing_or_unknown_is_named(tmp_path: Path) -> None:
    assert not is_mmarco(tmp_path)
    write(tmp_path)
    with pytest.raises(InputError, match="mMARCO has no language 'germann'; did you mean 'german'"):
        read_mmarco(tmp_path, "germann")
    with pytest.raises(InputError, match="no split 'eval': dev and train have public judgements"):
        read_mmarco(tmp_path, "de", "eval")
    with pytest.raises(InputError, match=r"no queries/train/german_queries\.train\.tsv here; it is in unicamp-dl/m"):
        read_mmarco(tmp_path, "de", "train")
    with pytest.raises(InputError, match=r"no collections/arabic_collection\.tsv here; it is in unicamp-dl/mmarco"):
        read_mmarco(tmp_path, "ar")
    (tmp_path / "qrels.dev.small.tsv").unlink()
    with pytest.raises(InputError, match=r"no qrels\.dev\.small\.tsv here; it is in MS MARCO's own"):
        read_mmarco(tmp_path, "de")


def test_a_bad_passage_is_named(tmp_path: Path) -> None:
    path = write(tmp_path) / "collections" / "german_collection.tsv"
    path.write_text("0\tgut\n\n1 schlecht\n")
    with pytest.raises(InputError) as caught:
        list(read_mmarco(tmp_path, "de").chunks())
    assert str(caught.value) == f"{path}:3: `id<tab>text` is expected"


@settings(max_examples=25, deadline=None)
@given(collections(doc_ids=NUMBERS, query_ids=NUMBERS, texts=LINES))
def test_b2_a_collection_survives_mmarco(drawn: Collection) -> None:
    chunks = [document(chunk.doc_id, "vi", chunk.text) for chunk in drawn.chunks()]
    queries = tuple(Query(query.query_id, "es", query.text) for query in drawn.queries)
    collection = Collection("mmarco", "vi", "dev", lambda: iter(chunks), items_for(queries), drawn.qrels)
    with TemporaryDirectory() as folder:
        write_mmarco(collection, Path(folder))
        assert facts(read_mmarco(Path(folder), "vi", query_lang="es")) == facts(collection)


def test_titles_and_line_ends_become_part_of_the_line(tmp_path: Path) -> None:
    write_mmarco(SMALL, tmp_path)
    lines = (tmp_path / "collections" / "hindi_collection.tsv").read_text().split("\n")
    assert lines[:2] == ["10020#0\tभाषा हिन्दी भाषा", "docs/my file 2.md\tखाली "]
    assert [chunk.doc_id for chunk in read_mmarco(tmp_path, "hi").chunks()] == ["10020#0", "docs/my file 2.md", "7"]


def test_what_the_layout_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mMARCO has no language 'yo'"):
        write_mmarco(replace(SMALL, lang="yo"), tmp_path)
    with pytest.raises(InputError, match="mMARCO has no split 'test'; known: dev, train"):
        write_mmarco(replace(SMALL, split="test"), tmp_path)
    with pytest.raises(InputError, match="holds a tab or a line end"):
        write_mmarco(replace(SMALL, chunks=lambda: iter([document("a\tb", "hi", "")])), tmp_path)


def test_e7_languages_go_by_code_and_by_name() -> None:
    assert [language(name) for name in ("zh", "Chinese", "german", "DE")] == ["zh", "zh", "de", "de"]
