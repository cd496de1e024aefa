"""What comes back from translators: which of the translations in their files are edits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from ragaliq.build.translation.edits import Edit, edit_history
from ragaliq.build.translation.exchange.tmx import tmx_units
from ragaliq.build.translation.exchange.unit import IncomingUnit
from ragaliq.build.translation.exchange.version import noted_version
from ragaliq.build.translation.exchange.xliff import xliff2_units, xliff_units
from ragaliq.build.translation.exchange.xml_text import require_toolkit, to_xml_text, xml_root
from ragaliq.build.translation.segment import Segment, SegmentStatus, segment_id, segment_text
from ragaliq.build.translation.wording import is_source_wording
from ragaliq.errors import InputError
from ragaliq.storage.files import open_file

_LINE_END = re.compile(r"[ \t]*[\r\n]+[ \t]*")
# Half a surrogate pair: no file of a benchmark can hold it.
_HALF = re.compile("[\ud800-\udfff]")
# Units that are named, and letters of each.
_NAMED, _SHOWN = 5, 60


@dataclass(frozen=True, slots=True)
class ReturnedFile:
    """A file of a translation tool that was read as a whole."""

    form: Literal["xliff", "tmx"]
    units: tuple[IncomingUnit, ...]


class NoEdit(StrEnum):
    """Why a unit of a file changes nothing."""

    UNCHANGED = "unchanged"
    OUTDATED = "older than an edit, which stays"
    EMPTY = "without a translation"
    UNKNOWN = "of a text that is no segment of this benchmark"
    FOREIGN = "in a language that this benchmark is not translated into"


@dataclass(frozen=True, slots=True)
class Returned:
    """What came back: the edits in the order of the files, and how many other units there are of each kind.

    `superseded` counts edits that a later one for the same segment replaces; `languages` are the target languages of
    units that are `NoEdit.FOREIGN`; `named` has the ids and first words of the first units with a translation that is
    not taken.
    """

    edits: tuple[Edit, ...]
    others: Mapping[NoEdit, int]
    superseded: int
    languages: tuple[str, ...]
    named: Mapping[NoEdit, tuple[str, ...]]


def read_returned(path: Path) -> ReturnedFile:
    """Read an XLIFF or TMX file, recognised by its content.

    Raises:
        ConfigError: if the library is not installed.
        InputError: if it cannot be read, is no such file, holds no units, or uses entities, or if a target has half a
            surrogate pair.
    """
    require_toolkit()
    from lxml.etree import LxmlError

    try:
        with open_file(path) as file:
            data = file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    root = xml_root(data, path)
    if root.name not in ("xliff", "tmx"):
        raise InputError(f"{path}: is neither XLIFF nor TMX but '{root.name}'; name the file that the tool saved")
    form: Literal["xliff", "tmx"] = "tmx" if root.name == "tmx" else "xliff"
    read = tmx_units if form == "tmx" else xliff2_units if root.version.startswith("2") else xliff_units
    try:
        units = tuple(read(data))
    except (LxmlError, ValueError, LookupError, RuntimeError, AssertionError, AttributeError) as error:
        # Well-formed, but another format: the library goes as far as it gets.
        reason = " ".join(str(error).split()) if isinstance(error, LxmlError | ValueError) else "a part is missing"
        raise InputError(f"{path}: not {form.upper()} ({reason}); save it with the tool once more") from None
    if not units:
        raise InputError(f"{path}: holds no units; name the file that the tool saved")
    for unit in units:
        half = _HALF.search(unit.target)
        if half:
            shown = to_xml_text(half[0])
            raise InputError(f"{path}: unit {_name(unit)}: the target has {shown}, half a character; remove it")
    return ReturnedFile(form, units)


def returned_edits(
    folder: Path,
    segments: Sequence[Segment],
    files: Sequence[ReturnedFile],
    by: str,
    at: str,
    keep: Collection[str] = (),
) -> Returned:
    """Return what the files change in the translations of the benchmark in `folder`.

    A translation is an edit if it is neither the one that holds nor one that held before: a file that was exported
    before an edit does not undo it. A file that shows the latest edit may go back to an earlier text.
    One that equals its source is none if the source has words to translate: some tools fill the target with it. A unit
    belongs to the segment with its source text, or with its id if the source differs in white space alone, which some
    tools change.

    Args:
        folder: of the benchmark.
        segments: its segments in all target languages.
        files: what came back, the latest last.
        by: who made the edits where a file names nobody.
        at: the time of the edits.
        keep: terms that stay as they are.

    Raises:
        InputError: if the edits that are there cannot be read.
    """
    known = _Known(folder, segments, keep)
    edits: list[Edit] = []
    others: Counter[NoEdit] = Counter()
    languages = set()
    named: dict[NoEdit, list[str]] = {}
    for file in files:
        for unit in file.units:
            edit = known.edit(unit, file.form, unit.by.strip() or by, at)
            if isinstance(edit, Edit):
                edits.append(edit)
                continue
            others[edit] += 1
            if edit is NoEdit.FOREIGN:
                languages.add(unit.lang or "none named")
            if edit not in (NoEdit.UNCHANGED, NoEdit.EMPTY) and len(named.setdefault(edit, [])) < _NAMED:
                named[edit].append(_name(unit))
    n_segments = len({(edit.lang, edit.source) for edit in edits})
    first = {cause: tuple(names) for cause, names in named.items()}
    return Returned(tuple(edits), others, len(edits) - n_segments, tuple(sorted(languages)), first)


class _Known:
    """The segments, and the translations that each has had."""

    def __init__(self, folder: Path, segments: Sequence[Segment], keep: Collection[str]) -> None:
        self._keep = keep
        self._langs = {segment.lang for segment in segments}
        self._source_langs = {segment.source_lang for segment in segments}
        self._by_source = {(segment.lang, segment.source): segment for segment in segments}
        self._by_id = {(one.lang, segment_id(one.source_lang, one.source)): one for one in segments}
        self._had = {
            key: [] if segment.status is SegmentStatus.UNTRANSLATED else [segment_text(segment.target)]
            for key, segment in self._by_source.items()
        }
        self._versions: Counter[tuple[str, str]] = Counter()
        for key, history in edit_history(folder).items():
            if key in self._had:
                self._versions[key] = len(history)
                self._had[key] += [segment_text(text) for edit in history for text in (edit.before, edit.after)]

    def edit(self, unit: IncomingUnit, form: Literal["xliff", "tmx"], by: str, at: str) -> Edit | NoEdit:
        """Return the edit that a unit is, which holds from then on, or why it is none."""
        segment = self._segment(unit)
        if isinstance(segment, NoEdit):
            return segment
        key = segment.lang, segment.source
        had, target = self._had[key], _fitting(unit.target, segment)
        before = had[-1] if had else ""
        if target == before:
            return NoEdit.UNCHANGED
        if target == segment_text(segment.source) and is_source_wording(target, segment.lang, self._keep):
            return NoEdit.EMPTY
        if target in had and noted_version(unit.notes, segment.lang) < self._versions[key]:
            return NoEdit.OUTDATED
        had.append(target)
        self._versions[key] += 1
        return Edit(segment.source_lang, segment.lang, segment.source, before, target, " ".join(by.split()), at, form)

    def _segment(self, unit: IncomingUnit) -> Segment | NoEdit:
        lang = _among(unit.lang, self._langs)
        if not lang:
            return NoEdit.FOREIGN
        if not segment_text(unit.target):
            return NoEdit.EMPTY
        if unit.source_lang and not _among(unit.source_lang, self._source_langs):
            return NoEdit.UNKNOWN
        source = segment_text(unit.source)
        named = self._by_id.get((lang, unit.segment_id))
        if named is not None and named.source.split() != source.split():
            named = None
        return self._by_source.get((lang, source)) or named or NoEdit.UNKNOWN


def _name(unit: IncomingUnit) -> str:
    words = " ".join(to_xml_text(unit.source or unit.target).split())
    cut = f"{words[:_SHOWN]}…" if len(words) > _SHOWN else words
    return f"{to_xml_text(unit.segment_id)[:_SHOWN]} '{cut}'".strip()


def _fitting(target: str, segment: Segment) -> str:
    """Return a translation as it is kept: a segment of one line, such as a table's cell, stays one."""
    text = segment_text(target)
    return text if _LINE_END.search(segment.source) else _LINE_END.sub(" ", text)


def _among(tag: str, langs: Set[str]) -> str:
    """Return which language the tag of a tool means; empty if none, or several that are the same but for their region.

    Capitals and `_` do not count. Without the language itself, one of another region is taken: `de-AT` is `de`, and
    `pt` or `pt-PT` is `pt-BR`.
    """
    tags = {_tag(lang): lang for lang in sorted(langs)}
    whole = _tag(tag)
    base = whole.partition("-")[0]
    near = [lang for known, lang in tags.items() if known.partition("-")[0] == base]
    return tags.get(whole) or tags.get(base) or (near[0] if len(near) == 1 else "")


def _tag(lang: str) -> str:
    return lang.strip().casefold().replace("_", "-")
