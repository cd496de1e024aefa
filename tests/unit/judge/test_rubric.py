from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from ragaliq.errors import ConfigError, InputError
from ragaliq.judge.instructions import load_instructions
from ragaliq.judge.rubric import PROMPTS, load_rubric
from ragaliq.text.language import identify


def write(path: Path, grades: str) -> Path:
    lines = ['version: "mine"', *(f'"{grade}": "Meaning\\n  of {grade}."' for grade in grades)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_shipped_rubric_gives_a_meaning_to_each_grade() -> None:
    rubric = load_rubric()
    assert sorted(rubric.meanings) == [0, 1, 2, 3, 4, 5]
    assert len(set(rubric.meanings.values())) == 6
    assert rubric.hash == hashlib.sha256((PROMPTS / "rubric.yaml").read_bytes()).hexdigest()[:12]


def test_a_judge_reads_one_line_per_grade_the_best_first(tmp_path: Path) -> None:
    rubric = load_rubric(write(tmp_path / "mine.yaml", "031425"))
    assert rubric.version == "mine"
    assert rubric.text == "\n".join(f"{grade}: Meaning of {grade}." for grade in (5, 4, 3, 2, 1, 0))


def test_another_wording_is_another_hash(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.yaml", "012345"), write(tmp_path / "b.yaml", "012345")
    assert load_rubric(first).hash == load_rubric(second).hash != load_rubric().hash
    second.write_text(second.read_text().replace("of 3", "of three"))
    assert load_rubric(first).hash != load_rubric(second).hash


def test_another_scale_is_refused(tmp_path: Path) -> None:
    cases: list[str] = ["01234", "12345", "0123456", ""]
    for grades in cases:
        path = write(tmp_path / "mine.yaml", grades)
        with pytest.raises(ConfigError, match=r'mine\.yaml: a rubric gives a meaning to each of "0", "1"'):
            load_rubric(path)


def test_examples_come_behind_the_grades_for_a_judge_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.yaml", "012345")
    without = load_rubric(path)
    assert without.text_with_examples == without.text
    path.write_text(f"{path.read_text()}examples: |\n  5: yes\n  1: no\n")
    rubric = load_rubric(path)
    assert rubric.text == without.text and rubric.text_with_examples == f"{without.text}\n\n5: yes\n1: no"


def test_each_grade_has_an_example_in_each_language() -> None:
    for lang in ("en", *LANGS):
        examples = load_instructions(instructions="query").of(lang).rubric.examples
        assert {int(grade) for grade in re.findall(r"^([0-9]):", examples, re.MULTILINE)} == set(range(6)), lang


LANGS = ("de", "fr", "es", "ru", "zh")


def test_instructions_in_each_language_say_the_same() -> None:
    for lang in LANGS:
        english = load_instructions()
        own = load_instructions(instructions="query").of(lang)
        prompt, model = own.prompt, english.default.prompt
        assert prompt.texts.keys() == model.texts.keys() == {"system", "user", "repair"}, lang
        assert prompt.version == model.version and own.rubric.version == english.default.rubric.version, lang
        assert own.rubric.meanings.keys() == english.default.rubric.meanings.keys(), lang
        for key in model.texts:
            # Programs read the placeholders, the labels beside the fences, the marker and the JSON keys.
            for form in (r"\$\w+", r"\$fence [A-Z ]+", r"\[[A-Z]+\]", r'"\w+":', "none|partial|full", "ALSO RIGHT"):
                assert re.findall(form, prompt.texts[key]) == re.findall(form, model.texts[key]), (key, form)
        text = " ".join([prompt.texts["system"], prompt.texts["repair"], own.rubric.text])
        assert identify(text, ("en", *LANGS)) == lang, lang


def test_english_is_told_to_all_by_default() -> None:
    told = load_instructions()
    assert [told.of(lang) for lang in ("en", "de", "zh", "hi")] == [told.default] * 4


def test_the_language_of_the_query_is_chosen_where_there_is_a_file() -> None:
    told = load_instructions(instructions="query")
    assert told.of("de").rubric.meanings[5].startswith("Richtig und vollständig.")
    assert told.of("de-AT") == told.of("de") != told.of("en") == told.of("hi") == told.default


def test_files_of_ones_own_for_some_languages(tmp_path: Path) -> None:
    for lang in ("en", "hi"):
        write(tmp_path / f"r.{lang}.yaml", "012345").write_text(
            (tmp_path / f"r.{lang}.yaml").read_text().replace("Meaning", lang)
        )
    named = str(tmp_path / "r.{lang}.yaml")
    told = load_instructions(rubric=named, instructions="query")
    assert [told.of(lang).rubric.meanings[5] for lang in ("en", "hi", "ta")] == ["en of 5.", "hi of 5.", "en of 5."]
    # The prompt is the shipped one in German, which has no rubric among these files.
    assert told.of("de").rubric.meanings[5] == "en of 5." and "Bewertungsskala" in told.of("de").prompt.texts["user"]
    assert load_instructions(rubric=named).of("hi").rubric.meanings[5] == "en of 5."


def test_a_file_for_all_languages_serves_them_all(tmp_path: Path) -> None:
    path = str(write(tmp_path / "mine.yaml", "012345"))
    told = load_instructions(rubric=path, instructions="query")
    assert {told.of(lang).rubric.meanings[5] for lang in ("en", "de", "zh")} == {"Meaning of 5."}


def test_the_hash_covers_every_file_that_can_be_used(tmp_path: Path) -> None:
    named = str(tmp_path / "r.{lang}.yaml")
    for lang in ("en", "hi"):
        write(tmp_path / f"r.{lang}.yaml", "012345")
    before = [load_instructions(rubric=named, instructions=how).hash for how in ("english", "query")]
    hindi = tmp_path / "r.hi.yaml"
    hindi.write_text(hindi.read_text().replace("of 3", "of three"))
    after = [load_instructions(rubric=named, instructions=how).hash for how in ("english", "query")]
    assert before[0] == after[0] and before[1] != after[1]
    assert len({*before, *after, load_instructions().hash, load_instructions(instructions="query").hash}) == 5


def test_another_way_to_fence_is_another_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    before = load_instructions().hash
    monkeypatch.setattr("ragaliq.judge.fence.VERSION", "another")
    assert load_instructions().hash != before


def test_other_words_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'instructions' 'german'"):
        load_instructions(instructions="german")
    with pytest.raises(InputError, match=r"r\.en\.yaml: cannot be read"):
        load_instructions(rubric=str(tmp_path / "r.{lang}.yaml"))
