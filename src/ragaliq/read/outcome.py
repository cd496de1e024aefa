"""What became of a query, told from the text that came back."""

from __future__ import annotations

from ragaliq.text.refusals import abstains
from ragaliq.types import AnswerOutcome


def outcome_of(text: str, lang: str, cut: bool = False) -> AnswerOutcome:
    """Return the outcome of an answer in `lang`; `cut` tells that it ended before its end.

    Blank comes before cut, cut before abstained: half an answer may look like an abstention.
    """
    if not text.strip():
        return AnswerOutcome.EMPTY
    if cut:
        return AnswerOutcome.TRUNCATED
    return AnswerOutcome.ABSTAINED if abstains(text, lang) else AnswerOutcome.ANSWERED
