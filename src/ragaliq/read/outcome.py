"""What became of a query, told from the text that came back."""

from __future__ import annotations

from ragaliq.text.refusals import abstains
from ragaliq.types import AnswerOutcome

CUT = "the model's limit of tokens (sampling: max_tokens) cut it before the first word of its answer"


def outcome_of(text: str, lang: str, cut: bool = False) -> AnswerOutcome:
    """Return the outcome of an answer in `lang`; `cut` tells that it ended before its end.

    Cut comes before blank and abstained: a model may be cut before its first word, and half an answer may look like an
    abstention.
    """
    if cut:
        return AnswerOutcome.TRUNCATED
    if not text.strip():
        return AnswerOutcome.EMPTY
    return AnswerOutcome.ABSTAINED if abstains(text, lang) else AnswerOutcome.ANSWERED
