"""What validation says about facts, answers and the exam of a benchmark, one broken thing at a time."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragaliq.benchmark.checks.validate import not_checked, validate
from ragaliq.storage.files import read_json, write_json
from unit.benchmark.checks.test_validate import STALE, Case, edit, lines, put

GERMAN = "Dieser Satz ist ohne jeden Zweifel in deutscher Sprache geschrieben worden."


def row(path: Path, number: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(lines(path)[number - 1])
    return found


def text(name: str, number: int, old: str, new: str, key: str = "text") -> Callable[[Path], None]:
    """Replace a part of a text by another of the same length, so that the span still fits."""

    def apply(folder: Path) -> None:
        value = row(folder / name, number)[key]
        assert old in value
        edit(name, number, **{key: value.replace(old, new, 1)})(folder)

    return apply


def nearly_the_same(folder: Path) -> None:
    own = row(folder / "queries/en.jsonl", 1)["text"]
    edit("queries/en.jsonl", 10, text=own.replace("sail in", "sail, in"))(folder)


def alias_inside(folder: Path) -> None:
    edit("queries/en.jsonl", 2, aliases=["For the BOAT trip"])(folder)


CASES = [
    Case("number in a chunk", text("corpus/zh.jsonl", 1, "15:30", "15:40"), "corpus/zh.jsonl:1",
         "chunk 'administration-01' states other facts than in 'en': 'en' has '15:30'; 'zh' has '15:40'"),
    Case("number in a reference", text("queries/de.jsonl", 2, "40", "41", "reference"), "queries/de.jsonl:2",
         "the reference of 'q002' states other facts than in 'en': 'en' has '40 kg'; 'de' has '41 kg'"),
    Case("address in a chunk", text("corpus/ru.jsonl", 1, "office@", "oficce@"), "corpus/ru.jsonl:1",
         "'en' has 'office@velmora.example'; 'ru' has 'oficce@velmora.example'"),
    Case("month in a nugget", text("nuggets/fr.jsonl", 13, "10 décembre", "10 novembre"), "nuggets/fr.jsonl:13",
         "'en' has '10 December'; 'fr' has '10 novembre'"),
    Case("number too many", text("nuggets/es.jsonl", 15, "seis personas", "6 personas 9 noches"),
         "nuggets/es.jsonl:15", "facts than in 'en': 'es' has '9 noches', not in 'en'"),
    Case("month in a question", edit("queries/fr.jsonl", 1, text="Quand part le bateau de Brannick en février ?"),
         "queries/fr.jsonl:1", "the text of 'q001' states other facts than in 'en': 'en' has 'January'; 'fr' has"),
    Case("nearly the same question", nearly_the_same, "queries/en.jsonl:10",
         "the text of 'q047' is nearly that of 'q001' (1.00); but only one of them is answerable"),
    Case("alias inside the question", alias_inside, "queries/en.jsonl:2",
         "the question of 'q002' contains its own answer 'For the BOAT trip'"),
    Case("all numbers in the question", edit("queries/en.jsonl", 8, text="May a cart really hold 250 kilos?"),
         "queries/en.jsonl:8", "the question of 'q034' states every number of its answer '250 kg.'"),
    Case("no near miss", edit("queries/ru.jsonl", 11, near_miss=""), "queries/ru.jsonl:11",
         "unanswerable query 'q054' names no 'near_miss'"),
    Case("relevant to an unanswerable query", lambda f: put(f / "qrels/de.tsv", 1, "q054 0 arrival-01 1"),
         "queries/de.jsonl:11", "'q054' is unanswerable, but 'arrival-01' is relevant in its qrels"),
    Case("no licence", lambda f: write_json(f / "bench.json", {**read_json(f / "bench.json"), "licence": " "}),
         "bench.json:1", "names no 'licence'"),
    Case("no card", lambda f: (f.parent / "CARD.md").unlink(), "CARD.md:1", "missing"),
    Case("exam of no query", edit("exam/en.jsonl", 1, query_id="q999"), "exam/en.jsonl:1", "'q999' is no query"),
    Case("exam grades", edit("exam/en.jsonl", 1, grades=[5, 4]), "exam/en.jsonl:1", "'grades' is [least, most]"),
    Case("exam kind", edit("exam/en.jsonl", 1, kind="parafrase"), "exam/en.jsonl:1", "'kind' of 'q041-paraphrase' is"),
    Case("exam id twice", edit("exam/en.jsonl", 2, exam_id="q041-paraphrase"), "exam/en.jsonl:2",
         "exam_id 'q041-paraphrase' stands already in line 1"),
    Case("exam answer blank", edit("exam/de.jsonl", 1, answer=" "), "exam/de.jsonl:1", "is blank"),
    Case("exam answer missing", lambda f: put(f / "exam/de.jsonl", 1, None), "exam/en.jsonl:1", "is missing in 'de'"),
    Case("exam kind differs", edit("exam/de.jsonl", 1, kind="extras"), "exam/de.jsonl:1", "in more than its text"),
    Case("exam in another language", edit("exam/en.jsonl", 1, answer=GERMAN), "exam/en.jsonl:1", "look like 'en'"),
    Case("exam in the right language", edit("exam/de.jsonl", 8, answer=GERMAN), "exam/de.jsonl:8", "other than 'de'"),
    Case("exam number", text("exam/de.jsonl", 1, "15:30", "16:30", "answer"), "exam/de.jsonl:1",
         "exam answer 'q041-paraphrase' states other facts than in 'en': 'en' has '15:30'; 'de' has '16:30"),
    Case("exam unreadable", lambda f: (f / "exam/de.jsonl").write_text("[]"), "exam/de.jsonl:1", "a JSON object"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_broken_thing_is_found_in_its_line(copy: Path, case: Case) -> None:
    case.break_it(copy)
    assert [found for found in validate(copy) if found.startswith(f"{copy / case.where}: ") and case.says in found]


def test_languages_that_are_no_translations_are_not_compared(copy: Path) -> None:
    head = {**read_json(copy / "bench.json"), "parallel": False, "licence": ""}
    write_json(copy / "bench.json", head)
    (copy.parent / "CARD.md").unlink()
    text("corpus/zh.jsonl", 1, "15:30", "15:40")(copy)
    put(copy / "corpus/ru.jsonl", 11, None)
    put(copy / "exam/ru.jsonl", 1, None)
    edit("queries/en.jsonl", 11, near_miss="")(copy)
    found = [each for each in validate(copy) if STALE not in each]
    assert [each for each in found if "is not what stands at" not in each and "transport-05" not in each] == []
    (note,) = not_checked(copy)
    assert '"parallel": false' in note


def test_a_language_without_number_words_is_named(copy: Path) -> None:
    assert not_checked(copy) == []
    for kind in ("corpus", "queries", "nuggets", "exam"):
        shutil.copy(copy / kind / "en.jsonl", copy / kind / "pl.jsonl")
    write_json(copy / "bench.json", {**read_json(copy / "bench.json"), "languages": ["en", "pl"]})
    assert not_checked(copy) == ["numbers are not compared in pl: no number words are known"]


def test_false_premises_and_comparisons_may_name_numbers(copy: Path) -> None:
    for kind in ("false-premise", "comparative"):
        edit("queries/en.jsonl", 8, text="May a cart really hold 250 kilos?", type=kind)(copy)
        assert not [found for found in validate(copy) if "states every number" in found]
