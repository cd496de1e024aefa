"""One broken thing at a time, and the line that says so."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ragaliq.benchmark.checks.validate import validate
from ragaliq.errors import InputError

STALE = "differs from the hash in bench.json"
ENGLISH = "This sentence is plainly written in the English language, and in no other."


class Case(NamedTuple):
    """What is broken, and where and how the finding says so."""

    name: str
    break_it: Callable[[Path], object]
    where: str
    says: str


def edit(name: str, line: int, **changes: Any) -> Callable[[Path], None]:
    """Change keys of a row; `...` removes a key."""

    def apply(folder: Path) -> None:
        row = {**json.loads(lines(folder / name)[line - 1]), **changes}
        put(folder / name, line, json.dumps({key: value for key, value in row.items() if value is not ...}))

    return apply


def line(name: str, number: int, text: str | None) -> Callable[[Path], None]:
    """Replace a line by `text`, or remove it."""
    return lambda folder: put(folder / name, number, text)


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")


def put(path: Path, number: int, text: str | None) -> None:
    rows = lines(path)
    rows[number - 1 : number] = [] if text is None else [text]
    path.write_text("\n".join(rows), encoding="utf-8")


def shifted(folder: Path) -> None:
    row = json.loads(lines(folder / "corpus/en.jsonl")[0])
    edit("corpus/en.jsonl", 1, start=row["start"] + 1, end=row["end"] + 1)(folder)


def answer_inside_question(folder: Path) -> None:
    row = json.loads(lines(folder / "queries/fr.jsonl")[0])
    edit("queries/fr.jsonl", 1, text=f"Est-ce vrai : {row['reference'].upper()}")(folder)


def same_text_in_capitals(folder: Path) -> None:
    row = json.loads(lines(folder / "queries/en.jsonl")[0])
    edit("queries/en.jsonl", 2, text="  " + row["text"].upper().replace(" ", "  "))(folder)


CASES = [
    Case("duplicate query id", edit("queries/de.jsonl", 2, query_id="q001"),
         "queries/de.jsonl:2", "'q001' stands already in line "),
    Case("duplicate doc id", edit("corpus/fr.jsonl", 3, doc_id="administration-01"),
         "corpus/fr.jsonl:3", "'administration-01' stands already in line "),
    Case("duplicate nugget id", edit("nuggets/fr.jsonl", 2, nugget_id="q001-1"),
         "nuggets/fr.jsonl:2", "'q001-1' stands already in line "),
    Case("shifted span", shifted, "corpus/en.jsonl:1", "is not what stands at "),
    Case("span of another length", edit("corpus/en.jsonl", 2, end=9_999), "corpus/en.jsonl:2", "code points"),
    Case("text changed", edit("corpus/zh.jsonl", 4, end=10, start=0, text="站" * 10),
         "corpus/zh.jsonl:4", "is not what stands at 0..10"),
    Case("source missing", lambda f: (f / "sources/ru/transport.md").unlink(),
         "corpus/ru.jsonl:10", "source 'sources/ru/transport.md' of chunk 'transport-02' is not in the benchmark"),
    Case("source outside", edit("corpus/ru.jsonl", 1, source_id="../../../../../../etc/hostname"),
         "corpus/ru.jsonl:1", "is not in the benchmark"),
    Case("gold missing", edit("queries/es.jsonl", 1, gold=[["arrival-01"], ["nowhere-01"]]),
         "queries/es.jsonl:1", "'q001' names 'nowhere-01', which is no chunk of corpus/es.jsonl"),
    Case("near miss missing", edit("queries/es.jsonl", 11, near_miss="nowhere-01"),
         "queries/es.jsonl:11", "'q054' names 'nowhere-01'"),
    Case("gold differs", edit("queries/es.jsonl", 1, gold=[["arrival-02"]]),
         "queries/es.jsonl:1", "query 'q001' differs from 'en' in more than its text"),
    Case("answerable without gold", edit("queries/es.jsonl", 1, gold=[]),
         "queries/es.jsonl:1", "an answerable query has gold"),
    Case("query missing", line("queries/ru.jsonl", 11, None),
         "queries/en.jsonl:11", "query 'q054' is missing in 'ru'"),
    Case("query too many", line("queries/en.jsonl", 11, None),
         "queries/ru.jsonl:11", "query 'q054' is missing in 'en'"),
    Case("chunk missing", line("corpus/zh.jsonl", 1, None),
         "corpus/en.jsonl:1", "chunk 'administration-01' is missing in 'zh'"),
    Case("nugget missing", line("nuggets/zh.jsonl", 2, None),
         "nuggets/en.jsonl:2", "nugget 'q001-2' is missing in 'zh'"),
    Case("duplicate text", same_text_in_capitals, "queries/en.jsonl:2", "the text of 'q002' is also that of 'q001'"),
    Case("answer inside question", answer_inside_question,
         "queries/fr.jsonl:1", "the question of 'q001' contains its own answer"),
    Case("query in another language", edit("queries/de.jsonl", 1, text=ENGLISH),
         "queries/de.jsonl:1", "'text' does not look like 'de'"),
    Case("reference in another language", edit("queries/ru.jsonl", 7, reference=ENGLISH),
         "queries/ru.jsonl:7", "'reference' does not look like 'ru'"),
    Case("nugget in another language", edit("nuggets/zh.jsonl", 18, text=ENGLISH),
         "nuggets/zh.jsonl:18", "'text' does not look like 'zh'"),
    Case("chunk in another language", edit("corpus/es.jsonl", 11, start=0, end=len(ENGLISH), text=ENGLISH),
         "corpus/es.jsonl:11", "'text' does not look like 'es'"),
    Case("language field", edit("corpus/es.jsonl", 1, lang="en"),
         "corpus/es.jsonl:1", "'lang' is 'en' in a file for 'es'"),
    Case("malformed line", line("corpus/en.jsonl", 5, '{"doc_id": '), "corpus/en.jsonl:5", "not valid JSON"),
    Case("a list", line("nuggets/en.jsonl", 6, "[]"), "nuggets/en.jsonl:6", "a JSON object is expected here"),
    Case("blank text", edit("queries/en.jsonl", 3, text=" \t"), "queries/en.jsonl:3", "'text' is blank"),
    Case("blank chunk", edit("corpus/en.jsonl", 3, text=" "), "corpus/en.jsonl:3", "'text' is blank"),
    Case("blank reference", edit("queries/en.jsonl", 3, reference=""), "queries/en.jsonl:3", "'reference' is blank"),
    Case("field missing", edit("queries/en.jsonl", 4, type=...),
         "queries/en.jsonl:4", "'type' must be of type str; it is missing"),
    Case("white space in an id", edit("queries/en.jsonl", 4, query_id="q 4"),
         "queries/en.jsonl:4", "must be a text without white space"),
    Case("qrels of an unknown query", line("qrels/de.tsv", 11, "q999 0 arrival-01 1\n"),
         "qrels/de.tsv:11", "'q999' is no query"),
    Case("qrels of an unknown chunk", line("qrels/de.tsv", 11, "q001 0 nowhere-01 0\n"),
         "qrels/de.tsv:11", "'nowhere-01' is no chunk"),
    Case("qrels of three columns", line("qrels/de.tsv", 2, "q002 arrival-02 1"), "qrels/de.tsv:2", "a qrels line is "),
    Case("answer missing", edit("queries/de.jsonl", 4, reference=...),
         "queries/de.jsonl:4", "answerable query 'q004' has no reference"),
    Case("qrels without a gold chunk", line("qrels/de.tsv", 1, None),
         "queries/de.jsonl:1", "gold 'arrival-01' of 'q001' is not relevant in "),
    Case("gold judged irrelevant", line("qrels/de.tsv", 1, "q001 0 arrival-01 0"),
         "queries/de.jsonl:1", "gold 'arrival-01' of 'q001' is not relevant in "),
    Case("qrels missing", lambda f: (f / "qrels/fr.tsv").unlink(), "qrels/fr.tsv:1", "missing"),
    Case("nugget of an unanswerable query", edit("nuggets/en.jsonl", 3, query_id="q054"),
         "nuggets/en.jsonl:3", "belongs to an unanswerable query"),
    Case("nugget of no query", edit("nuggets/en.jsonl", 3, query_id="q999"),
         "nuggets/en.jsonl:3", "belongs to 'q999', which is no query"),
    Case("nugget in no chunk", edit("nuggets/en.jsonl", 3, doc_ids=["arrival-01", "nowhere-01"]),
         "nuggets/en.jsonl:3", "names 'nowhere-01', which is no chunk"),
    Case("nugget without weight", edit("nuggets/en.jsonl", 3, importance="high"),
         "nuggets/en.jsonl:3", "'importance' is 'vital' or 'okay', not 'high'"),
    Case("importance differs", edit("nuggets/ru.jsonl", 1, importance="okay"),
         "nuggets/ru.jsonl:1", "nugget 'q001-1' differs from 'en'"),
    Case("query without nugget", lambda f: [line("nuggets/en.jsonl", 1, None)(f), line("nuggets/en.jsonl", 1, None)(f)],
         "queries/en.jsonl:1", "answerable query 'q001' has no nugget"),
    Case("empty file", lambda f: (f / "nuggets/en.jsonl").write_text(""), "nuggets/en.jsonl:1", "no usable row"),
]  # fmt: skip


@pytest.mark.slow
def test_the_sample_is_clean(sample: Path) -> None:
    assert validate(sample) == []


def test_the_part_of_it_is_clean_before_it_is_broken(part: Path) -> None:
    assert validate(part) == []


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_broken_thing_is_found_in_its_line(copy: Path, case: Case) -> None:
    case.break_it(copy)
    findings = validate(copy)
    assert [found for found in findings if found.startswith(f"{copy / case.where}: ") and case.says in found]
    # The change also shows in the hash of the file; sources need not ship.
    assert case.name == "source missing" or [found for found in findings if STALE in found]
    assert all(re.fullmatch(rf"{re.escape(str(copy))}/[^:]+:\d+: .+", found) for found in findings)


@pytest.mark.parametrize("name", ["nuggets/de.jsonl", "qrels/de.tsv", "sources/de/lodging.md"])
def test_a_file_that_is_not_the_published_one_is_named(copy: Path, name: str) -> None:
    with (copy / name).open("a") as file:
        file.write("\n")
    assert validate(copy) == [f"{copy / name}:1: {STALE}; data/derive.py renews the hashes of your own edition"]


@pytest.mark.parametrize(("content", "says"), [(None, "cannot be read ("), (b"\xff\n", "not UTF-8 at byte 0")])
def test_an_unreadable_file_is_named_and_hides_no_other(copy: Path, content: bytes | None, says: str) -> None:
    path = copy / "nuggets/de.jsonl"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    edit("queries/zh.jsonl", 2, text=" ")(copy)
    findings = validate(copy)
    assert [found for found in findings if found.startswith(f"{path}:") and says in found]
    assert f"{copy}/queries/zh.jsonl:2: 'text' is blank" in findings


def test_every_bad_row_is_found(copy: Path) -> None:
    for number in (1, 5, 9):
        edit("corpus/en.jsonl", number, text=" ")(copy)
    blank = [found for found in validate(copy) if found.endswith("'text' is blank; a chunk carries text")]
    assert blank == [f"{copy}/corpus/en.jsonl:{number}: 'text' is blank; a chunk carries text" for number in (1, 5, 9)]


def test_without_sources_there_are_no_spans_to_check(copy: Path) -> None:
    shutil.rmtree(copy / "sources")
    assert validate(copy) == []


@pytest.mark.parametrize("text", ["{}", "[]", '{"languages": []}', '{"languages": "en"}', "{"])
def test_a_folder_without_a_usable_head_is_no_benchmark(copy: Path, text: str) -> None:
    (copy / "bench.json").write_text(text)
    with pytest.raises(InputError, match=r"bench\.json"):
        validate(copy)
