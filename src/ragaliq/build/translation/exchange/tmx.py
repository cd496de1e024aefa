"""TMX 1.4: a translation memory with all languages in one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragaliq.build.translation.exchange.unit import IncomingUnit, OutgoingUnit
from ragaliq.build.translation.exchange.xml_text import from_xml_text, to_xml_text
from ragaliq.build.translation.segment import SegmentStatus

_ANY = "*all*"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def tmx_file(units: Sequence[OutgoingUnit]) -> bytes:
    """Return a file with units of any languages; those with the same source are one entry.

    A segment that is untranslated has no variant in its language.
    """
    from translate.storage.tmx import tmxfile, tmxunit

    source_langs = sorted({unit.segment.source_lang for unit in units})
    store = tmxfile(sourcelanguage=source_langs[0])
    entries: dict[str, tmxunit] = {}
    noted = set()
    for unit in units:
        segment = unit.segment
        if unit.segment_id not in entries:
            entries[unit.segment_id] = store.addsourceunit(to_xml_text(segment.source), segment.source_lang)
            entries[unit.segment_id].xmlelement.set("tuid", unit.segment_id)
        entry = entries[unit.segment_id]
        for note in unit.notes:
            if (unit.segment_id, note) not in noted:
                entry.addnote(note)
                noted.add((unit.segment_id, note))
        if segment.status is not SegmentStatus.UNTRANSLATED:
            entry.xmlelement.append(entry.createlanguageNode(segment.lang, to_xml_text(segment.target), "target"))
    return bytes(store)


def tmx_units(data: bytes) -> Iterator[IncomingUnit]:
    """Yield a unit for each entry and language but the entry's source language.

    The source language is the one that the entry names, else the header; where they name none, that of the first
    variant. The translator is who changed the variant last, else who made it.
    """
    from translate.storage.tmx import tmxfile

    store = tmxfile.parsestring(data)
    for entry in store.units:
        variants = entry.getlanguageNodes()
        langs = [node.get(_LANG) or node.get("lang") or "" for node in variants]
        named = entry.xmlelement.get("srclang") or store.sourcelanguage or _ANY
        texts = [from_xml_text(entry.getNodeText(node) or "") for node in variants]
        origin = next((place for place, lang in enumerate(langs) if named.lower() in (lang.lower(), _ANY)), None)
        for place, node in enumerate(variants):
            if place == origin:
                continue
            source = "" if origin is None else texts[origin]
            source_lang = named if origin is None else langs[origin]
            by = node.get("changeid") or node.get("creationid") or ""
            named_id, notes = entry.xmlelement.get("tuid", ""), entry.getnotes()
            yield IncomingUnit(named_id, source_lang, langs[place], source, texts[place], by, notes)
