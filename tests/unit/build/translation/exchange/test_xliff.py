"""XLIFF as tools read it, and as they write it."""

from __future__ import annotations

import pytest
from hypothesis import given

from ragaliq.build.translation.exchange.unit import IncomingUnit
from ragaliq.build.translation.exchange.xliff import xliff2_units, xliff_file, xliff_units
from ragaliq.build.translation.segment import SegmentStatus
from unit.build.translation.exchange.test_xml_text import TEXTS
from unit.build.translation.exchange.units import OPENS, TARGETS, outgoing, segment

pytestmark = pytest.mark.xliff


def test_a_file_has_languages_ids_states_and_notes() -> None:
    from translate.storage.xliff import Xliff1File

    segments = [
        segment("ru"),
        segment("ru", "B", "Б", SegmentStatus.EDITED),
        segment("ru", "1", "1", SegmentStatus.SAME),
        segment("ru", "C"),
    ]
    data = xliff_file([outgoing(one, "in: chunk a", "keep as it is: OLED") for one in segments], "Дом & Hof")
    assert b'<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">' in data
    store = Xliff1File.parsestring(data)
    assert (store.sourcelanguage, store.targetlanguage) == ("en", "ru")
    (file,) = store.document.getroot()
    assert file.get("original") == "Дом & Hof"
    assert [unit.source for unit in store.units] == [OPENS, "B", "1", "C"]
    assert [unit.target for unit in store.units] == [TARGETS["ru"], "Б", "1", ""]
    nodes = [unit.get_target_dom() for unit in store.units]
    assert [None if node is None else node.get("state") for node in nodes] == [
        "needs-review-translation", "translated", "translated", "needs-translation",
    ]  # fmt: skip
    assert [unit.isapproved() for unit in store.units] == [False, True, True, False]
    assert store.units[0].getnotes() == "in: chunk a\nkeep as it is: OLED"
    assert xliff_file([outgoing(one) for one in segments], "x") == xliff_file([outgoing(one) for one in segments], "x")


@given(TEXTS, TEXTS)
def test_any_text_comes_back_as_it_was(source: str, target: str) -> None:
    unit = outgoing(segment("zh", source, target, SegmentStatus.TRANSLATED))
    (back,) = xliff_units(xliff_file([unit], "x"))
    assert (back.segment_id, back.source, back.target) == (unit.segment_id, source, unit.segment.target)
    assert (back.source_lang, back.lang, back.by) == ("en", "zh", "")


def test_files_of_several_languages_and_phases_with_their_translators() -> None:
    data = """<xliff version="1.1" xmlns="urn:oasis:names:tc:xliff:document:1.1">
    <file original="a" source-language="en-US" target-language="de-AT" datatype="plaintext"><header><phase-group>
    <phase phase-name="first" process-name="translation" contact-name="Vera  Öz"/>
    <phase phase-name="second" process-name="review" contact-email="jo@example.org"/></phase-group></header>
    <body><group><trans-unit id="1"><source>One</source><target phase-name="first">Eins</target></trans-unit></group>
    <trans-unit id="2"><source>A <g id="1">bold</g> move<x id="2"/></source>
    <target phase-name="second">Ein <g id="1">kühner</g> Zug<x id="2"/></target></trans-unit>
    <trans-unit id="3"><source>Three</source></trans-unit></body></file>
    <file original="b" source-language="en" target-language="zh" datatype="plaintext"><body>
    <trans-unit id="1"><source>One</source><target>一</target></trans-unit></body></file></xliff>"""
    assert list(xliff_units(data.encode())) == [
        IncomingUnit("1", "en-US", "de-AT", "One", "Eins", "Vera  Öz"),
        IncomingUnit("2", "en-US", "de-AT", "A bold move", "Ein kühner Zug", "jo@example.org"),
        IncomingUnit("3", "en-US", "de-AT", "Three", "", ""),
        IncomingUnit("1", "en", "zh", "One", "一", ""),
    ]


def test_version_2_is_read() -> None:
    data = """<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="ru">
    <file id="f"><unit id="s1"><segment state="translated"><source>One</source><target>Один</target></segment></unit>
    <unit id="s2"><segment id="a"><source>Two</source></segment></unit></file></xliff>"""
    assert list(xliff2_units(data.encode())) == [
        IncomingUnit("s1", "en", "ru", "One", "Один", ""),
        IncomingUnit("s2::a", "en", "ru", "Two", "", ""),
    ]
