"""A text in another language: its segments replaced by their translations, everything between them kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ragaliq.build.translation.memory import Memory, Translated
from ragaliq.build.translation.segment import SegmentStatus, segment_text
from ragaliq.build.translation.spans import Span, is_unspaced


@dataclass(frozen=True, slots=True)
class RenderedText:
    """A translated text.

    Attributes:
        text: the translation; a segment without one is left as it is.
        back: the same with what was translated back; None if nothing was, or a translated segment was not.
        untranslated: segments that the model did not translate.
        missing: segments without a reply.
    """

    text: str
    back: str | None
    untranslated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether every segment is translated."""
        return not (self.untranslated or self.missing)


def render(text: str, spans: Sequence[Span], memory: Memory, lang: str) -> RenderedText:
    """Return a text in the language `lang`.

    Sentences of a line are joined as the language does it, with a blank or without. Where a sentence has no translation
    and the memory has that of the whole line, the line's is taken.
    """
    replaced = list(_replaced(text, spans, memory))
    found = [(segment_text(text[start:end]), memory.get(segment_text(text[start:end]))) for start, end in replaced]
    parts: list[str] = []
    back: list[str] = []
    at = 0
    for place, ((start, end), (segment, translated)) in enumerate(zip(replaced, found, strict=True)):
        between = _between(text[at:start], lang) if place else text[at:start]
        parts += [between, translated.target if translated else segment]
        back += [text[at:start], (translated.back if translated else "") or segment]
        at = end
    changed = [one for _, one in found if one and one.status is not SegmentStatus.SAME]
    return RenderedText(
        "".join([*parts, text[at:]]),
        "".join([*back, text[at:]]) if changed and all(one.back for one in changed) else None,
        tuple(segment for segment, one in found if one and not one.usable),
        tuple(segment for segment, one in found if one is None),
    )


def rendered_segments(text: str, spans: Sequence[Span], memory: Memory) -> list[str]:
    """Return the segments whose translations `render` takes, in their order."""
    return [segment_text(text[start:end]) for start, end in _replaced(text, spans, memory)]


def _replaced(text: str, spans: Sequence[Span], memory: Memory) -> Iterator[Span]:
    """Yield the spans to replace: those of a line, or the line."""
    for _, group in groupby(spans, key=lambda span: text.count("\n", 0, span[0])):
        line = list(group)
        known = [_usable(memory.get(segment_text(text[start:end]))) for start, end in line]
        whole = line[0][0], line[-1][1]
        if not all(known) and _usable(memory.get(segment_text(text[whole[0] : whole[1]]))):
            yield whole
        else:
            yield from line


def _usable(translated: Translated | None) -> bool:
    return translated is not None and translated.usable


def _between(gap: str, lang: str) -> str:
    """Return what is between two segments: only between sentences of one line it depends on the language."""
    if gap.strip() or "\n" in gap or "\t" in gap:
        return gap
    return "" if is_unspaced(lang) else gap or " "
