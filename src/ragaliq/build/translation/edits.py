"""Translations that people changed: `DIR/build/edits.jsonl`, append-only, the latest row of a segment holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from ragaliq.build.translation.segment import segment_text
from ragaliq.storage.journal import Journal, read_journal
from ragaliq.storage.lock import locked
from ragaliq.storage.own_json import ModelText, check_row

EditForm = Literal["xliff", "tmx", "review"]
_EDIT = {
    **dict.fromkeys(("source_lang", "lang", "by", "at"), str),
    **dict.fromkeys(("source", "before", "after"), ModelText),
    "form": frozenset(("xliff", "tmx", "review")),
}


@dataclass(frozen=True, slots=True)
class Edit:
    """A person's translation of a segment.

    Attributes:
        source_lang: language of `source`.
        lang: language of the translation.
        source: the segment, as `segment_text` returns it.
        before: the translation that held before.
        after: the one that holds from now on.
        by: who changed it.
        at: when it came in, UTC, ISO with seconds.
        form: how it came in.
    """

    source_lang: str
    lang: str
    source: str
    before: str
    after: str
    by: str
    at: str
    form: EditForm


def append_edits(folder: Path, edits: Sequence[Edit]) -> int:
    """Add edits to those of the benchmark in `folder`, and return how many were new; they are on disk then.

    An edit whose `after` already holds for its segment is not new: by an earlier edit, or else as `before`.

    Raises:
        InputError: if another process adds edits here, the file cannot be written, or a line of it is no edit.
    """
    path = _path(folder)
    busy, remedy = "another process adds edits; try again", "check the path"
    with locked(path.parent, str(path), busy=busy, remedy=remedy, folder=True):
        holds = {key: edit.after for key, edit in latest_edits(folder).items()}
        new = []
        for edit in edits:
            key = edit.lang, segment_text(edit.source)
            if holds.get(key, edit.before) != edit.after:
                new.append(edit)
                holds[key] = edit.after
        if new:
            with Journal(path) as journal:
                for edit in new:
                    journal.append(asdict(edit))
    return len(new)


def latest_edits(folder: Path) -> dict[tuple[str, str], Edit]:
    """Return the edit that holds for each `(lang, source)` of the benchmark in `folder`; without a file none.

    Raises:
        InputError: if a line is no edit; the message names it.
    """
    return {key: edits[-1] for key, edits in edit_history(folder).items()}


def edit_history(folder: Path) -> dict[tuple[str, str], list[Edit]]:
    """Return all edits of each `(lang, source)`, the oldest first; the version of a translation is their number.

    Raises:
        InputError: if a line is no edit; the message names it.
    """
    history: dict[tuple[str, str], list[Edit]] = {}
    path = _path(folder)
    for number, row in read_journal(path):
        check_row(row, _EDIT, f"{path}:{number}")
        edit = Edit(**{key: row[key] for key in Edit.__slots__})
        history.setdefault((edit.lang, segment_text(edit.source)), []).append(edit)
    return history


def _path(folder: Path) -> Path:
    return folder / "build" / "edits.jsonl"
