"""Which translations of a returned file are edits, and what is said of the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.benchmark.translation.terms_kept import Terms
from ragaliq.build.translation.edits import append_edits
from ragaliq.build.translation.exchange.incoming import NoEdit, ReturnedFile, read_returned, returned_edits
from ragaliq.build.translation.exchange.outgoing import export_segments
from ragaliq.build.translation.exchange.tmx import tmx_file
from ragaliq.build.translation.exchange.unit import IncomingUnit
from ragaliq.build.translation.exchange.xliff import xliff_file
from ragaliq.build.translation.segment import SegmentStatus, segment_id
from ragaliq.errors import InputError
from unit.build.translation.exchange.units import OPENS, TARGETS, outgoing, segment

SEGMENTS = [*map(segment, TARGETS), segment("ru", "Zz"), segment("zh", "Line one.\nLine two.", "一。\n二。")]
AT = "2026-01-01T00:00:00+00:00"
RUSSIAN = "Мастерская открыта с 8 часов."


def unit(lang: str = "ru", target: str = RUSSIAN, source: str = OPENS, by: str = "", **others: str) -> IncomingUnit:
    source_lang, notes = others.get("source_lang", "en"), others.get("notes", "")
    return IncomingUnit(others.get("id", ""), source_lang, lang, source, target, by, notes)


def returned(folder: Path, *units: IncomingUnit, form: str = "xliff"):  # type: ignore[no-untyped-def]
    return returned_edits(folder, SEGMENTS, [ReturnedFile(form, units)], "login", AT)  # type: ignore[arg-type]


def test_a_changed_translation_is_an_edit_with_who_and_when(tmp_path: Path) -> None:
    result = returned(tmp_path, unit(by=" Vera\n Öz "), unit("zh", "8点开门。"), unit("zh", TARGETS["zh"], "Zz"))
    first, second = result.edits
    assert (first.source_lang, first.lang, first.source) == ("en", "ru", OPENS)
    assert (first.before, first.after, first.by, first.at) == (TARGETS["ru"], RUSSIAN, "Vera Öz", AT)
    assert (second.lang, second.by, second.form) == ("zh", "login", "xliff")
    assert result.others == {NoEdit.UNKNOWN: 1}, "the segment Zz is one in Russian alone"


def test_every_other_unit_is_counted_by_its_cause(tmp_path: Path) -> None:
    result = returned(
        tmp_path,
        *(unit(lang, f" {text}\n") for lang, text in TARGETS.items()),
        unit(target=""), unit("fr", " \u3000"),
        unit(source="Nobody knows."), unit(source_lang="de"),
        unit("it"), unit("pt-BR"), unit(""), unit("en"),
    )  # fmt: skip
    assert result.edits == ()
    assert result.others == {NoEdit.UNCHANGED: 5, NoEdit.EMPTY: 2, NoEdit.UNKNOWN: 2, NoEdit.FOREIGN: 4}
    assert result.languages == ("en", "it", "none named", "pt-BR")


def test_tags_of_regions_and_scripts_are_the_language(tmp_path: Path) -> None:
    units = [unit("RU-ru"), unit("zh_Hans_CN", "门"), unit("de-AT", "Auf.", source_lang="en-US")]
    assert [edit.lang for edit in returned(tmp_path, *units).edits] == ["ru", "zh", "de"]


@pytest.mark.parametrize(
    ("tag", "lang"),
    [("pt-BR", "pt-BR"), ("pt_br", "pt-BR"), ("pt", "pt-BR"), ("ZH-CN", "zh-CN"), ("zh-Hans-CN", "zh-CN"),
     ("de-at", "de-AT"), ("de", "de"), ("de-CH", "de"), ("en-AU", ""), ("es", "")],
)  # fmt: skip
def test_languages_with_a_region_are_found_by_any_tag(tmp_path: Path, tag: str, lang: str) -> None:
    known = [replace(segment("de"), lang=one) for one in ("pt-BR", "zh-CN", "de-AT", "de", "en-GB", "en-US")]
    files = [ReturnedFile("xliff", (unit(tag, "Novo."),))]
    edits = returned_edits(tmp_path, known, files, "login", AT).edits
    assert [edit.lang for edit in edits] == ([lang] if lang else [])


@pytest.mark.xliff
def test_a_language_with_a_region_comes_back_as_it_went_out(tmp_path: Path) -> None:
    known = [replace(segment("de"), lang=lang) for lang in ("pt-BR", "zh-CN")]
    edited = [replace(one, target=f"Novo {one.lang}.") for one in known]
    (tmp_path / "a.xlf").write_bytes(xliff_file([outgoing(edited[0])], "x"))
    (tmp_path / "m.tmx").write_bytes(tmx_file([outgoing(one) for one in edited]))
    files = [read_returned(tmp_path / name) for name in ("a.xlf", "m.tmx")]
    result = returned_edits(tmp_path, known, files, "login", AT)
    assert [(edit.lang, edit.after) for edit in result.edits] == [("pt-BR", "Novo pt-BR."), ("zh-CN", "Novo zh-CN.")]
    assert result.others == {NoEdit.UNCHANGED: 1}


@pytest.mark.xliff
@pytest.mark.parametrize("form", ["xliff", "tmx"])
def test_half_a_character_is_refused_with_its_unit(tmp_path: Path, form: str) -> None:
    units = [outgoing(replace(segment("ru"), target="Откры\ud800то"))]
    path = tmp_path / "back"
    path.write_bytes(xliff_file(units, "x") if form == "xliff" else tmx_file(units))
    with pytest.raises(
        InputError, match=rf"back: unit {segment_id('en', OPENS)} '{OPENS}': the target has \\u{{D800}}"
    ):
        read_returned(path)


def test_a_target_that_a_tool_filled_with_the_source_is_no_edit(tmp_path: Path) -> None:
    result = returned(tmp_path, unit(target=f" {OPENS}"), unit("zh", OPENS))
    assert (result.edits, result.others) == ((), {NoEdit.EMPTY: 2})
    names = [replace(segment("de"), source="Bernhard Rust", target="Der Bernhard Rust")]
    file = ReturnedFile("xliff", (unit("de", "Bernhard Rust", "Bernhard Rust"),))
    assert len(returned_edits(tmp_path, names, [file], "login", AT).edits) == 1
    kept = [replace(names[0], source="Rust and more")]
    file = ReturnedFile("xliff", (unit("de", "Rust and more", "Rust and more"),))
    assert returned_edits(tmp_path, kept, [file], "login", AT).others == {NoEdit.EMPTY: 1}
    assert len(returned_edits(tmp_path, kept, [file], "login", AT, ["Rust and more"]).edits) == 1


def test_an_untranslated_segment_gets_its_first_translation(tmp_path: Path) -> None:
    (edit,) = returned(tmp_path, unit(source="Zz", target="Ззз")).edits
    assert (edit.before, edit.after) == ("", "Ззз")


def test_a_tool_that_changes_white_space_is_followed_by_the_id(tmp_path: Path) -> None:
    lines = "Line one.\nLine two."
    named = segment_id("en", lines)
    result = returned(
        tmp_path,
        unit("zh", "新。", "Line one. Line two.", id=named),
        unit("zh", "错。", "Line one. Line three.", id=named),
        unit("zh", "错。", "Line one. Line two."),
    )
    assert [edit.source for edit in result.edits] == [lines]
    assert result.others == {NoEdit.UNKNOWN: 2}


def test_a_segment_of_one_line_stays_one(tmp_path: Path) -> None:
    result = returned(
        tmp_path, unit("de", "Sie öffnet \r\n\n um\u2028 8."), unit("zh", "甲。\n乙。", "Line one.\nLine two.")
    )
    assert [edit.after for edit in result.edits] == ["Sie öffnet um\u2028 8.", "甲。\n乙。"]
    assert returned(tmp_path, unit("de", TARGETS["de"].replace(" ", "\n"))).others == {NoEdit.UNCHANGED: 1}


def test_composed_letters_are_no_edit(tmp_path: Path) -> None:
    decomposed = TARGETS["de"].replace("ö", "o\u0308")
    assert returned(tmp_path, unit("de", decomposed)).others == {NoEdit.UNCHANGED: 1}
    model = replace(segment("de"), target=f" {decomposed} ")
    for target in (decomposed, TARGETS["de"]):
        files = [ReturnedFile("xliff", (unit("de", target),))]
        assert returned_edits(tmp_path, [model], files, "login", AT).others == {NoEdit.UNCHANGED: 1}


def test_a_file_from_before_an_edit_does_not_undo_it(tmp_path: Path) -> None:
    append_edits(tmp_path, returned(tmp_path, unit()).edits)
    again = returned(tmp_path, unit(), unit(target=TARGETS["ru"]))
    assert (again.edits, again.others) == ((), {NoEdit.UNCHANGED: 1, NoEdit.OUTDATED: 1})
    (edit,) = returned(tmp_path, unit(target="Открыто.")).edits
    assert edit.before == RUSSIAN


def test_a_file_that_shows_the_edit_can_go_back(tmp_path: Path) -> None:
    model, wrong, third = unit(target=TARGETS["ru"]), unit(target=RUSSIAN), unit(target="Открыто.")
    append_edits(tmp_path, returned(tmp_path, wrong).edits)
    for notes in ("", "version de: 1", "version ru: 0", "see version ru: 1"):
        assert returned(tmp_path, replace(model, notes=notes)).others == {NoEdit.OUTDATED: 1}, notes
    shown = replace(model, notes="in: chunk a\nversion de: 7\nversion ru: 1\nchecked")
    unedited = replace(wrong, notes=shown.notes)
    back = returned(tmp_path, unedited, shown, shown, unedited)
    assert [(edit.before, edit.after) for edit in back.edits] == [(RUSSIAN, TARGETS["ru"])]
    assert back.others == {NoEdit.UNCHANGED: 2, NoEdit.OUTDATED: 1}, "the second file was not edited"
    assert append_edits(tmp_path, back.edits) == 1
    assert returned(tmp_path, shown, unedited).others == {NoEdit.UNCHANGED: 1, NoEdit.OUTDATED: 1}
    append_edits(tmp_path, returned(tmp_path, third).edits)
    assert returned(tmp_path, shown).others == {NoEdit.OUTDATED: 1}, "the file shows an edit before the latest"
    (again,) = returned(tmp_path, replace(shown, notes="version ru: 3")).edits
    assert (again.before, again.after) == ("Открыто.", TARGETS["ru"])


@pytest.mark.xliff
def test_the_files_of_an_export_after_an_edit_can_go_back(tmp_path: Path) -> None:
    append_edits(tmp_path, returned(tmp_path, unit()).edits)
    edited = replace(segment("ru"), target=RUSSIAN, status=SegmentStatus.EDITED, version=1)
    segments = [segment("de"), edited]
    for path in export_segments(segments, Terms(), "x", tmp_path / "out"):
        text = path.read_text(encoding="utf-8")
        assert ("version ru: 1" in text) is (path.name != "en-de.xlf")
        path.write_text(text.replace(RUSSIAN, TARGETS["ru"]), encoding="utf-8")
        result = returned_edits(tmp_path, segments, [read_returned(path)], "login", AT)
        assert [edit.after for edit in result.edits] == [TARGETS["ru"]] * (path.name != "en-de.xlf"), path.name


def test_what_is_not_taken_is_named_up_to_five(tmp_path: Path) -> None:
    strange = [unit(source=f"Sentence {number} of\n another \x1b {'x' * 99}", id=f"u{number}") for number in range(7)]
    result = returned(tmp_path, *strange, unit("it", id="s7"), unit(target=""), unit("de", TARGETS["de"]))
    assert result.named.keys() == {NoEdit.UNKNOWN, NoEdit.FOREIGN}
    assert result.named[NoEdit.FOREIGN] == (f"s7 '{OPENS}'",)
    names = result.named[NoEdit.UNKNOWN]
    assert len(names) == 5 and names[0] == rf"u0 'Sentence 0 of another \u{{1B}} {'x' * 31}…'"


def test_the_later_of_two_files_holds_and_the_first_is_told(tmp_path: Path) -> None:
    first, second = ReturnedFile("xliff", (unit(),)), ReturnedFile("tmx", (unit(target="Открыто.", by="jo"),))
    unedited = ReturnedFile("tmx", (unit(target=TARGETS["ru"]),))
    result = returned_edits(tmp_path, SEGMENTS, [first, second, unedited], "login", AT)
    assert [(edit.before, edit.after, edit.by, edit.form) for edit in result.edits] == [
        (TARGETS["ru"], RUSSIAN, "login", "xliff"),
        (RUSSIAN, "Открыто.", "jo", "tmx"),
    ]
    assert (result.superseded, result.others) == (1, {NoEdit.OUTDATED: 1})


@pytest.mark.xliff
def test_both_formats_are_known_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "any.txt"
    path.write_bytes(xliff_file([outgoing(segment("ru"))], "x"))
    assert (read_returned(path).form, len(read_returned(path).units)) == ("xliff", 1)
    path.write_bytes(tmx_file([outgoing(segment("ru"))]))
    assert (read_returned(path).form, len(read_returned(path).units)) == ("tmx", 1)
    path.write_text(
        '<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de"><file id="f">'
        '<unit id="s1"><segment><source>One</source><target>Eins</target></segment></unit></file></xliff>'
    )
    assert read_returned(path).units == (IncomingUnit("s1", "en", "de", "One", "Eins", ""),)


@pytest.mark.xliff
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "koi8-r"])
def test_other_encodings_comments_and_quoted_text_are_read(encoding: str, tmp_path: Path) -> None:
    text = f"""<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?><!-- made by hand -->
    <xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" target-language="ru"
    original="x" datatype="plaintext"><body><trans-unit id="1"><source>One &amp; two</source>
    <target><![CDATA[Один & ]]>два<!-- 2 --></target></trans-unit></body></file></xliff>"""
    path = tmp_path / "ru.xlf"
    path.write_bytes(text.encode(encoding))
    assert read_returned(path).units == (IncomingUnit("1", "en", "ru", "One & two", "Один & два", ""),)


@pytest.mark.xliff
@pytest.mark.parametrize(
    "text",
    ["", "id;text\n", "<html/>", "<xliff/>", '<xliff version="1.2"/>', '<xliff version="3"/>', "<tmx/>", "<tmx><body>",
     '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file/></xliff>',
     '<y:xliff xmlns:y="urn:z" version="1.2"><y:file/></y:xliff>', f"<tmx>{'<a>' * 3000}{'</a>' * 3000}</tmx>"],
)  # fmt: skip
def test_a_file_that_is_neither_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "ru.xlf"
    path.write_text(text)
    with pytest.raises(InputError, match=r"ru\.xlf(:1)?: [^\n]+; [^\n]+\Z"):
        read_returned(path)


@pytest.mark.xliff
@pytest.mark.parametrize("name", [".", "none.xlf"])
def test_a_file_that_is_not_there_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_returned(tmp_path / name)


@pytest.mark.xliff
@given(st.sampled_from(["xliff", "tmx"]), st.data())
def test_a_damaged_file_is_read_or_refused_never_a_crash(
    tmp_path_factory: pytest.TempPathFactory, form: str, data: st.DataObject
) -> None:
    units = [outgoing(segment("ru"), "in: chunk a")]
    text = (xliff_file(units, "x") if form == "xliff" else tmx_file(units)).decode()
    names = ["xliff", "file", "body", "trans-unit", "source", "target", "header", "tu", "tuv", "seg", "srclang", "tmx"]
    for _ in range(data.draw(st.integers(1, 3))):
        text = text.replace(data.draw(st.sampled_from(names)), data.draw(st.sampled_from([*names, "x", ""])))
    path = tmp_path_factory.mktemp("damaged") / "ru.xlf"
    path.write_text(text)
    try:
        read_returned(path)
    except InputError as error:
        assert str(error).startswith(str(path)) and "\n" not in str(error)


@pytest.mark.xliff
def test_a_round_trip_without_edits_changes_nothing(tmp_path: Path) -> None:
    odd = replace(segment("ru", "a\x00b\ud83d \\u{41}\r\n c", "\x01 б \uffff\r д"), where=())
    segments = [*SEGMENTS, odd]
    files = []
    for lang in TARGETS:
        path = tmp_path / f"{lang}.xlf"
        path.write_bytes(xliff_file([outgoing(one) for one in segments if one.lang == lang], "x"))
        files.append(read_returned(path))
    (tmp_path / "m.tmx").write_bytes(tmx_file([outgoing(one) for one in segments]))
    result = returned_edits(tmp_path, segments, [*files, read_returned(tmp_path / "m.tmx")], "login", AT)
    assert result.edits == ()
    assert result.others == {NoEdit.UNCHANGED: 14, NoEdit.EMPTY: 1}
