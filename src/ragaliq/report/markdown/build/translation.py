"""The section on translation in the report of a build."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.build.quality.translations import TranslationFigure
from ragaliq.report.format import NONE, counted_share, markdown


def translation_sections(figures: Sequence[TranslationFigure]) -> list[str]:
    """Return the section; nothing for a benchmark that is not translated."""
    if not figures:
        return []
    rows = [
        {
            "lang": one.lang,
            "segments": str(one.segments),
            **{status: str(n) for status, n in one.by_status.items()},
            "no reply": str(one.unanswered),
            "chunks passed": counted_share(one.chunks_passed, one.chunks),
            "queries passed": counted_share(one.queries_passed, one.queries),
            "not shipped": ", ".join(f"{reason} {n}" for reason, n in one.removed.items()) or NONE,
        }
        for one in figures
    ]
    parts = [
        "## Translation",
        markdown(rows),
        "Passed: no error in this language. `build/check-translation.jsonl` has the findings of all chunks and "
        "queries, those not shipped included. A chunk or query with an error in one language is shipped in none, so "
        "every language has the same ids. Same: nothing to translate, such as numbers and names. The figures on pool, "
        "holes and systems are on the documents' own language.",
    ]
    chrf = [
        {
            "lang": one.lang,
            "texts": str(one.chrf_n),
            "left out": str(one.chrf_without),
            **{f"{percent} %": f"{value:.1f}" for percent, value in one.chrf.items()},
        }
        for one in figures
        if one.chrf_n or one.chrf_without
    ]
    if chrf:
        parts += [
            markdown(chrf, numeric=True),
            "chrF (0 to 100) of the texts that were translated back, against the source, by percentile. Left out: "
            "texts that are incomplete, edited by a person, without anything to translate, or without a reply on the "
            "way back. Texts below the 5th percentile have a hint among the findings: look at these first.",
        ]
    return parts
