"""A translation memory of all languages."""

from __future__ import annotations

import pytest
from hypothesis import given

from ragaliq.build.translation.exchange.tmx import tmx_file, tmx_units
from ragaliq.build.translation.exchange.unit import IncomingUnit
from ragaliq.build.translation.segment import SegmentStatus
from unit.build.translation.exchange.test_xml_text import TEXTS
from unit.build.translation.exchange.units import OPENS, TARGETS, outgoing, segment

pytestmark = pytest.mark.xliff


def test_an_entry_has_a_variant_for_each_language_that_is_translated() -> None:
    from translate.storage.tmx import tmxfile

    segments = [*map(segment, TARGETS), segment("de", "Two", "Zwei"), segment("fr", "Two")]
    data = tmx_file([outgoing(one, "in: chunk a") for one in segments])
    store = tmxfile.parsestring(data)
    first, second = store.units
    assert (first.source, second.source) == (OPENS, "Two")
    assert {lang: first.gettarget(lang) for lang in TARGETS} == TARGETS
    assert (second.gettarget("de"), second.gettarget("fr")) == ("Zwei", None)
    assert first.getnotes() == "in: chunk a", "once, not for every language"
    assert [(unit.lang, unit.source, unit.target) for unit in tmx_units(data)] == [
        *((lang, OPENS, text) for lang, text in TARGETS.items()), ("de", "Two", "Zwei"),
    ]  # fmt: skip


@given(TEXTS, TEXTS)
def test_any_text_comes_back_as_it_was(source: str, target: str) -> None:
    unit = outgoing(segment("zh", source, target, SegmentStatus.TRANSLATED))
    (back,) = tmx_units(tmx_file([unit]))
    expected = IncomingUnit(unit.segment_id, "en", "zh", source, unit.segment.target, "")
    assert back == expected


def test_source_language_and_translator_are_found_where_tools_write_them() -> None:
    data = """<!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><header srclang="EN"/><body>
    <tu><tuv xml:lang="de-CH" changeid="vera" creationid="jo"><seg>Eins</seg></tuv>
    <tuv xml:lang="en"><seg>One</seg></tuv></tu>
    <tu srclang="*all*" tuid="7"><tuv xml:lang="en"><seg>Two<ph/></seg></tuv>
    <tuv lang="ru" creationid="jo"><seg>Два</seg></tuv></tu>
    <tu srclang="fr"><tuv xml:lang="en"><seg>Three</seg></tuv></tu>
    <tu><tuv xml:lang="en"/><tuv xml:lang="zh"><seg/></tuv></tu><tu/></body></tmx>"""
    assert list(tmx_units(data.encode())) == [
        IncomingUnit("", "en", "de-CH", "One", "Eins", "vera"),
        IncomingUnit("7", "en", "ru", "Two", "Два", "jo"),
        IncomingUnit("", "fr", "en", "", "Three", ""),
        IncomingUnit("", "en", "zh", "", "", ""),
    ]
