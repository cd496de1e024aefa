"""The same sheets in a terminal, one line of input at a time."""

from __future__ import annotations

import unicodedata
from typing import TextIO

from ragaliq.errors import InputError
from ragaliq.judge.rubric import load_rubric
from ragaliq.review.session import Session
from ragaliq.review.sheets import ReviewTask, Sheet

_HELP = "s skip · u back · c context · m TEXT note · ? help · q end"


def review_in_terminal(session: Session, lines: TextIO, out: TextIO) -> None:
    """Show the open sheets one by one and take judgements, until the input ends, `q` comes, or nothing is open."""
    _Terminal(session, lines, out).work()


class _Terminal:
    def __init__(self, session: Session, lines: TextIO, out: TextIO) -> None:
        self._session = session
        self._lines = lines
        self._out = out
        self._shown: list[int] = []

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
            self._out.write(f"{'0-5' if session.task is ReviewTask.GRADE else 'y/n'}> ")
            self._out.flush()
            line = self._lines.readline()
            word, _, rest = line.strip().partition(" ")
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
                case "c" if session.task is ReviewTask.GRADE:
                    self._passages(sheet)
                case "m":
                    self._judge(sheet, session.value(sheet), rest)
                case "?":
                    self._help()
                case choice:
                    value = _value(session.task, choice)
                    if value is None:
                        self._say(f"not understood: {_clean(word)!r}; {_HELP}")
                    elif self._judge(sheet, value, None):
                        self._shown.append(index)
                        return session.next_open(index)

    def _judge(self, sheet: Sheet, value: int | bool | None, note: str | None) -> bool:
        """Write a judgement down, and tell whether it was taken; without a note the earlier one stays."""
        label = self._session.label(sheet)
        earlier = "" if label is None else label.note
        try:
            self._session.judge(sheet.sheet_id, value, earlier if note is None else note)
        except InputError as error:
            self._say(str(error))
            return False
        return True

    def _show(self, index: int) -> None:
        sheet = self._session.sheets[index]
        done = sum(part.done for part in self._session.progress())
        count = len(self._session.sheets)
        self._say(f"\n── item {index + 1} of {count} · {sheet.lang} · {done} judged ──")
        self._text("Question", sheet.question)
        if self._session.task is ReviewTask.GRADE:
            self._text("Reference", sheet.reference)
            self._text("Answer", sheet.answer)
        else:
            self._passages(sheet)
        label = self._session.label(sheet)
        if label is not None:
            value = "" if label.value is None else f"judged: {_written(label.value)}"
            self._say(" · ".join(part for part in (value, label.note and f"note: {_clean(label.note)}") if part))

    def _passages(self, sheet: Sheet) -> None:
        for number, text in enumerate(sheet.passages, start=1):
            self._text(str(number), text)
        if not sheet.passages:
            self._say("(nothing)")

    def _help(self) -> None:
        if self._session.task is ReviewTask.GRADE:
            self._say(load_rubric().text)
        else:
            self._say("y: looks good, the question can be answered from this\nn: not good")
        self._say(_HELP)

    def _text(self, name: str, text: str) -> None:
        self._say(f"{name}: {_clean(text) or '(empty)'}")

    def _say(self, text: str) -> None:
        self._out.write(f"{text}\n")


def _value(task: ReviewTask, word: str) -> int | bool | None:
    """Return the judgement that a word stands for; None if it is none."""
    grades: dict[str, int | bool] = {str(grade): grade for grade in range(6)}
    values = grades if task is ReviewTask.GRADE else {"y": True, "n": False}
    return values.get(unicodedata.normalize("NFKC", word))


def _written(value: int | bool) -> str:
    if isinstance(value, bool):
        return "looks good" if value else "not good"
    return str(value)


def _clean(text: str) -> str:
    """Return a text without the control characters by which an answer could steer the terminal."""
    text = text.replace("\t", " ")
    return "".join(c if c == "\n" or unicodedata.category(c) not in ("Cc", "Cs") else "�" for c in text)
