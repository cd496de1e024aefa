"""What translation made of a benchmark, language by language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import check_translation, translate
from ragaliq.build.translation.back import percentile
from ragaliq.build.translation.segment import SegmentStatus

_PERCENTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True, slots=True)
class TranslationFigure:
    """The translation into one language.

    Attributes:
        lang: the language.
        segments: different segments.
        by_status: where their targets come from → how many.
        unanswered: segments without a readable reply.
        chunks: chunks that were translated.
        chunks_passed: those without an error in this language.
        queries: queries that were translated, with reference and nuggets.
        queries_passed: those without an error in this language.
        removed: reason → chunks and queries that are not shipped, an error in another language included.
        chrf: percentile → chrF of the texts that were translated back; empty if none were.
        chrf_n: how many these are.
        chrf_without: the other texts: incomplete, edited, nothing to translate, or no reply on the way back; 0 without
            back-translation.
    """

    lang: str
    segments: int
    by_status: dict[str, int]
    unanswered: int
    chunks: int
    chunks_passed: int
    queries: int
    queries_passed: int
    removed: dict[str, int]
    chrf: dict[str, float]
    chrf_n: int
    chrf_without: int


def translation_figures(context: BuildContext) -> list[TranslationFigure]:
    """Return the figures of each target language; none if nothing is translated."""
    langs = context.settings.translate.languages
    if not langs:
        return []
    translated, checked = (context.workspace.rows(stage) for stage in (translate.NAME, check_translation.NAME))
    return [
        _figure(lang, [row for row in translated if row.lang == lang], [row for row in checked if row.lang == lang])
        for lang in langs
    ]


def _figure(lang: str, translated: Sequence[StageRow], checked: Sequence[StageRow]) -> TranslationFigure:
    statuses = Counter(entry["status"] for row in translated for entry in row.value["segments"])
    unanswered = sum(len(row.value.get("missing", ())) for row in translated)
    passed = {kind: [not row.value["errors"] for row in checked if row.value["record"] == kind]
              for kind in ("chunk", "query")}  # fmt: skip
    scores = [score for row in checked for score in row.value.get("chrf", ())]
    return TranslationFigure(
        lang,
        statuses.total() + unanswered,
        {str(status): statuses[status] for status in SegmentStatus},
        unanswered,
        len(passed["chunk"]),
        sum(passed["chunk"]),
        len(passed["query"]),
        sum(passed["query"]),
        dict(sorted(Counter(row.reason for row in checked if not row.kept).items())),
        {str(percent): round(percentile(scores, percent), 2) for percent in _PERCENTILES} if scores else {},
        len(scores),
        sum(row.value.get("no_chrf", 0) for row in checked),
    )
