"""Fit the detector of refusals on the texts beside this file, and measure it on answers of writers left out.

python studies/refusals/fit.py   # measures, and writes the model and card.json
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sentences import LANGUAGES, WRITERS, Answer, Example, answers, examples, held_out, other_texts, whole_answers
from sklearn.neural_network import MLPClassifier

from ragaliq.metrics.statistics.intervals import share_interval
from ragaliq.text.refusal_clauses import clauses
from ragaliq.text.refusal_model import LABELS, MODEL, VECTOR_UNIT, clause_features
from ragaliq.text.refusals import refusal

CARD = Path(__file__).resolve().with_name("card.json")
# The vector's coordinates are about .04, the words' 0 or 1.
_VECTOR_SCALE = 4.0
# By how much a label's score has to lead, in log-odds: chosen on writers left out.
MARGINS = {"refuses": 1.5, "refuses without denying": 2.0, "states": -0.3}
_UNITS, _NETWORKS, _DECAY, _ROUNDS = 64, 2, 0.15, 20
# Whole numbers hold hundredths of the weights: finer ones change nothing and fill the file.
_WEIGHT_UNIT, _DIMENSION = 100, 512
_PARTS = {"both": slice(None), "vector": slice(0, _DIMENSION), "words": slice(_DIMENSION, None)}
# Weight of an answer, a template having 1, and of a clause of an answer, which nobody labelled.
_ANSWER, _CLAUSE = 2.0, 0.7
_SHORT = 400
Floats = NDArray[np.float64]
Text = tuple[str, str, str, float]


def main() -> int:
    """Fit and measure without each writer, then fit on everything."""
    old = [row for lang in LANGUAGES for row in examples(lang)]
    lists = {writer: [row for lang in LANGUAGES for row in answers(writer, lang)] for writer in WRITERS}
    card: dict[str, Any] = {"examples": {lang: _counts(old, lang) for lang in LANGUAGES}}
    for left, rows in lists.items():
        others = [row for writer, known in lists.items() if writer != left for row in known]
        MODEL.write_text(_fitted(old, others, ("both",)), encoding="utf-8")
        card[f"writers of the {left} answers left out"] = _table(rows, _judged([(r.text, r.lang) for r in rows]))
    MODEL.write_text(_fitted(old, [row for rows in lists.values() for row in rows]), encoding="utf-8")
    new = [row for lang in LANGUAGES for row in held_out(lang)]
    said = _judged([(row.text, row.lang) for row in new])
    card["answers written afterwards"] = _table(new, said)
    fitted = {(row.text, row.lang) for row in old} | {(row.text, row.lang) for rows in lists.values() for row in rows}
    unseen = [(row, one) for row, one in zip(new, said, strict=True) if (row.text, row.lang) not in fitted]
    card["of these, not fitted on word for word"] = _table([row for row, _ in unseen], [one for _, one in unseen])
    card["taken for a full refusal"] = {
        name: [_judged(texts).count("full"), len(texts)] for name, texts in sorted(other_texts().items())
    }
    whole = [(text, lang, label) for lang in LANGUAGES for text, label in whole_answers(lang)]
    card["whole answers"] = _whole(whole, _judged([(text, lang) for text, lang, _ in whole]))
    CARD.write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(card, ensure_ascii=False))
    return 0


def _fitted(old: Sequence[Example], listed: Sequence[Answer], kinds: Sequence[str] = tuple(_PARTS)) -> str:
    """Return a model; the clauses of answers are labelled by one that saw whole answers alone."""
    texts = [(row.text, row.lang, row.label, row.weight) for row in old]
    texts += [(r.text[:_SHORT], r.lang, _LABEL_OF[r.label], _ANSWER) for r in listed if r.label in _LABEL_OF]
    first = _networks(texts, "both")
    texts += [text for row in listed for text in _labelled(row, first)]
    networks = {kind: _rounded(_networks(texts, kind), kind) for kind in kinds}
    margins = {label: round(margin * _WEIGHT_UNIT**2 * VECTOR_UNIT) for label, margin in MARGINS.items()}
    return json.dumps({"margins": margins, "networks": networks}, separators=(",", ":")) + "\n"


_LABEL_OF = {"full": "refuses", "none": "states"}


def _labelled(answer: Answer, networks: Sequence[MLPClassifier]) -> list[Text]:
    """Return the clauses of an answer of several: in a refusal the likeliest one refuses, and those that surely do."""
    parts = [clause.text for clause in clauses(answer.text, answer.lang)]
    if len(parts) < 2:
        return []
    if answer.label == "none":
        return [(part, answer.lang, "states", _CLAUSE) for part in parts]
    at = list(networks[0].classes_).index("refuses")
    values = np.stack([_values(part, answer.lang) for part in parts])
    likely = np.mean([one.predict_proba(values)[:, at] for one in networks], axis=0)
    other = "neither" if answer.label == "full" else "states"
    chosen = (likely > 0.6) | (likely == likely.max())
    return [(p, answer.lang, "refuses" if yes else other, _CLAUSE) for p, yes in zip(parts, chosen, strict=True)]


def _networks(texts: Sequence[Text], kind: str) -> list[MLPClassifier]:
    values = np.stack([_values(text, lang) for text, lang, _, _ in texts])[:, _PARTS[kind]]
    labels, weights = [text[2] for text in texts], np.array([text[3] for text in texts])
    options = {"alpha": _DECAY, "max_iter": _ROUNDS, "learning_rate_init": 2e-3, "batch_size": 128}
    return [
        MLPClassifier((_UNITS,), random_state=seed, **options).fit(values, labels, sample_weight=weights)
        for seed in range(_NETWORKS)
    ]


@cache
def _values(text: str, lang: str) -> Floats:
    return np.asarray(clause_features(text, lang)[1] / VECTOR_UNIT * _scale(), dtype=np.float64)


@cache
def _scale() -> Floats:
    size = len(clause_features("x", "en")[1])
    return np.array([_VECTOR_SCALE] * _DIMENSION + [1.0] * (size - _DIMENSION))


def _rounded(networks: Sequence[MLPClassifier], kind: str) -> dict[str, Any]:
    """Return the mean of some networks as one, in whole numbers."""
    order = [list(networks[0].classes_).index(label) for label in LABELS]
    hidden = np.hstack([one.coefs_[0] for one in networks]) * _scale()[_PARTS[kind]][:, None]
    out = np.vstack([one.coefs_[1][:, order] for one in networks]) / len(networks)
    base = np.mean([one.intercepts_[1][order] for one in networks], axis=0)
    hidden_base = np.concatenate([one.intercepts_[0] for one in networks])
    return {
        "hidden": _whole_numbers(hidden * _WEIGHT_UNIT),
        "hidden_base": _whole_numbers(hidden_base * _WEIGHT_UNIT * VECTOR_UNIT),
        "out": _whole_numbers(out * _WEIGHT_UNIT),
        "out_base": _whole_numbers(base * _WEIGHT_UNIT**2 * VECTOR_UNIT),
    }


def _whole_numbers(values: Floats) -> Any:
    return np.rint(values).astype(np.int64).tolist()


def _judged(texts: Sequence[tuple[str, str]]) -> list[str]:
    """Return what the detector says with the model just written, in a process that has read no other."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return list(pool.map(_said, texts, chunksize=len(texts)))


