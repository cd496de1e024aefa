"""A review without a server: the page as a file for another person, and the labels that come back."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.review.labels import Label, LabelFile, check_rater, labels_of
from ragaliq.review.page import file_page
from ragaliq.review.sampling import Place
from ragaliq.review.session import NOTE_CHARS, Session
from ragaliq.review.sheets import Change, ReviewSource, Sheet, sheets_at
from ragaliq.review.values import ReviewTask, Value, value_from_json
from ragaliq.storage.files import read_jsonl, write_atomic, write_json
from ragaliq.storage.own_json import read_own_json

# Run, language, query and, where there is one, item.
_PAGE = {"task": frozenset(ReviewTask), "rater?": str, "sheets": {str: [([str, str, str], [str, str, str, str])]}}


def write_page(session: Session, path: Path, rater: str = "") -> None:
    """Write the page of a session to a file, and beside the labels what its items are.

    The page holds texts and their hashes; which system an item comes from stays in `review/page.ID.json`, and who it is
    for: `rater`, empty if that is not known yet.

    Raises:
        InputError: if a file is in the way, or cannot be written.
    """
    if path.exists():
        raise InputError(f"{path}: exists; give another file with --html")
    places = {sheet.sheet_id: [_place_to_json(place) for place in sheet.places] for sheet in session.sheets}
    page_id = hashlib.sha256("\n".join([session.task, *([rater] if rater else []), *places]).encode()).hexdigest()[:12]
    named = {"rater": rater} if rater else {}
    write_json(_map_file(session.source.folder, page_id), {"task": str(session.task), **named, "sheets": places})
    write_atomic(path, file_page(session, page_id))


def page_rater(source: ReviewSource, path: Path) -> str:
    """Return for whom the page of a downloaded file was made; empty if it does not say, or that is no such file.

    Raises:
        InputError: if a file cannot be read, the name can be none, or the labels are of pages for several people.
    """
    pages = {row.get("page") for _, row in read_jsonl(path)}
    files = [_map_file(source.folder, page) for page in pages if isinstance(page, str) and page.isalnum()]
    raters = {_known(file).get("rater", "") for file in files if file.is_file()}
    if len(raters) > 1:
        raise InputError(f"{path}: labels of pages for several people; name one with --rater, or take the files apart")
    return check_rater(rater) if (rater := next(iter(raters), "")) else ""


def import_labels(source: ReviewSource, path: Path, rater: str, labels: LabelFile) -> int:
    """Add the labels of a downloaded file to a rater's, and return how many judgements were added.

    The latest judgement of an item counts, whatever the order of the lines. One that is not later than the one on file
    is passed over, so a file may be imported twice.

    Raises:
        InputError: with file and line, if a row is none of this review's pages, or the texts it judged have changed.
    """
    maps: dict[str, tuple[ReviewTask, dict[str, Sheet]]] = {}
    added: dict[tuple[str, str], tuple[Sheet, list[Label]]] = {}
    for number, row in read_jsonl(path):
        where = f"{path}:{number}"
        page_id = row.get("page")
        if not isinstance(page_id, str) or not page_id.isalnum():
            raise InputError(f"{where}: not a label of a review page; give the file that it downloads, no export")
        if page_id not in maps:
            maps[page_id] = _read_map(source, page_id, where)
        task, sheets = maps[page_id]
        sheet = sheets.get(str(row.get("sheet")))
        if sheet is None:
            raise InputError(f"{where}: judges texts that are no longer there; take the line out")
        value = _value(task, sheet, row.get("value"), where)
        at, note = _time(row.get("at"), where), row.get("note", "")
        if not isinstance(note, str) or len(note) > NOTE_CHARS:
            raise InputError(f"{where}: 'note' must be a text of {NOTE_CHARS} characters at most")
        earlier = [labels.latest.get((task, place)) for place in sheet.places]
        if any(label is None or label.at < at for label in earlier):
            added[at, sheet.sheet_id] = sheet, labels_of(sheet, task, value, rater, at, note)
    for key in sorted(added):
        sheet, judged = added[key]
        before = labels.latest.get((judged[0].task, judged[0].place))
        source.apply(sheet, Change(before.value if before else None, judged[0].value, rater, judged[0].at))
        labels.append(judged)
    return len(added)


def _read_map(source: ReviewSource, page_id: str, where: str) -> tuple[ReviewTask, dict[str, Sheet]]:
    file = _map_file(source.folder, page_id)
    if not file.is_file():
        raise InputError(f"{where}: {file} is missing; give the folder from which the page was made")
    known = _known(file)
    task = ReviewTask(known["task"])
    places = [Place(*keys) for group in known["sheets"].values() for keys in group]
    return task, {sheet.sheet_id: sheet for sheet in sheets_at(source, task, places)}


def _known(file: Path) -> Any:
    return read_own_json(file, _PAGE, "what `ragaliq review --html` wrote", "make the page again")


def _place_to_json(place: Place) -> list[str]:
    return [place.run, place.lang, place.query_id, *([place.item] if place.item else [])]


def _map_file(folder: Path, page_id: str) -> Path:
    return folder / "review" / f"page.{page_id}.json"


def _value(task: ReviewTask, sheet: Sheet, value: Any, where: str) -> Value | None:
    """Return the judgement of a line."""
    try:
        judgement = value_from_json(task, value)
        sheet.check(judgement, "take the line out")
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return judgement


def _time(text: Any, where: str) -> str:
    """Return a time in UTC as the labels write it."""
    try:
        at = datetime.fromisoformat(text)
        if at.utcoffset() != timedelta():
            raise ValueError("not in UTC")
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: 'at' is no time ({error}); give the file that the page downloads") from None
    return at.isoformat(timespec="seconds")
