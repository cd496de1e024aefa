"""Loading a benchmark, and refusing what is none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragaliq.benchmark.layout import choose_languages
from ragaliq.benchmark.load import load_benchmark, require_references
from ragaliq.errors import InputError
from unit.benchmark.sample_part import write_part

LANGUAGES = ("en", "de", "fr", "es", "ru", "zh")


@pytest.fixture(scope="module")
def part(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_part(sample, tmp_path_factory.mktemp("part") / "bench")


@pytest.fixture
def copy(part: Path, tmp_path: Path) -> Path:
    return shutil.copytree(part, tmp_path / "bench")


def edit(path: Path, line: int, **changes: Any) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[line - 1] = json.dumps({**json.loads(lines[line - 1]), **changes}, ensure_ascii=False)
    path.write_text("\n".join(lines), encoding="utf-8")


def test_the_sample_is_parallel_in_six_languages(sample: Path) -> None:
    benchmark = load_benchmark(sample)
    assert benchmark.languages == LANGUAGES
    assert {lang: len(benchmark.chunks[lang]) for lang in LANGUAGES} == dict.fromkeys(LANGUAGES, 141)
    assert {lang: len(benchmark.items[lang]) for lang in LANGUAGES} == dict.fromkeys(LANGUAGES, 174)
    assert {lang: len(benchmark.nuggets[lang]) for lang in LANGUAGES} == dict.fromkeys(LANGUAGES, 322)
    ids = [[item.query.query_id for item in benchmark.items[lang]] for lang in LANGUAGES]
    assert all(one == ids[0] for one in ids)
    assert sum(not item.answerable for item in benchmark.items["zh"]) == 26
    assert benchmark.notes == ()


def test_languages_are_chosen_in_the_benchmarks_order(sample: Path) -> None:
    benchmark = load_benchmark(sample, ["zh", "de", "zh"])
    assert benchmark.languages == ("de", "zh")
    assert set(benchmark.items) == {"de", "zh"}
    assert choose_languages(None, ("en", "de")) == ("en", "de")
    with pytest.raises(InputError, match="unknown language 'xx'; known: all, de, en"):
        choose_languages(["xx"], ("en", "de"))


def test_the_hash_is_that_of_the_data_whatever_is_loaded(copy: Path) -> None:
    whole = load_benchmark(copy).hash
    assert load_benchmark(copy, ["de"]).hash == whole
    (copy / "notes.txt").write_text("not data")
    assert load_benchmark(copy).hash == whole
    edit(copy / "queries" / "zh.jsonl", 1, difficulty="hard")
    assert load_benchmark(copy, ["de"]).hash != whole


def test_b10_a_changed_file_is_noted(copy: Path) -> None:
    edit(copy / "queries" / "zh.jsonl", 1, difficulty="hard")
    (note,) = load_benchmark(copy, ["en"]).notes
    assert note.startswith(f"{copy / 'queries' / 'zh.jsonl'}:1: differs from the hash in bench.json")


def test_a_knowledge_base_replaces_the_corpus_of_each_language(part: Path, tmp_path: Path) -> None:
    (tmp_path / "kb_en.md").write_text("The door is red.\n\nThe roof is blue.\n")
    (tmp_path / "kb_de.md").write_text("Die Tür ist rot.\n")
    benchmark = load_benchmark(part, ["en", "de"], str(tmp_path / "kb_{lang}.md"))
    (chunk,) = benchmark.chunks["en"]
    assert (chunk.doc_id, chunk.text) == ("kb_en.md:1", "The door is red.\n\nThe roof is blue.")
    assert [chunk.text for chunk in benchmark.chunks["de"]] == ["Die Tür ist rot."]
    assert len(benchmark.items["de"]) == 11
    assert benchmark.hash != load_benchmark(part).hash
    (tmp_path / "kb_de.md").write_text("Die Tür ist grün.\n")
    assert load_benchmark(part, ["en", "de"], str(tmp_path / "kb_{lang}.md")).hash != benchmark.hash


def test_one_file_serves_one_language(part: Path, tmp_path: Path) -> None:
    path = tmp_path / "kb.md"
    path.write_text("The door is red.\n")
    with pytest.raises(InputError, match="one file serves one language; choose it with --lang"):
        load_benchmark(part, ["en", "de"], str(path))
    assert len(load_benchmark(part, ["en"], str(path)).chunks["en"]) == 1


def test_a_knowledge_base_without_text_is_refused(part: Path, tmp_path: Path) -> None:
    for text in ["", " \n\t\n", "---\n***\n"]:
        path = tmp_path / "kb_en.md"
        path.write_text(text)
        with pytest.raises(InputError, match=r"kb_en\.md: the knowledge base for 'en' holds no text"):
            load_benchmark(part, ["en"], str(tmp_path / "kb_{lang}.md"))


def empty(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text("\n")


FAULTS: list[tuple[Callable[[Path], object], str]] = [
        (lambda f: edit(f / "queries/de.jsonl", 3, query_id="q001"),
         "queries/de.jsonl:3: query_id 'q001' stands already in line 1"),
        (lambda f: edit(f / "corpus/de.jsonl", 2, doc_id="administration-01"),
         "corpus/de.jsonl:2: doc_id 'administration-01' stands already in line 1"),
        (lambda f: edit(f / "nuggets/de.jsonl", 2, nugget_id="q001-1"),
         "nuggets/de.jsonl:2: nugget_id 'q001-1' stands already in line 1"),
        (lambda f: edit(f / "queries/de.jsonl", 1, gold=[["arrival-01"], ["nowhere"]]),
         "queries/de.jsonl:1: gold names 'nowhere', which is no chunk of corpus/de.jsonl"),
        (lambda f: edit(f / "queries/de.jsonl", 2, text=" "), "queries/de.jsonl:2: 'text' is blank"),
        (empty("corpus/de.jsonl"), "the knowledge base for 'de' holds no text"),
        (empty("queries/de.jsonl"), "no queries for 'de'"),
        (empty("bench.json"), "bench.json: not valid JSON"),
        (lambda f: (f / "bench.json").write_text('{"name": "x"}'), "'name', 'version' and 'languages' are needed"),
        (lambda f: (f / "bench.json").write_text("[]"), "'name', 'version' and 'languages' are needed"),
        (lambda f: (f / "corpus/de.jsonl").unlink(), "corpus/de.jsonl: cannot be read"),
        (lambda f: (f / "bench.json").unlink(), "no benchmark here"),
        (shutil.rmtree, "no such folder"),
    ]  # fmt: skip


def test_what_is_wrong_is_named(part: Path, tmp_path: Path) -> None:
    for number, (break_it, message) in enumerate(FAULTS):
        folder = shutil.copytree(part, tmp_path / str(number))
        break_it(folder)
        with pytest.raises(InputError) as caught:
            load_benchmark(folder)
        assert message in str(caught.value)
        assert str(caught.value).startswith(str(folder)), message


def test_nuggets_are_optional(copy: Path) -> None:
    shutil.rmtree(copy / "nuggets")
    assert load_benchmark(copy).nuggets == dict.fromkeys(LANGUAGES, ())


def test_the_upstream_layout_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "orientation_en.md").write_text("# Doors\n\nThe door is red.\n")
    (tmp_path / "questions_en.json").write_text('[{"question": "Which colour?", "answer": "Red."}]')
    benchmark = load_benchmark(tmp_path)
    assert (benchmark.name, benchmark.languages) == ("-".join(tmp_path.parts[-2:]), ("en",))
    assert [chunk.text for chunk in benchmark.chunks["en"]] == ["# Doors\n\nThe door is red."]
    assert [item.reference for item in benchmark.items["en"]] == ["Red."]
    (tmp_path / "orientation_en.md").unlink()
    with pytest.raises(InputError, match=r"orientation_en\.md: no such file; put the documents there"):
        load_benchmark(tmp_path)


def test_half_a_surrogate_pair_is_refused_with_its_place(copy: Path) -> None:
    path = copy / "corpus" / "en.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    row = json.loads(lines[2])
    lines[2] = json.dumps({**row, "text": "\ud800" + row["text"][1:]})
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=r"corpus/en\.jsonl:3: 'text' holds half a surrogate pair at character 0"):
        load_benchmark(copy, ["en"])


def test_questions_without_an_answer_stay_and_are_unanswerable(tmp_path: Path) -> None:
    asked = [
        {"id": "1", "question": "Wann öffnet es?", "answers": [{"text": "um sieben", "answer_start": 10}]},
        {"id": "2", "question": "Wer leitet es?", "answers": [], "is_impossible": True},
    ]
    paragraph = {"context": "Es öffnet um sieben.", "qas": asked}
    file = tmp_path / "s.de.json"
    file.write_text(json.dumps({"data": [{"title": "t", "paragraphs": [paragraph]}]}), encoding="utf-8")
    benchmark = load_benchmark(file, ["de"])
    assert [(item.query.query_id, item.answerable) for item in benchmark.items["de"]] == [("1", True), ("2", False)]
    require_references(benchmark, benchmark.items)
    bare = [replace(item, reference="") for item in benchmark.items["de"]]
    with pytest.raises(InputError, match="1 queries have no reference answer, such as '1'"):
        require_references(benchmark, {"de": bare})
