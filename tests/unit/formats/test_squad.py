"""SQuAD's form: a question's paragraph is its relevant document, with the same id in every language of XQuAD."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.squad import read_squad, write_squad
from ragaliq.formats.squad_files import is_squad, language_files
from ragaliq.types import Query
from unit.formats.sets import DOC_IDS, SMALL, TEXTS, WORDS, collections, facts, items_for


def question(query_id: object, text: str, *answers: str, **more: object) -> dict[str, object]:
    return {"id": query_id, "question": text, "answers": [{"text": a, "answer_start": 0} for a in answers], **more}


def write(path: Path, *paragraphs: tuple[str, list[dict[str, object]]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    articles = [{"title": "T", "paragraphs": [{"context": context, "qas": asked}]} for context, asked in paragraphs]
    path.write_text(json.dumps({"version": "1.1", "data": articles}))
    return path


def test_paragraphs_are_numbered_and_judged_by_their_questions(tmp_path: Path) -> None:
    path = write(
        tmp_path / "xquad.zh.json",
        ("黑豹队", [question("a", "谁？", "豹", "豹队", "豹"), question(7, "哪？", "队")]),
        ("丹佛", [question("b", "何？")]),
        ("黑豹队", [question("c", "几？", "黑", is_impossible=False)]),
        ("野马", [question("d", "为？", is_impossible=True)]),
    )
    collection = read_squad(path)
    assert (collection.name, collection.lang, collection.split) == ("xquad", "zh", "")
    assert list(collection.chunks()) == [
        document("1", "zh", "黑豹队"),
        document("2", "zh", "丹佛"),
        document("4", "zh", "野马"),
    ]
    assert collection.queries[1] == Query("7", "zh", "哪？")
    assert collection.qrels == {"a": {"1": 1}, "7": {"1": 1}, "b": {"2": 1}, "c": {"1": 1}}
    assert collection.references == {"a": "豹", "7": "队", "c": "黑"}
    assert collection.notes == (
        f"{path}: 1 questions have no answer in their paragraph and are left out of the judgements",
    )
    # Nothing answers d, which is another thing than that nobody said what does.
    assert collection.gold == {"a": (("1",),), "7": (("1",),), "b": (("2",),), "c": (("1",),), "d": ()}


def test_names_tell_set_languages_and_split(tmp_path: Path) -> None:
    cases = [
        ("xquad.de.json", ("xquad", "de", "de", "")),
        ("dev-v2.0.json", ("squad", "en", "en", "dev")),
        ("test-context-hi-question-vi.json", ("mlqa", "hi", "vi", "test")),
        ("meine_daten.zh-hans.train.json", ("meine_daten", "zh-hans", "zh-hans", "train")),
    ]
    for name, told in cases:
        collection = read_squad(write(tmp_path / name, ("p", [question("a", "q")])))
        assert (collection.name, collection.lang, collection.queries[0].lang, collection.split) == told, name


def test_what_a_name_does_not_tell_must_be_said(tmp_path: Path) -> None:
    path = write(tmp_path / "klexikon.dev.json", ("p", [question("a", "q")]))
    assert is_squad(path)
    with pytest.raises(InputError, match=r"klexikon\.dev\.json: its name does not tell its language; say which it is"):
        read_squad(path)
    assert language_files(path) == {}
    assert read_squad(path, "de", "dev").queries[0].lang == "de"
    with pytest.raises(InputError, match="its name says 'de', not 'en'"):
        read_squad(write(tmp_path / "xquad.de.json", ("p", [question("a", "q")])), "en")
    with pytest.raises(InputError, match="its name says no split, not 'dev'"):
        read_squad(tmp_path / "xquad.de.json", "de", "dev")
    across = write(tmp_path / "test-context-hi-question-vi.json", ("p", [question("a", "q")]))
    assert language_files(across, "dev") == {"hi": across}
    with pytest.raises(InputError, match="its name says split 'test', not 'dev'"):
        read_squad(across, "hi", "dev")


def test_the_languages_of_a_folder(tmp_path: Path) -> None:
    assert not is_squad(tmp_path)
    (tmp_path / "other.de.json").write_text("[]")
    assert not is_squad(tmp_path)
    for name in (
        "dev-context-de-question-de",
        "test-context-de-question-de",
        "test-context-de-question-en",
        "xquad.ru",
    ):
        write(tmp_path / f"{name}.json", (name, [question("a", name)]))
    assert is_squad(tmp_path)
    assert language_files(tmp_path) == {
        "de": tmp_path / "test-context-de-question-de.json",
        "ru": tmp_path / "xquad.ru.json",
    }
    assert read_squad(tmp_path, "de").split == "test"
    assert read_squad(tmp_path, "de", "dev").split == "dev"
    with pytest.raises(InputError, match="no questions in 'en'; known: de, ru"):
        read_squad(tmp_path, "en")
    with pytest.raises(InputError, match="no questions in 'ru' of split 'dev'; known: de"):
        read_squad(tmp_path, "ru", "dev")


def test_a_bad_file_is_named(tmp_path: Path) -> None:
    cases = [
        ([], "a JSON object with 'data' is expected"),
        ({"data": []}, "no questions"),
        ({"data": {}}, "'data' must be a list of objects"),
        ({"data": [{"paragraphs": ["p"]}]}, "article 1: 'paragraphs' must be a list of objects"),
        ({"data": [{"paragraphs": [{"qas": []}]}]}, "article 1, paragraph 1: no 'context'"),
        ({"data": [{"paragraphs": [{"context": 3}]}]}, "article 1, paragraph 1: 'context' must be a text, not int"),
        (
            {"data": [{"paragraphs": [{"context": "", "qas": [question(1.5, "")]}]}]},
            "article 1, paragraph 1, question 1: 'id' must be a text",
        ),
        (
            {"data": [{"paragraphs": [{"context": "", "qas": [question("a", "x"), question("a", "y")]}]}]},
            "article 1, paragraph 1, question 2: question id 'a' is another question's already; give each its own",
        ),
        (
            {"data": [{"paragraphs": [{"context": "", "qas": [question("a", "x", is_impossible="false")]}]}]},
            "article 1, paragraph 1, question 1: 'is_impossible' must be true or false, not 'false'",
        ),
        (
            {"data": [{"paragraphs": [{"context": "x", "id": 1}, {"context": "y", "id": "1"}]}]},
            "article 1, paragraph 2: paragraph id '1' stands for another paragraph already",
        ),
    ]
    for data, message in cases:
        path = tmp_path / "xquad.de.json"
        path.write_text(json.dumps(data))
        with pytest.raises(InputError) as caught:
            read_squad(path)
        assert str(caught.value).startswith(str(path)), data
        assert message in str(caught.value), data


def answered(collection: Collection) -> Collection:
    return replace(
        collection, items=items_for(collection.queries, {q.query_id: q.text for q in collection.queries[:1]})
    )


@settings(max_examples=25, deadline=None)
@given(collections(doc_ids=DOC_IDS, query_ids=WORDS, texts=TEXTS, grades=st.just(1)).map(answered))
def test_a_collection_survives_the_file(collection: Collection) -> None:
    with TemporaryDirectory() as folder:
        path = write_squad(collection, Path(folder))
        assert path.name == "drawn.ko.dev.json"
        assert is_squad(path)
        back = read_squad(path)
        # Questions come in the order of their paragraphs.
        assert sorted(query.query_id for query in back.queries) == sorted(q.query_id for q in collection.queries)
        assert {**facts(back), "queries": ()} == {**facts(collection), "queries": ()}


def test_queries_without_judgements_and_across_languages(tmp_path: Path) -> None:
    items = items_for([Query("q", "en", "?"), Query("r", "en", "??")])
    collection = replace(SMALL, items=items, qrels={"q": {"7": 1, "10020#0": 1}})
    path = write_squad(collection, tmp_path)
    assert path.name == "dev-context-hi-question-en.json"
    back = read_squad(path)
    assert facts(back) == facts(collection)
    assert "1 questions have no answer in their paragraph" in back.notes[0]


def test_what_the_form_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="query 'q#1' has judgements other than 1; write another format"):
        write_squad(SMALL, tmp_path)
    with pytest.raises(InputError, match="judged document 'gone' is not in the corpus"):
        write_squad(replace(SMALL, qrels={"2": {"gone": 1}}), tmp_path)
    with pytest.raises(InputError, match="the corpus is empty"):
        write_squad(replace(SMALL, chunks=lambda: iter(())), tmp_path)


@pytest.mark.shared
def test_xquad_is_parallel(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "xquad"
    assert sorted(language_files(folder)) == ["de", "en", "ru", "zh"]
    sets = {lang: read_squad(folder, lang) for lang in language_files(folder)}
    for lang, collection in sets.items():
        chunks = list(collection.chunks())
        assert [chunk.doc_id for chunk in chunks] == [str(number) for number in range(1, 241)]
        assert {chunk.lang for chunk in chunks} == {lang}
        assert len(collection.queries) == len(collection.references) == 1190
        assert collection.qrels == sets["en"].qrels
        assert collection.notes == ()
        text = {chunk.doc_id: chunk.text for chunk in chunks}
        for query in collection.queries:
            (doc_id,) = collection.qrels[query.query_id]
            assert collection.references[query.query_id] in text[doc_id]
    assert facts(read_squad(write_squad(sets["ru"], tmp_path))) == facts(sets["ru"])
