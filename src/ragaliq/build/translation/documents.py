"""Documents put together from their translated chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import regex

from ragaliq.build.translation.spans import is_unspaced
from ragaliq.types import Chunk

_IN_LINES = regex.compile(r"[^\r\n]+")


def translated_document(
    text: str, chunks: Sequence[Chunk], translations: Mapping[str, Chunk], lang: str
) -> tuple[str, list[Chunk]]:
    """Return a document in another language, and its chunks with their places there.

    Of what is between two chunks, white space stays; of any other text only the line ends, since it is in no chunk
    that is shipped. `document[start:end] == text` holds for every chunk.

    Args:
        text: the source document.
        chunks: chunks of it; one without a translation is left out.
        translations: chunk → text and title in the other language.
        lang: that language.
    """
    parts: list[str] = []
    placed: list[Chunk] = []
    at = length = 0
    for chunk in sorted((one for one in chunks if one.doc_id in translations), key=lambda one: one.start):
        said = translations[chunk.doc_id]
        gap = _gap(text[at : chunk.start], lang)
        start = length + len(gap)
        length, at = start + len(said.text), chunk.end
        parts += [gap, said.text]
        placed.append(replace(chunk, lang=lang, text=said.text, title=said.title, start=start, end=length))
    return "".join([*parts, _gap(text[at:], lang)]), placed


def _gap(text: str, lang: str) -> str:
    if text.strip():
        return _IN_LINES.sub("", text)
    return "" if is_unspaced(lang) and not text.strip(" ") else text
