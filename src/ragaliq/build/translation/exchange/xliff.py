"""XLIFF: version 1.2 is written, which nearly all tools take; 1.1, 1.2 and 2.x are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ragaliq.build.translation.exchange.unit import IncomingUnit, OutgoingUnit
from ragaliq.build.translation.exchange.xml_text import from_xml_text, to_xml_text
from ragaliq.build.translation.segment import SegmentStatus

if TYPE_CHECKING:
    from translate.storage.xliff import Xliff1Unit

_EMPTY = b"""<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="NoName" source-language="en" datatype="plaintext"><body></body></file>
</xliff>"""


def xliff_file(units: Sequence[OutgoingUnit], name: str) -> bytes:
    """Return a file with units of one pair of languages; `name` is the benchmark's.

    What a person translated, or nobody needs to, is `translated`; what a model translated `needs-review-translation`;
    a segment that is untranslated has an empty target that is `needs-translation`.
    """
    from lxml import etree
    from translate.storage.xliff import Xliff1File

    store = Xliff1File.parsestring(_EMPTY)
    first = units[0].segment
    store.sourcelanguage, store.targetlanguage = first.source_lang, first.lang
    for unit in units:
        segment = unit.segment
        added = store.addsourceunit(to_xml_text(segment.source))
        added.setid(unit.segment_id)
        untranslated = segment.status is SegmentStatus.UNTRANSLATED
        added.settarget("" if untranslated else to_xml_text(segment.target))
        reviewed = added.S_NEEDS_REVIEW if segment.status is SegmentStatus.TRANSLATED else added.S_TRANSLATED
        added.set_state_n(added.S_NEEDS_TRANSLATION if untranslated else reviewed)
        for note in unit.notes:
            added.addnote(note, origin="developer")
    root = store.document.getroot()
    next(root.iterchildren(store.namespaced("file"))).set("original", to_xml_text(name))
    # Each unit was made outside of the file, and brings a namespace that it does not use.
    etree.cleanup_namespaces(root)
    return bytes(store)


def xliff_units(data: bytes) -> Iterator[IncomingUnit]:
    """Yield the units of a file of version 1; the translator is the contact of the phase that a target names."""
    from translate.storage.xliff import Xliff1File

    store = Xliff1File.parsestring(data)
    phases: dict[Any, dict[str, str]] = {}
    for unit in store.units:
        file = next(unit.xmlelement.iterancestors(store.namespaced("file")))
        if file not in phases:
            phases[file] = {
                phase.get("phase-name", ""): phase.get("contact-name") or phase.get("contact-email") or ""
                for phase in file.iterdescendants(store.namespaced("phase"))
            }
        yield IncomingUnit(
            unit.xmlelement.get("id", ""),
            file.get("source-language", ""),
            file.get("target-language", ""),
            from_xml_text(unit.source or ""),
            from_xml_text(unit.target or ""),
            phases[file].get(_phase(unit), ""),
            unit.getnotes(),
        )


def xliff2_units(data: bytes) -> Iterator[IncomingUnit]:
    """Yield the units of a file of version 2, whose format names no translator."""
    from translate.storage.xliff2 import Xliff2File

    store = Xliff2File.parsestring(data)
    root = store.document.getroot()
    for unit in store.units:
        yield IncomingUnit(
            unit.getid() or "",
            root.get("srcLang", ""),
            root.get("trgLang", ""),
            from_xml_text(unit.source or ""),
            from_xml_text(unit.target or ""),
            "",
            unit.getnotes(),
        )


def _phase(unit: Xliff1Unit) -> str:
    target = unit.get_target_dom()
    return "" if target is None else str(target.get("phase-name", ""))
