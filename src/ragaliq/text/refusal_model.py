"""Two linear models that say of one clause whether it refuses, and whether it states something.

Their features are the clause's vector by the sentence encoder and the words of refusals in it; the coefficients are
whole numbers, fitted by `studies/refusals/fit.py` on sentences written for the purpose. A model exists thrice: with
both, with the vector alone for languages without words, with words alone for languages that the encoder does not know.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.text import sentence_encoder
from ragaliq.text.refusal_words import refusal_data, word_features
from ragaliq.text.terms import base_language

MODEL = Path(__file__).with_name("refusals_model.json")
# The vector enters in thousandths, which hides the last digits that differ between machines.
VECTOR_UNIT = 1000


def refuses(clause: str, lang: str) -> bool:
    """Tell whether a clause says that something is not known, found, stated or answered."""
    return _score("refuses", clause, lang) > 0


def states(clause: str, lang: str) -> bool:
    """Tell whether a clause states something that could answer a question."""
    return _score("states", clause, lang) > 0


@lru_cache(maxsize=8192)
def clause_features(clause: str, lang: str) -> tuple[str, NDArray[np.int64]]:
    """Return which of the three models a clause of a language needs, and its features as whole numbers."""
    known, worded = sentence_encoder.knows(lang), base_language(lang) in refusal_data()
    kind = "both" if known and worded else "vector" if known else "words"
    vector = [sentence_encoder.encode([clause])[0]] if known else []
    parts = [np.rint(one.astype(np.float64) * VECTOR_UNIT).astype(np.int64) for one in vector]
    if kind != "vector":
        parts.append(np.asarray(word_features(clause, lang), dtype=np.int64) * VECTOR_UNIT)
    return kind, np.concatenate(parts)


def _score(question: str, clause: str, lang: str) -> int:
    kind, values = clause_features(clause, lang)
    weights, base = _model()[question][kind]
    return int(values @ weights) + base


@cache
def _model() -> dict[str, dict[str, tuple[NDArray[np.int64], int]]]:
    data: dict[str, Any] = json.loads(MODEL.read_text(encoding="utf-8"))
    return {
        question: {kind: (np.asarray(one["weights"], dtype=np.int64), int(one["base"])) for kind, one in kinds.items()}
        for question, kinds in data.items()
    }
