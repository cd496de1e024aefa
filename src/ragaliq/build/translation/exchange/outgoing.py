"""What goes out to translators: a file for each pair of languages, and a translation memory of all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragaliq.benchmark.translation.terms_kept import Terms, terms_found
from ragaliq.build.translation.exchange.tmx import tmx_file
from ragaliq.build.translation.exchange.unit import OutgoingUnit
from ragaliq.build.translation.exchange.version import version_note
from ragaliq.build.translation.exchange.xliff import xliff_file
from ragaliq.build.translation.exchange.xml_text import require_toolkit, to_xml_text
from ragaliq.build.translation.segment import Segment, SegmentStatus, segment_id
from ragaliq.build.translation.wording import is_translatable
from ragaliq.errors import InputError
from ragaliq.storage.files import write_atomic

# Records that a note names; the others are counted.
_NAMED = 5


def export_segments(segments: Sequence[Segment], terms: Terms, name: str, out: Path) -> list[Path]:
    """Write `SOURCE-TARGET.xlf` for each pair of languages and `memory.tmx` with all of them; return the files.

    The segments stay in their order; the id of a unit follows from its source alone. Its notes name the records that it
    occurs in, those of the terms that it holds, and the version that it shows of an edited translation. Words that the
    model gave back as they are count as untranslated: nobody said that they stay. Same segments, same bytes.

    Args:
        segments: in all target languages.
        terms: what stays as it is, and the glossary.
        name: of the benchmark.
        out: the folder, which must be new or empty.

    Raises:
        ConfigError: if the library is not installed.
        InputError: if there are no segments, `out` holds files, or it cannot be written.
    """
    require_toolkit()
    if not segments:
        raise InputError(f"--export {out}: there are no segments to translate")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"--export {out}: is there already, perhaps with edits; name a new folder")
    by_pair: dict[str, list[OutgoingUnit]] = defaultdict(list)
    for segment in segments:
        unit_id = segment_id(segment.source_lang, segment.source)
        unit = OutgoingUnit(unit_id, _open(segment, terms), _notes(segment, terms))
        by_pair[f"{segment.source_lang}-{segment.lang}"].append(unit)
    files = {out / f"{pair}.xlf": xliff_file(units, name) for pair, units in sorted(by_pair.items())}
    files[out / "memory.tmx"] = tmx_file([unit for _, units in sorted(by_pair.items()) for unit in units])
    for path, data in files.items():
        write_atomic(path, data)
    return list(files)


def _open(segment: Segment, terms: Terms) -> Segment:
    same = segment.status is SegmentStatus.SAME and is_translatable(segment.source, terms.keep)
    return replace(segment, status=SegmentStatus.UNTRANSLATED) if same else segment


def _notes(segment: Segment, terms: Terms) -> tuple[str, ...]:
    notes = []
    if segment.where:
        more = len(segment.where) - _NAMED
        rest = (f"and {more} more",) if more > 0 else ()
        notes.append("in: " + "; ".join((*segment.where[:_NAMED], *rest)))
    kept, said = terms_found(segment.source, segment.lang, terms)
    if kept:
        notes.append(f"keep as it is: {', '.join(kept)}")
    if said:
        notes.append(f"glossary {segment.lang}: {', '.join(said)}")
    if segment.version:
        notes.append(version_note(segment.lang, segment.version))
    odd = to_xml_text(segment.source) != segment.source
    hint = ("each \\u{…} is a character that a file like this cannot hold: keep it",) if odd else ()
    return (*map(to_xml_text, notes), *hint)
