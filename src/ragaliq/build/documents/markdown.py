"""Sections and paragraphs of Markdown and plain text: headings, fences and front matter, in any script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ragaliq.build.documents.code import is_program, suffix_of

_SUFFIXES = ("md", "markdown", "mdown", "txt", "text")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?![^ \t])(.*)", re.DOTALL)
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{2,})[ \t]*$")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(?:.*\n)*?---[ \t]*\r?(?:\n|\Z)")
# Lines that an underline does not make a heading: rows of tables, quotes, items of lists, code.
_NO_HEADING = tuple("|->*+ \t#")


def has_sections(path: str) -> bool:
    """Tell by its name whether a file may have headings as Markdown writes them."""
    return suffix_of(path) in _SUFFIXES and not is_program(path)


def markdown_sections(text: str) -> list[tuple[int, str]]:
    """Return the starts of a text's sections, 0 the first, each with the headings above it.

    A heading that is directly followed by another one starts the next one's section.
    """
    front = _FRONT_MATTER.match(text)
    outline = _Outline([(0, "")], filled=front is not None)
    fence, before = "", ""
    for start, line in _lines(text, front.end() if front else 0):
        mark = _FENCE.match(line)
        fence = _fence_after(fence, mark)
        if not fence and mark is None:
            outline.read(start, line, before)
        elif line.strip():
            outline.filled = True
        before = "" if fence or mark else line
    return outline.parts


def paragraph_starts(text: str, fences: bool = True) -> Iterator[int]:
    """Yield the start of each non-blank line after a blank one; `fences=False` leaves out those in fenced code."""
    fence, blank = "", False
    for start, line in _lines(text):
        inside, mark = bool(fence), _FENCE.match(line)
        fence = _fence_after(fence, mark)
        if line.strip():
            if blank and (fences or not inside):
                yield start
            blank = False
        else:
            blank = True


def code_lines(text: str, fence: str = "") -> Iterator[tuple[int, str, bool]]:
    """Yield start and text of each line, and whether it is fenced code or a fence.

    Args:
        text: the text.
        fence: the fence that is open where it begins.
    """
    for start, line in _lines(text):
        inside, mark = bool(fence), _FENCE.match(line)
        fence = _fence_after(fence, mark)
        yield start, line, inside or bool(fence)


def open_fence(text: str, fence: str = "") -> str:
    """Return the code fence that is open at the end of a text, where `fence` is open at its begin; empty for none."""
    for _, line in _lines(text):
        fence = _fence_after(fence, _FENCE.match(line))
    return fence


def _lines(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    # Not str.splitlines, which also splits at U+2028, form feeds and others that do not end a line of Markdown.
    for line in text[start:].split("\n"):
        yield start, line.removesuffix("\r")
        start += len(line) + 1


def _fence_after(fence: str, mark: re.Match[str] | None) -> str:
    """Return the fence that is open after a line."""
    if mark is None:
        return fence
    if not fence:
        # Backticks on both sides are code within a line.
        return "" if mark[1][0] == "`" and "`" in mark[2] else mark[1]
    return "" if mark[1].startswith(fence) and not mark[2].strip() else fence


@dataclass(slots=True)
class _Outline:
    """The parts so far. `filled`: the last one has more than headings; `path`: the headings above, by level."""

    parts: list[tuple[int, str]]
    filled: bool
    path: dict[int, str] = field(default_factory=dict)
    # Where the line before begins, and whether the part was filled before it: an underline makes it a heading.
    _before: tuple[int, bool] = (0, False)

    def read(self, start: int, line: str, before: str) -> None:
        """Take in a line outside fences."""
        heading, under = _HEADING.match(line), _UNDERLINE.match(line)
        if heading:
            self._begin(start, len(heading[1]), _without_closing(heading[2].strip()))
        elif under and before.strip() and not before.startswith(_NO_HEADING):
            self.filled = self._before[1]
            self._begin(self._before[0], 1 if under[1][0] == "=" else 2, before.strip())
        else:
            self._before = start, self.filled
            self.filled = self.filled or bool(line.strip())

    def _begin(self, start: int, level: int, title: str) -> None:
        self.path = {one: name for one, name in self.path.items() if one < level} | {level: title}
        if self.filled:
            self.parts.append((start, ""))
        self.parts[-1] = self.parts[-1][0], " › ".join(filter(None, self.path.values()))
        self.filled = False


def _without_closing(title: str) -> str:
    """Return a heading's text without the number signs that may close it."""
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title
