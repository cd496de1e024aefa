"""Dumps of Stack Exchange sites: `Posts.xml`, read once from its beginning to its end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from ragaliq.build.questions.asked_row import AskedRow
from ragaliq.errors import InputError

_QUESTION, _ANSWER = "1", "2"
_BLOCKS = {
    "p",
    "div",
    "li",
    "ul",
    "ol",
    "blockquote",
    "pre",
    "hr",
    "br",
    "tr",
    "table",
    *(f"h{n}" for n in range(1, 7)),
}
_FENCE = "```"


def read_dump(path: Path, tags: Sequence[str]) -> Iterator[AskedRow]:
    """Yield the questions of a dump with their accepted answers; with `tags`, those that have one of them.

    The text of a question is its title and its body. A question without an accepted answer after it in the dump has
    none. Only questions that wait for their answer are kept in memory.

    Raises:
        InputError: if the file is not XML, or has no question.
    """
    waiting: dict[str, AskedRow] = {}
    n_questions = 0
    for number, post in _posts(path):
        kind, where = post.get("PostTypeId"), f"{path}: row {number}"
        if kind == _QUESTION:
            n_questions += 1
            if tags and not set(tags) & set(split_tags(post.get("Tags", ""))):
                continue
            text = f"{post.get('Title', '')}\n\n{html_text(post.get('Body', ''))}".strip()
            row = AskedRow(where, text, "", "")
            if post.get("AcceptedAnswerId"):
                waiting[post["AcceptedAnswerId"]] = row
            else:
                yield row
        elif kind == _ANSWER and post.get("Id") in waiting:
            row = waiting.pop(post["Id"])
            yield AskedRow(row.where, row.text, html_text(post.get("Body", "")), "")
    if not n_questions:
        raise InputError(f"{path}: has no question; name the Posts.xml of a dump")
    yield from waiting.values()


def _posts(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    number = 0
    try:
        events = ElementTree.iterparse(path, events=("start", "end"))
        _, root = next(events)
        for event, element in events:
            if event == "end" and element.tag == "row":
                number += 1
                yield number, dict(element.attrib)
                # Without this all rows read so far would stay in the tree.
                root.clear()
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise InputError(f"{path}: not XML ({error}); unpack the dump, or fix the file") from None


def split_tags(value: str) -> list[str]:
    """Return the tags of a post; dumps write `<a><b>` in older editions and `|a|b|` in newer ones."""
    return [tag for tag in re.split(r"[<>|]+", value) if tag]


def html_text(html: str) -> str:
    """Return the text of a post: blocks on lines of their own, program text between backticks as it was typed."""
    reader = _Text()
    reader.feed(html)
    reader.close()
    return re.sub(r"\n{3,}", "\n\n", "".join(reader.parts)).strip()


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._in_pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "pre":
            self._block(f"\n\n{_FENCE}\n")
            self._in_pre += 1
        elif tag == "code" and not self._in_pre:
            self.parts.append("`")
        elif tag in _BLOCKS:
            self._block("\n- " if tag == "li" else "\n" if tag == "br" else "\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre" and self._in_pre:
            self._in_pre -= 1
            line_end = "" if self.parts[-1].endswith("\n") else "\n"
            self.parts.append(f"{line_end}{_FENCE}\n\n")
        elif tag == "code" and not self._in_pre:
            self.parts.append("`")
        elif tag in _BLOCKS and tag != "li":
            self._block("\n\n")

    def handle_data(self, data: str) -> None:
        if self._in_pre:
            self.parts.append(data)
            return
        text = re.sub(r"\s+", " ", data)
        self.parts.append(text.lstrip() if not self.parts or self.parts[-1].endswith(("\n", "- ")) else text)

    def _block(self, separator: str) -> None:
        """Begin a block, except within program text."""
        if self._in_pre:
            return
        if self.parts and not self.parts[-1].endswith("- "):
            self.parts[-1] = self.parts[-1].rstrip(" ")
        self.parts.append(separator)
