"""The same sheets in a terminal, one line of input at a time."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, TextIO

from ragaliq.errors import InputError
from ragaliq.review.session import Session
from ragaliq.review.sheets import Sheet
from ragaliq.review.terminal_forms import form_of, written_value
from ragaliq.review.values import ReviewTask, value_to_json

_EDIT = re.compile(r"e(\d{0,3})")


def review_in_terminal(session: Session, lines: TextIO, out: TextIO) -> None:
    """Show the open sheets one by one and take judgements, until the input ends, `q` comes, or nothing is open."""
    _Terminal(session, lines, out).work()


class _Terminal:
    def __init__(self, session: Session, lines: TextIO, out: TextIO) -> None:
        self._session = session
        self._form = form_of(session.task)
        self._lines = lines
        self._out = out
        self._shown: list[int] = []
        # Segment → what the reviewer would write, of the item that is shown.
        self._edits: dict[str, str] = {}
        self._saved: dict[str, str] = {}
        self._warned = False

    def work(self) -> None:
        self._help()
        index = self._session.next_open(self._session.start() - 1)
        while index is not None:
            self._show(index)
            index = self._next(index)

    def _next(self, index: int) -> int | None:
        """Take lines until one leads to another sheet; None ends the session."""
        session, sheet = self._session, self._session.sheets[index]
        while True:
            self._out.write(f"{self._form.prompt}> ")
            self._out.flush()
            line = self._lines.readline()
            word, _, rest = line.strip().partition(" ")
            if word.lower() in ("s", "u", "q") and self._warns():
                continue
            match word.lower():
                case "q":
                    return None
                case "" if not line:
                    self._say("")
                    return None
                case "s":
                    self._shown.append(index)
                    return session.next_open(index)
                case "u":
                    return self._shown.pop() if self._shown else max(0, index - 1)
                case "c" if self._form.has_context:
                    self._passages(sheet)
                case "m":
                    self._judge(sheet, value_to_json(session.value(sheet)), rest)
                case "?":
                    self._help()
                case edit if session.task is ReviewTask.TRANSLATION and _EDIT.fullmatch(edit):
                    self._edit(sheet, int(edit[1:] or 1), rest.strip())
                case _:
                    value = self._form.read(line.strip().lower(), sheet)
                    if value is None:
                        self._say(f"not understood: {_clean(word)!r}; {self._keys()}")
                    elif self._judge(sheet, self._with_edits(value), None):
                        self._shown.append(index)
                        return session.next_open(index)

    def _judge(self, sheet: Sheet, value: Any, note: str | None) -> bool:
        """Write a judgement down, and tell whether it was taken; without a note the earlier one stays."""
        label = self._session.label(sheet)
        earlier = "" if label is None else label.note
        try:
            self._session.judge(sheet.sheet_id, value, earlier if note is None else note)
        except InputError as error:
            self._say(str(error))
            return False
        return True

    def _edit(self, sheet: Sheet, number: int, text: str) -> None:
        if text and 1 <= number <= len(sheet.parts):
            self._edits[sheet.parts[number - 1].name] = text
            self._say("saved with the judgement that follows")
        elif 1 <= number <= len(sheet.parts) and sheet.parts[number - 1].name in self._edits:
            del self._edits[sheet.parts[number - 1].name]
            self._say("taken back with the judgement that follows")
        elif not sheet.parts:
            self._say("nothing here can be edited: its segments are not known")
        else:
            self._say(f"e1 to e{len(sheet.parts)}, and the text")

    def _warns(self) -> bool:
        """Warn once of edits that are not saved."""
        warns = self._edits != self._saved and not self._warned
        if warns:
            self._say("an edit is not saved: judge to save it, or repeat that to leave it")
            self._warned = True
        return warns

    def _with_edits(self, value: Any) -> Any:
        if self._session.task is not ReviewTask.TRANSLATION:
            return value
        return {**value, "edits": [{"source": source, "after": after} for source, after in self._edits.items()]}

    def _show(self, index: int) -> None:
        sheet = self._session.sheets[index]
        done = sum(part.done for part in self._session.progress())
        count = len(self._session.sheets)
        self._say(f"\n── item {index + 1} of {count} · {sheet.lang} · {done} judged ──")
        for name, text in self._form.texts(sheet):
            self._text(name, text)
        label = self._session.label(sheet)
        earlier = {} if label is None else value_to_json(label.value)
        edits = earlier.get("edits", []) if isinstance(earlier, dict) else []
        self._saved = {edit["source"]: edit["after"] for edit in edits}
        self._edits, self._warned = dict(self._saved), False
        if label is not None:
            value = "" if label.value is None else f"judged: {written_value(label.value, sheet)}"
            self._say(" · ".join(part for part in (value, label.note and f"note: {_clean(label.note)}") if part))

    def _passages(self, sheet: Sheet) -> None:
        for number, text in enumerate(sheet.passages, start=1):
            self._text(str(number), text)
        if not sheet.passages:
            self._say("(nothing)")

    def _help(self) -> None:
        self._say(self._form.help)
        self._say(self._keys())

    def _keys(self) -> str:
        context = "c context · " if self._form.has_context else ""
        return f"s skip · u back · {context}m TEXT note · ? help · q end"

    def _text(self, name: str, text: str) -> None:
        self._say(f"{name}: {_clean(text) or '(empty)'}")

    def _say(self, text: str) -> None:
        self._out.write(f"{text}\n")


def _clean(text: str) -> str:
    """Return a text without the control characters by which an answer could steer the terminal."""
    text = text.replace("\t", " ")
    return "".join(c if c == "\n" or unicodedata.category(c) not in ("Cc", "Cs") else "�" for c in text)
