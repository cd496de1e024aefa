"""The corpus as it is indexed, and queries that stand in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragaliq.config import Component
from ragaliq.errors import InputError
from ragaliq.experiment.corpus import read_corpus, self_matches
from ragaliq.experiment.settings.system import System
from ragaliq.experiment.tasks import plan_task
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.reading.truncation import truncate
from ragaliq.types import Item, Query
from unit.experiment.small import TEXTS, collection

SYSTEM = System(Component("bm25"))


def with_documents(*texts: tuple[str, str, str], lang: str = "en", name: str = "small") -> Collection:
    chunks = [document(doc_id, lang, text, title) for doc_id, title, text in texts]
    return collection(lang, name=name, chunks=lambda: iter(chunks), qrels={"q1": {"boat": 1}}, nuggets=())


def test_blank_documents_are_not_indexed_and_told() -> None:
    own = with_documents(("boat", "", "船"), ("e1", "", "  \n"), ("e2", "Title alone", ""))
    corpus = read_corpus(own)
    assert [chunk.doc_id for chunk in corpus.chunks] == ["boat", "e2"]
    (note,) = corpus.notes
    assert note.startswith("warning[empty-documents]")
    assert "1 of 3 documents" in note
    assert "e1" in note


def test_without_titles_a_document_that_is_a_title_alone_is_gone() -> None:
    corpus = read_corpus(with_documents(("boat", "Schiff", "船"), ("e2", "Title alone", "")))
    assert [(chunk.doc_id, chunk.title) for chunk in corpus.without_titles()] == [("boat", "")]


def test_the_hash_is_of_what_is_read() -> None:
    one, same, other = (("a", "", "船"), ("b", "", "狗")), (("a", "", "船"), ("b", "", "狗")), (("a", "船", ""),)
    hashes = [read_corpus(with_documents(*texts)).hash for texts in (one, same, other)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_part_of_a_corpus_is_marked_and_keeps_what_is_judged() -> None:
    texts = [(f"d{n}", "", f"text {n}") for n in range(5)] + [("boat", "", "the boat")]
    corpus = read_corpus(truncate(with_documents(*texts), 3))
    assert corpus.truncated
    assert "boat" in {chunk.doc_id for chunk in corpus.chunks}
    assert len(corpus.chunks) == 3
    assert [note.partition(":")[0] for note in corpus.notes] == ["warning[truncated-corpus]"]


def test_the_same_warning_is_not_told_twice() -> None:
    own = with_documents(("dogs", "", "狗"))
    noted = replace(own, notes=("warning[id-mismatch]: told already",))
    assert read_corpus(noted).notes == ("warning[id-mismatch]: told already",)


def test_a_corpus_that_cannot_be_indexed_is_refused() -> None:
    cases = [
        ((("b", "", "x"), ("犬", "", "x"), ("犬", "", "y")), "'犬' stands more than once"),
        ((("a", " ", ""),), "no document"),
    ]
    for texts, says in cases:
        with pytest.raises(InputError, match=says):
            read_corpus(with_documents(*texts))


def test_a_corpus_that_is_judged_as_a_whole_is_never_a_part() -> None:
    whole = with_documents(*((f"d{n}", "", f"text {n}") for n in range(5)))
    judged = replace(whole, qrels={"q1": {f"d{n}": n % 2 for n in range(5)}})
    assert truncate(judged, 2) is judged
    assert truncate(replace(judged, qrels={"q1": {"d0": 1, "d1": 1}}), 2).truncated


def test_documents_in_another_language_than_they_are_read_in_are_told() -> None:
    texts = {name: list(own.values()) for name, own in TEXTS.items()} | {"ja": ["補給船は九時に港を出ます。"] * 3}
    for lang, read_as in (("ru", "en"), ("zh", "en"), ("ja", "de"), ("en", "fr")):
        own = with_documents(*((f"d{n}", "", text * 2) for n, text in enumerate([*texts[lang], "x"])))
        corpus = read_corpus(replace(own, lang=read_as))
        (note,) = [note for note in corpus.notes if "language" in note]
        assert note.startswith("warning[language]: small: "), lang
        assert f"look like '{lang}' and are read as '{read_as}'" in note


def test_documents_in_the_language_that_they_are_read_in_are_not() -> None:
    for lang in ["en", "ru", "zh", "xx"]:
        own = TEXTS.get(lang, TEXTS["ru"])
        corpus = read_corpus(replace(with_documents(*((name, "", text) for name, text in own.items())), lang=lang))
        assert corpus.notes == (), lang


def found(*queries: tuple[str, str], declared: bool = False, relevant: str = "") -> frozenset[str]:
    corpus = read_corpus(
        with_documents(("1", "", "Die Küche ist zu."), ("2", "食堂", "厨房周日关门。"), ("3", "", "Судно"))
    )
    asked = [Query(query_id, "en", text) for query_id, text in queries]
    return self_matches(corpus, asked, {relevant: {relevant: 1}} if relevant else {}, declared)


def test_a_query_is_itself_only_by_id_and_words() -> None:
    assert found(("1", "die  küche ist zu")) == {"1"}
    assert found(("2", "厨房周日关门")) == {"2"}
    assert found(("2", "食堂 厨房周日关门")) == {"2"}
    assert found(("9", "Die Küche ist zu.")) == frozenset()


def test_integer_ids_that_meet_by_accident_are_no_match() -> None:
    assert found(("1", "Küche"), ("2", "厨房几点开？"), ("3", "когда уходит судно"), ("1", "…")) == frozenset()


def test_the_catalogue_may_say_that_ids_are_shared() -> None:
    assert found(("1", "reworded"), declared=True) == {"1"}


def test_what_is_judged_relevant_to_itself_stays() -> None:
    assert found(("3", "Судно"), relevant="3") == frozenset()


@pytest.mark.parametrize(("keep", "own"), [(False, {"boat"}), (True, set())])
def test_a_match_is_told_with_what_is_done_about_it(keep: bool, own: set[str]) -> None:
    data = with_documents(("boat", "", "Where is the boat"), ("kitchen", "", "here"))
    asked = replace(data, items=(Item(Query("boat", "en", "where is the boat?"), ""),), qrels={})
    task, notes = plan_task(asked, read_corpus(asked), System(Component("bm25"), keep_self_match=keep))
    assert task.own == own
    (note,) = notes
    assert note.startswith("warning[self-match]: small en: 1 queries are documents of the corpus, such as 'boat'; ")
    assert ("--keep-self-match" in note) == keep


def test_arguana_s_queries_are_documents_whatever_their_words() -> None:
    data = with_documents(("boat", "", "Where is the boat"), name="arguana")
    asked = replace(data, items=(Item(Query("boat", "en", "reworded"), ""),), qrels={})
    assert plan_task(asked, read_corpus(asked), SYSTEM)[0].own == {"boat"}


def test_a_collection_without_queries_is_refused() -> None:
    empty = collection(queries=())
    with pytest.raises(InputError, match="has no query in 'en'; check --split"):
        plan_task(empty, read_corpus(empty), SYSTEM)
