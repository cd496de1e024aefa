"""Data sets from one format into another and back."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from ragaliq.benchmark.collections import load_collections
from ragaliq.benchmark.convert.convert import TARGETS, Conversion, convert
from ragaliq.benchmark.convert.own_writer import write_benchmark
from ragaliq.errors import ConfigError, InputError
from ragaliq.formats.beir import write_beir
from ragaliq.formats.reading.collection import Collection
from unit.benchmark.small_collection import FULL, PLAIN, facts, write_languages_of_mmarco
from unit.formats.sets import items_for

# What every format for retrieval can hold: one text per document, relevance 1, one paragraph for each question.
COMMON = replace(
    PLAIN,
    qrels={"q1": {"tür-1": 1}, "q2": {"tür-2": 1}},
    items=items_for(PLAIN.queries, {"q1": "rot", "q2": "alt"}),
)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    write_benchmark({"de": FULL}, tmp_path / "bench")
    return tmp_path / "bench"


def reduced(collection: Collection) -> dict[str, object]:
    """Return what all formats for retrieval hold: documents with their titles in front, queries, judgements."""
    return {
        "documents": {c.doc_id: f"{c.title} {c.text}".strip() for c in collection.chunks()},
        "queries": {query.query_id: query.text for query in collection.queries},
        "qrels": {query_id: dict(judged) for query_id, judged in collection.qrels.items()},
    }


def test_b2_a_round_trip_keeps_documents_queries_and_judgements(tmp_path: Path) -> None:
    for number, fmt in enumerate(["ragaliq", "beir", "miracl", "mmarco", "squad", "trec"]):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_beir(COMMON, folder / "beir")
        convert(Conversion(str(folder / "beir"), "beir", fmt, langs=("de",)), folder / "there")
        convert(Conversion(str(folder / "there"), "", "beir", langs=("de",)), folder / "back")
        (start,) = load_collections(folder / "beir", langs=["de"]).values()
        (there,) = load_collections(folder / "there", langs=["de"]).values()
        (back,) = load_collections(folder / "back", langs=["de"]).values()
        assert reduced(there) == reduced(start) == reduced(COMMON), fmt
        if fmt == "mmarco":
            # A passage has no title; it goes in front of the text.
            assert reduced(back) == reduced(start), fmt
        else:
            assert facts(back) == facts(start), fmt


def test_nuggets_and_references_go_to_freshstack_and_back(bench: Path, tmp_path: Path) -> None:
    notes = convert(Conversion(str(bench), "", "freshstack"), tmp_path / "fs")
    assert notes == [
        "left out: 1 queries with gold in groups, which 'freshstack' cannot hold",
        "left out: 1 weights of nuggets, which 'freshstack' cannot hold",
        "de: judgements become the number of nuggets that a document supports",
    ]
    convert(Conversion(str(tmp_path / "fs"), "", "ragaliq", langs=("de",)), tmp_path / "back")
    back = load_collections(tmp_path / "back")["de"]
    assert [(n.nugget_id, n.text, set(n.doc_ids)) for n in back.nuggets] == [
        (n.nugget_id, n.text, set(n.doc_ids)) for n in FULL.nuggets
    ]
    assert back.references == FULL.references
    assert back.qrels == {"q1": {"d#4": 0, "tür-1": 1}, "q2": {"repo/lies mich.md_0": 1, "tür-2": 1}}


def test_everything_stays_in_our_own_layout(bench: Path, tmp_path: Path) -> None:
    assert convert(Conversion(str(bench), "ragaliq", "ragaliq"), tmp_path / "copy") == []
    assert facts(load_collections(tmp_path / "copy")["de"]) == facts(FULL)


def test_labels_that_no_collection_holds_are_said_in_a_line(bench: Path, tmp_path: Path) -> None:
    path = bench / "queries" / "de.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows[0] |= {"type": "temporal", "aliases": ["red", "rouge"], "difficulty": "hard"}
    rows[2] |= {"near_miss": "tür-1"}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for fmt in ("ragaliq", "beir"):
        notes = convert(Conversion(str(bench), "", fmt), tmp_path / fmt)
        line = "left out: 1 types, 2 aliases, 1 difficulties, 1 near misses of queries, which no conversion keeps"
        assert notes.count(line) == 1


def test_unanswerable_questions_of_squad_stay_unanswerable(tmp_path: Path) -> None:
    questions = [
        {"id": "q1", "question": "Wer?", "answers": [{"text": "ich", "answer_start": 0}]},
        {"id": "q2", "question": "Wann?", "answers": [], "is_impossible": True},
    ]
    data = {"data": [{"paragraphs": [{"context": "ich bin es", "qas": questions}]}]}
    (tmp_path / "haus.de.json").write_text(json.dumps(data))
    for source, fmt in (("haus.de.json", "ragaliq"), ("ragaliq", "squad"), ("squad", "ragaliq2")):
        convert(Conversion(str(tmp_path / source), "", fmt.removesuffix("2")), tmp_path / fmt)
        (back,) = load_collections(tmp_path / fmt).values()
        assert back.gold == {"q1": (("1",),), "q2": ()}
        assert back.qrels == {"q1": {"1": 1}}


def test_squad_has_no_place_for_a_query_that_nobody_judged(tmp_path: Path) -> None:
    write_benchmark({"de": replace(COMMON, items=items_for(FULL.queries, COMMON.references))}, tmp_path / "bench")
    notes = convert(Conversion(str(tmp_path / "bench"), "", "squad"), tmp_path / "squad")
    assert notes == [
        "de: 1 queries without judgements become is_impossible, as without any answer",
        "squad: answer_start is the first place where the answer stands in the paragraph, -1 if it stands nowhere",
    ]


def test_what_squad_s_form_loses_is_said(tmp_path: Path) -> None:
    questions = [{"id": "q1", "question": "Wer?", "answers": [{"text": "ich", "answer_start": 8}]}]
    article = {"title": "Haus", "paragraphs": [{"context": "ich bin ich", "qas": questions}]}
    data = {"data": [article, {"title": "Hof", "paragraphs": None}]}
    (tmp_path / "haus.de.json").write_text(json.dumps(data))
    titles = "left out: 1 titles of articles, which are not read"
    there = convert(Conversion(str(tmp_path / "haus.de.json"), "", "squad"), tmp_path / "there")
    assert there == [
        titles,
        "squad: answer_start is the first place where the answer stands in the paragraph, -1 if it stands nowhere",
    ]
    assert titles in convert(Conversion(str(tmp_path / "haus.de.json"), "", "ragaliq"), tmp_path / "own")
    # Paragraphs that we wrote carry their titles themselves.
    assert titles not in convert(Conversion(str(tmp_path / "there"), "", "ragaliq"), tmp_path / "back")


def test_ids_that_do_not_meet_are_said_once(tmp_path: Path) -> None:
    """Requirement E16: a conversion reads the corpus, so it says what is missing there."""
    chunks = [*PLAIN.chunks()][:2]
    judged = {**PLAIN.qrels, "weg": {"tür-1": 1}}
    write_beir(replace(PLAIN, chunks=lambda: iter(chunks), qrels=judged), tmp_path / "haus")
    notes = convert(Conversion(str(tmp_path / "haus"), "", "trec", langs=("de",)), tmp_path / "out")
    assert notes == [
        "warning[missing-queries]: haus/de/test: evaluating 2 / 3 queries; the judgements name 'weg', the queries have "
        "'q1'; a query without text counts 0",
        "warning[truncated-corpus]: haus/de/test: 2 of 4 judged documents are not in the corpus, such as 'd#4'; fetch "
        "the whole corpus",
    ]


def test_ids_that_stand_twice_are_refused(tmp_path: Path) -> None:
    write_beir(replace(PLAIN, chunks=lambda: iter([*PLAIN.chunks()] * 2)), tmp_path / "haus")
    for fmt in ("ragaliq", "beir"):
        with pytest.raises(InputError, match=r"haus/de/test: 'tür-1' stands more than once \(4 of 8 .*unique"):
            convert(Conversion(str(tmp_path / "haus"), "", fmt, langs=("de",)), tmp_path / "out")
    (tmp_path / "haus" / "corpus.jsonl").write_text("")
    with pytest.raises(InputError, match=r"error\[truncated-corpus\]: haus/de/test: the corpus holds no document"):
        convert(Conversion(str(tmp_path / "haus"), "", "trec", langs=("de",)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_a_format_cannot_hold_is_said_in_a_line_each(bench: Path, tmp_path: Path) -> None:
    cases = [
        ("beir", ["3 nuggets", "1 queries with gold in groups", "3 reference answers"]),
        ("miracl", ["3 nuggets", "1 queries with gold in groups", "3 reference answers"]),
        ("trec", ["1 queries with gold in groups", "3 reference answers"]),
        ("upstream", ["4 judgements", "3 nuggets", "1 queries with gold in groups"]),
    ]
    for number, (fmt, lost) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        notes = convert(Conversion(str(bench), "", fmt), folder / "out")
        said = [note for note in notes if note.startswith("left out: ")]
        assert said == [f"left out: {part}, which '{fmt}' cannot hold" for part in lost], fmt


def test_grades_that_squad_cannot_hold_are_an_error(bench: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"out/haus.de.json: query 'q1' has judgements other than 1"):
        convert(Conversion(str(bench), "", "squad"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_queries_that_nobody_judged_are_told_where_readers_pass_over_them(bench: Path, tmp_path: Path) -> None:
    for fmt in ("beir", "miracl"):
        notes = convert(Conversion(str(bench), "", fmt), tmp_path / fmt)
        assert notes.count("de: 1 queries without judgements are passed over by whoever reads the format") == 1
        assert len(load_collections(tmp_path / fmt, langs=["de"])["de"].queries) == 2
    bare = replace(FULL, qrels={}, nuggets=(), items=items_for(FULL.queries, FULL.references))
    write_benchmark({"de": bare}, tmp_path / "bare")
    for fmt in ("beir", "mmarco", "squad"):
        with pytest.raises(InputError, match=f"--to {fmt}: 'haus' has no judged query in 'de', which {fmt} needs"):
            convert(Conversion(str(tmp_path / "bare"), "", fmt), tmp_path / "none")


def test_what_does_not_fit_in_a_line_is_told(tmp_path: Path) -> None:
    queries = (replace(PLAIN.queries[0], text="Welche\nFarbe?"), PLAIN.queries[1])
    write_beir(replace(COMMON, items=items_for(queries, COMMON.references)), tmp_path / "beir")
    line = "left out: 1 queries' tabs and line ends, which '{}' cannot hold"
    for fmt in ("miracl", "mmarco", "trec", "ragaliq", "beir"):
        notes = convert(Conversion(str(tmp_path / "beir"), "", fmt, langs=("de",)), tmp_path / "out" / fmt)
        assert (line.format(fmt) in notes) == (fmt in ("miracl", "mmarco", "trec"))
        assert any("a title stands in front of its text" in note for note in notes) == (fmt == "mmarco")


def test_a_split_that_the_target_does_not_have_is_renamed(tmp_path: Path) -> None:
    write_beir(replace(COMMON, split="test"), tmp_path / "beir")
    notes = convert(Conversion(str(tmp_path / "beir"), "", "miracl", langs=("de",)), tmp_path / "miracl")
    assert "de: split 'test' becomes 'dev', as 'miracl' has it" in notes
    (there,) = load_collections(tmp_path / "miracl").values()
    assert (there.split, reduced(there)) == ("dev", reduced(COMMON))


def test_several_languages(tmp_path: Path, sample: Path) -> None:
    langs = ("ru", "zh")
    convert(Conversion(str(sample), "", "beir", langs=langs), tmp_path / "beir")
    convert(Conversion(str(sample), "", "trec", langs=langs), tmp_path / "trec")
    for folder in ("beir", "trec"):
        back = load_collections(tmp_path / folder)
        assert sorted(back) == ["ru", "zh"]
        own = load_collections(sample, langs=list(langs))
        assert {lang: reduced(back[lang])["qrels"] for lang in langs} == {
            lang: reduced(own[lang])["qrels"] for lang in langs
        }


def test_a_part_of_a_corpus_keeps_its_warning(tmp_path: Path) -> None:
    write_beir(replace(COMMON, qrels={"q1": {"tür-1": 1}}), tmp_path / "beir")
    job = Conversion(str(tmp_path / "beir"), "", "ragaliq", langs=("de",), max_docs=2)
    notes = convert(job, tmp_path / "part")
    assert notes[0].startswith("warning[truncated-corpus]: ")
    assert len(list(load_collections(tmp_path / "part")["de"].chunks())) == 2


def test_an_unknown_target_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--to: unknown format 'bier'; did you mean 'beir'"):
        convert(Conversion("x", "", "bier"), tmp_path / "out")


def test_the_same_input_gives_the_same_bytes(bench: Path, tmp_path: Path) -> None:
    for fmt in TARGETS:
        if fmt in ("squad", "mmarco"):
            continue
        job = Conversion(str(bench), "", fmt)
        contents = []
        for _ in range(2):
            convert(job, tmp_path / fmt)
            files = sorted(path for path in (tmp_path / fmt).rglob("*") if path.is_file())
            contents.append({path.name: path.read_bytes() for path in files})
        assert contents[0] == contents[1]


@pytest.mark.shared
def test_the_real_sets_go_through(tmp_path: Path, shared_data: Path) -> None:
    notes = convert(Conversion(str(shared_data / "cranfield"), "", "ragaliq"), tmp_path / "cran")
    assert notes[0].startswith("cranfield: relevance is the code in cranqrel")
    assert notes[1:] == ["en: left out 2 documents without text, 1 of them judged; their judgements stay"]
    back = load_collections(tmp_path / "cran")["en"]
    own = load_collections(shared_data / "cranfield")["en"]
    assert back.qrels == own.qrels and back.queries == own.queries
    assert [c.text for c in back.chunks()] == [c.text for c in own.chunks() if c.text]
    convert(Conversion(str(shared_data / "xquad"), "", "trec", langs=("zh",)), tmp_path / "xquad")
    assert reduced(load_collections(tmp_path / "xquad")["zh"]) == reduced(
        load_collections(shared_data / "xquad", langs=["zh"])["zh"]
    )


def _big(path: Path, documents: int) -> None:
    (path / "qrels").mkdir(parents=True)
    with (path / "corpus.jsonl").open("w") as out:
        for number in range(documents):
            out.write(json.dumps({"_id": str(number), "title": "", "text": f"document {number} " * 30}) + "\n")
    (path / "queries.jsonl").write_text('{"_id": "q", "text": "which?"}\n')
    (path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\t7\t1\n")


def _peak(folder: Path, fmt: str, size: int) -> int:
    _big(folder / f"in{size}", size)
    job = Conversion(str(folder / f"in{size}"), "beir", fmt)
    tracemalloc.start()
    convert(job, folder / f"out{size}")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.slow
def test_memory_does_not_grow_with_the_corpus(tmp_path: Path) -> None:
    for fmt in ("ragaliq", "trec", "beir", "miracl", "mmarco"):
        # 3,000 documents more are 1.5 MB of text.
        assert _peak(tmp_path / fmt, fmt, 4_000) - _peak(tmp_path / fmt, fmt, 1_000) < 150_000, fmt


def test_a_pair_of_languages_goes_where_both_have_a_place(tmp_path: Path) -> None:
    source = tmp_path / "mmarco"
    write_languages_of_mmarco(source)
    job = Conversion(str(source), "", "mmarco", langs=("en-de",))
    convert(job, tmp_path / "out")
    (pair,) = load_collections(tmp_path / "out", langs=["en-de"]).values()
    assert (pair.lang, pair.queries[0].lang) == ("de", "en")
    for target in ("ragaliq", "trec", "miracl", "freshstack", "upstream"):
        with pytest.raises(ConfigError, match=f"--lang en-de: {target} holds queries and documents in one language"):
            convert(replace(job, target_format=target), tmp_path / target)


def test_ids_that_other_readers_of_columns_cut_are_told(tmp_path: Path) -> None:
    spaced = replace(
        PLAIN,
        chunks=lambda: (replace(c, doc_id=f"{c.doc_id} b", source_id=f"{c.doc_id} b") for c in PLAIN.chunks()),
        qrels={query_id: {f"{doc} b": rel for doc, rel in docs.items()} for query_id, docs in PLAIN.qrels.items()},
    )
    write_beir(spaced, tmp_path / "beir")
    for target in ("trec", "miracl", "mmarco", "beir"):
        job = Conversion(str(tmp_path / "beir"), "beir", target, langs=("de",))
        notes = [note for note in convert(job, tmp_path / f"to-{target}") if note.startswith("warning[spaces-in-ids]")]
        assert len(notes) == (target != "beir"), target
        assert all("doc ids hold white space, such as 'tür-1 b'" in note for note in notes)
        (again,) = load_collections(tmp_path / f"to-{target}", langs=["de"]).values()
        assert {doc for docs in again.qrels.values() for doc in docs} >= {"tür-1 b"}
