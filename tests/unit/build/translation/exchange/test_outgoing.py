"""The files that go out, and their notes."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ragaliq.benchmark.translation.terms_kept import Terms
from ragaliq.build.translation.asking import TranslationTask, terms_in
from ragaliq.build.translation.exchange.incoming import read_returned
from ragaliq.build.translation.exchange.outgoing import export_segments
from ragaliq.build.translation.segment import SegmentStatus
from ragaliq.errors import ConfigError, InputError
from unit.build.translation.exchange.units import OPENS, TARGETS, segment

SEGMENTS = [*map(segment, TARGETS), segment("ru", "LED lamp", "LED лампа"), segment("ru", "Zz")]
pytestmark = pytest.mark.xliff


def notes(path: Path) -> list[str]:
    from translate.storage.xliff import Xliff1File

    return [unit.getnotes() for unit in Xliff1File.parsestring(path.read_bytes()).units]


def test_a_file_for_each_pair_and_one_memory_the_same_bytes_again(tmp_path: Path) -> None:
    files = export_segments(SEGMENTS, Terms(), "house", tmp_path / "out")
    assert [path.name for path in files] == [*(f"en-{lang}.xlf" for lang in sorted(TARGETS)), "memory.tmx"]
    assert sorted(files) == sorted((tmp_path / "out").iterdir())
    assert [unit.source for unit in read_returned(tmp_path / "out" / "en-ru.xlf").units] == [OPENS, "LED lamp", "Zz"]
    memory = read_returned(tmp_path / "out" / "memory.tmx")
    assert (memory.form, len(memory.units)) == ("tmx", 6), "what is untranslated has no variant"
    again = export_segments(SEGMENTS, Terms(), "house", tmp_path / "again")
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in files]


def test_two_source_languages_are_two_files_of_one_memory(tmp_path: Path) -> None:
    french = replace(segment("de", "Fermé.", "Zu."), source_lang="fr")
    files = export_segments([segment("de"), french], Terms(), "house", tmp_path)
    assert [path.name for path in files] == ["en-de.xlf", "fr-de.xlf", "memory.tmx"]
    units = read_returned(files[-1]).units
    assert [(unit.source_lang, unit.target) for unit in units] == [("en", TARGETS["de"]), ("fr", "Zu.")]


def test_notes_tell_places_terms_and_odd_characters(tmp_path: Path) -> None:
    many = replace(segment("de", "The OLED\x07 Heat Pump"), where=tuple(f"chunk {number}" for number in range(7)))
    bare = replace(segment("de", "Zz"), where=())
    glossary = {"de": {"heat pump": "Wärmepumpe", "door": "Tür"}, "ru": {"heat pump": "тепловой насос"}}
    terms = Terms(frozenset(["Pump", "OLED", "TV"]), glossary)
    files = export_segments([many, bare, replace(many, lang="ru")], terms, "house", tmp_path)
    places = "in: chunk 0; chunk 1; chunk 2; chunk 3; chunk 4; and 2 more\nkeep as it is: OLED, Pump"
    hint = "each \\u{…} is a character that a file like this cannot hold: keep it"
    assert notes(files[0]) == [f"{places}\nglossary de: heat pump = Wärmepumpe\n{hint}", ""]
    assert notes(files[1]) == [f"{places}\nglossary ru: heat pump = тепловой насос\n{hint}"]
    memory = files[2].read_text(encoding="utf-8")
    assert memory.count("<note>") == 5 and memory.count("in: chunk 0") == 1


def test_notes_have_the_terms_that_the_model_is_told(tmp_path: Path) -> None:
    """Case, ё and е, wide letters and composed ones: the question and the note name the same terms."""
    terms = Terms(
        frozenset(["VeloNet", "Ёлка", "ＬＥＤ"]),
        {"en": {"счёт": "invoice"}, "zh": {"Straße": "街道", "cafe\u0301": "咖啡馆"}},
    )
    told = {
        "Оплатите счет в velonet.": ("en", "keep as it is: VeloNet\nglossary en: счёт = invoice"),
        "Елка стоит.": ("en", "keep as it is: Ёлка"),
        "Led 灯": ("en", "keep as it is: ＬＥＤ"),
        "STRASSE, CAF\u00c9": ("zh", "glossary zh: Straße = 街道, cafe\u0301 = 咖啡馆"),
        "El perro": ("en", ""),
    }
    for number, (source, (lang, said)) in enumerate(told.items()):
        own = replace(segment(lang, source), where=())
        files = export_segments([own], terms, "house", tmp_path / str(number))
        assert notes(files[0]) == [said], source
        asked = terms_in(TranslationTask(own.source_lang, lang, (source,)), terms)
        assert all(one in said for found in asked.values() for one in found), source
        assert any(asked.values()) == bool(said), source


def test_words_that_nobody_translated_are_open(tmp_path: Path) -> None:
    same = [segment("de", text, text, SegmentStatus.SAME) for text in ("Bread", "45 %", "OLED")]
    files = export_segments([*same, segment("de", "Zz")], Terms(frozenset(["OLED"])), "house", tmp_path)
    text = files[0].read_text(encoding="utf-8")
    assert text.count('state="needs-translation"') == 2 and text.count('state="translated"') == 2
    assert text.count('approved="yes"') == 2
    assert [unit.target for unit in read_returned(files[0]).units] == ["", "45 %", "OLED", ""]
    assert [unit.target for unit in read_returned(files[1]).units] == ["45 %", "OLED"]


def test_a_folder_that_holds_anything_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "en-de.xlf").write_text("edited")
    for out in (tmp_path, tmp_path / "en-de.xlf"):
        with pytest.raises(InputError, match="is there already"):
            export_segments(SEGMENTS, Terms(), "house", out)
    assert (tmp_path / "en-de.xlf").read_text() == "edited"
    with pytest.raises(InputError, match="no segments"):
        export_segments([], Terms(), "house", tmp_path / "new")


def test_without_the_library_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "translate.storage.xliff2", None)
    with pytest.raises(ConfigError, match="pip install translate-toolkit"):
        export_segments(SEGMENTS, Terms(), "house", tmp_path)
    with pytest.raises(ConfigError, match="pip install translate-toolkit"):
        read_returned(tmp_path / "a.xlf")
