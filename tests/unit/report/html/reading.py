"""Reads a page as a browser does: its elements, and the data in them."""

from __future__ import annotations

import base64
import gzip
import json
from html.parser import HTMLParser
from typing import Any


class PageElements(HTMLParser):
    """The elements of a page in their order, and the texts of its scripts and styles.

    Attributes:
        tags: names of all elements.
        texts: by id, or by name where there is none.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=False)
        self.tags: list[str] = []
        self.texts: dict[str, str] = {}
        self.meta: list[dict[str, str | None]] = []
        self._current = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        own = dict(attrs)
        if tag == "meta":
            self.meta.append(own)
        self._current = str(own.get("id") or tag) if tag in ("script", "style") else ""
        if self._current:
            assert self._current not in self.texts, "two elements of one id"
            self.texts[self._current] = ""

    def handle_endtag(self, tag: str) -> None:
        self._current = ""

    def handle_data(self, data: str) -> None:
        if self._current:
            self.texts[self._current] += data


def unpacked(block: str) -> Any:
    """Return the value of a compressed block."""
    return json.loads(gzip.decompress(base64.b64decode(block, validate=True)))
