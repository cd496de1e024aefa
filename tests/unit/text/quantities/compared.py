"""Two texts compared by what they state."""

from __future__ import annotations

from ragaliq.text.quantities.entities import name_mentions
from ragaliq.text.quantities.extract import quantities
from ragaliq.text.quantities.mismatch import unmatched_mentions


def mismatch(
    text_a: str, lang_a: str, text_b: str, lang_b: str, names: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Return what one text states and the other lacks, such as `'16:30' only in 'en'`, the first text's first."""
    one = quantities(text_a, lang_a) + name_mentions(text_a, names)
    two = quantities(text_b, lang_b) + name_mentions(text_b, names)
    only = zip(unmatched_mentions(one, two), (lang_a, lang_b), strict=True)
    return tuple(f"'{text}' only in '{lang}'" for texts, lang in only for text in texts)