def _said(text: tuple[str, str]) -> str:
    return str(refusal(*text))


def _table(rows: Sequence[Answer], said: Sequence[str]) -> dict[str, Any]:
    """Return, by language and overall, how many full refusals are found, and what else is taken for one."""
    table: dict[str, Any] = {}
    for lang in (*LANGUAGES, "all"):
        chosen = [(row.label, one) for row, one in zip(rows, said, strict=True) if lang in (row.lang, "all")]
        full = [one == "full" for label, one in chosen if label == "full"]
        none = [one == "full" for label, one in chosen if label == "none"]
        partial = [one for label, one in chosen if label == "partial"]
        table[lang] = {
            "recall": _share(sum(full), len(full)),
            "false alarms": _share(sum(none), len(none)),
            "precision": _share(sum(full), sum(full) + sum(none)),
            "partial": {label: partial.count(label) for label in ("full", "partial", "none")},
        }
    return table


def _share(hits: float, n: float) -> dict[str, Any]:
    """Return a share with its 95 % Wilson interval."""
    low, high = share_interval(round(hits), round(n))
    return {"share": round(hits / n, 3), "ci": [round(low, 3), round(high, 3)], "n": round(n)}


def _counts(rows: Sequence[Example], lang: str) -> dict[str, Any]:
    labels = [row.label for row in rows if row.lang == lang]
    counts: dict[str, Any] = {label: labels.count(label) for label in LABELS}
    return counts | {"weight": round(math.fsum(row.weight for row in rows if row.lang == lang), 1)}


def _whole(rows: Sequence[tuple[str, str, str]], said: Sequence[str]) -> dict[str, Any]:
    """Return by language how many of the answers of several clauses get their label, by label, and how many have it."""
    both = [(lang, label, label == one) for (_, lang, label), one in zip(rows, said, strict=True)]
    return {
        lang: {
            label: [sum(right for _, _, right in chosen), len(chosen)]
            for label in ("full", "partial", "none")
            if (chosen := [row for row in both if row[:2] == (lang, label)])
        }
        for lang in LANGUAGES
    }


if __name__ == "__main__":
    sys.exit(main())
