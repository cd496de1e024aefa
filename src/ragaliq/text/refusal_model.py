"""A small network that says of one clause, or of a short answer, whether it refuses and whether it states something.

Its features are the text's vector by the sentence encoder and the words of refusals in it; one layer of hidden units
connects them with the three outcomes. All weights are whole numbers, fitted by `studies/refusals/fit.py` on texts
written for the purpose. A network exists thrice: with both kinds of features, with the vector alone for languages
without words, with words alone for languages that the encoder does not know.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.text import sentence_encoder
from ragaliq.text.refusal_words import has_negation, refusal_data, word_features
from ragaliq.text.terms import base_language

MODEL = Path(__file__).with_name("refusals_model.json")
# The vector enters in thousandths, which hides the last digits that differ between machines.
VECTOR_UNIT = 1000
LABELS = ("refuses", "states", "neither")


@dataclass(frozen=True, slots=True)
class _Network:
    # Whole numbers, too, as floats, which multiply several times faster; exact, since no sum comes near 2**53.
    hidden: NDArray[np.float64]
    hidden_base: NDArray[np.int64]
    out: NDArray[np.int64]
    out_base: NDArray[np.int64]


def refuses(text: str, lang: str) -> bool:
    """Return whether a text says that something is not known, found, stated or answered."""
    return _leads("refuses", text, lang)


def states(text: str, lang: str) -> bool:
    """Return whether a text states something that could answer a question."""
    return _leads("states", text, lang)


def clause_features(clause: str, lang: str) -> tuple[str, NDArray[np.int64]]:
    """Return which of the three networks a text of a language needs, and its features as whole numbers."""
    known, worded = sentence_encoder.knows(lang), base_language(lang) in refusal_data()
    kind = "both" if known and worded else "vector" if known else "words"
    vector = [sentence_encoder.encode([clause])[0]] if known else []
    parts = [np.rint(one.astype(np.float64) * VECTOR_UNIT).astype(np.int64) for one in vector]
    if kind != "vector":
        parts.append(np.asarray(word_features(clause, lang), dtype=np.int64) * VECTOR_UNIT)
    return kind, np.concatenate(parts)


def _leads(label: str, text: str, lang: str) -> bool:
    """Return whether a label's score exceeds those of the two others by the margin."""
    _, margins = _model()
    # A text without a word of denial needs a clearer score: "remains open", "please ask the town hall".
    margin = margins["refuses without denying" if label == "refuses" and not has_negation(text, lang) else label]
    scores = dict(zip(LABELS, _scores(text, lang), strict=True))
    return scores.pop(label) - max(scores.values()) > margin


# A clause is asked for both labels.
@lru_cache(maxsize=8192)
def _scores(text: str, lang: str) -> tuple[int, ...]:
    kind, values = clause_features(text, lang)
    network = _model()[0][kind]
    weighted = (values.astype(np.float64) @ network.hidden).astype(np.int64)
    hidden = np.maximum(weighted + network.hidden_base, 0)
    return tuple((hidden @ network.out + network.out_base).tolist())


@cache
def _model() -> tuple[dict[str, _Network], dict[str, int]]:
    data: dict[str, Any] = json.loads(MODEL.read_text(encoding="utf-8"))
    networks = {
        kind: _Network(
            **{name: np.asarray(one[name], dtype=np.int64) for name in ("hidden_base", "out", "out_base")},
            hidden=np.asarray(one["hidden"], dtype=np.float64),
        )
        for kind, one in data["networks"].items()
    }
    return networks, {label: int(margin) for label, margin in data["margins"].items()}
