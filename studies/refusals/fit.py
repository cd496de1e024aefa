"""Fit the detector of refusals on the sentences beside this file, and measure it on templates left out.

python studies/refusals/fit.py           # measures and writes the model and card.json
python studies/refusals/fit.py --check   # fits again and compares with the shipped model, writes nothing
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sentences import LANGUAGES, Example, examples, whole_answers
from sklearn.linear_model import LogisticRegression

from ragaliq.metrics.statistics.intervals import share_interval
from ragaliq.text.refusal_model import MODEL, VECTOR_UNIT, clause_features
from ragaliq.text.refusal_words import has_negation
from ragaliq.text.refusals import refusal

CARD = Path(__file__).resolve().with_name("card.json")
# The vector's coordinates are about .04, the words' 0 or 1.
_VECTOR_SCALE, _C = 4.0, 1.0
# Where a clause counts as refusing, or as stating something, in log-odds: chosen on templates left out.
THRESHOLDS = {"refuses": 0.7, "states": 0.4}
_WEIGHT_UNIT, _DIMENSION, _FOLDS = 1000, 512, 5
_PARTS = {"both": slice(None), "vector": slice(0, _DIMENSION), "words": slice(_DIMENSION, None)}
Floats = NDArray[np.float64]


def main() -> int:
    """Fit, measure, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the shipped model and write nothing")
    options = parser.parse_args()
    rows = [row for lang in LANGUAGES for row in examples(lang)]
    values = np.stack([clause_features(row.text, row.lang)[1] for row in rows]) / VECTOR_UNIT
    model = {
        question: {kind: _coefficients(rows, values, question, kind) for kind in _PARTS} for question in THRESHOLDS
    }
    text = json.dumps(model) + "\n"
    if options.check:
        same = text == MODEL.read_text(encoding="utf-8")
        print("the same model" if same else "another model")
        return 0 if same else 1
    MODEL.write_text(text, encoding="utf-8")
    card = {
        "examples": {lang: _counts(rows, lang) for lang in LANGUAGES},
        "templates left out": _table(rows, _left_out(rows, values, "refuses", "both", _folds(rows))),
        "registers left out": _table(rows, _left_out(rows, values, "refuses", "both", _registers(rows))),
        "languages left out": _table(rows, _left_out(rows, values, "refuses", "vector", [r.lang for r in rows])),
        "words alone, templates left out": _table(rows, _left_out(rows, values, "refuses", "words", _folds(rows))),
        "whole answers": {lang: _whole(lang) for lang in LANGUAGES},
    }
    CARD.write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(card, ensure_ascii=False, indent=1))
    return 0


def _fit(rows: Sequence[Example], values: Floats, question: str, kind: str) -> tuple[Floats, float]:
    """Return weights of the features and the base, the threshold taken off."""
    scale = np.ones(values.shape[1])
    scale[:_DIMENSION] = _VECTOR_SCALE
    part = _PARTS[kind]
    labels = np.array([row.label == question for row in rows])
    weights = np.array([row.weight for row in rows])
    fitted = LogisticRegression(C=_C, solver="liblinear", tol=1e-4, random_state=0, max_iter=1000)
    fitted.fit((values * scale)[:, part], labels, sample_weight=weights)
    return fitted.coef_[0] * scale[part], float(fitted.intercept_[0]) - THRESHOLDS[question]


def _coefficients(rows: Sequence[Example], values: Floats, question: str, kind: str) -> dict[str, Any]:
    weights, base = _fit(rows, values, question, kind)
    return {
        "weights": [round(weight * _WEIGHT_UNIT) for weight in weights],
        "base": round(base * _WEIGHT_UNIT * VECTOR_UNIT),
    }


def _left_out(
    rows: Sequence[Example], values: Floats, question: str, kind: str, groups: Sequence[object]
) -> list[bool]:
    """Return for each row whether a model fitted without its group says yes."""
    yes = [False] * len(rows)
    for group in dict.fromkeys(groups):
        inside = np.array([one == group for one in groups])
        weights, base = _fit([r for r, i in zip(rows, inside, strict=True) if not i], values[~inside], question, kind)
        for place in np.flatnonzero(inside).tolist():
            row = rows[place]
            score = float(values[place, _PARTS[kind]] @ weights) + base
            yes[place] = score > 0 and has_negation(row.text, row.lang)
    return yes


def _folds(rows: Sequence[Example]) -> list[int]:
    """Part the templates of each register in fifths by their order, which is about the same in every language."""
    order: dict[tuple[str, str, str], list[int]] = {}
    for row in rows:
        known = order.setdefault((row.lang, row.label, row.register), [])
        if row.template not in known:
            known.append(row.template)
    found = []
    for row in rows:
        known = order[row.lang, row.label, row.register]
        found.append(_FOLDS * known.index(row.template) // len(known))
    return found


def _registers(rows: Sequence[Example]) -> list[object]:
    # Registers of what refuses nothing stay: without all denials in third person the fit has no idea of them.
    return [row.register if row.label == "refuses" else fold for row, fold in zip(rows, _folds(rows), strict=True)]


def _table(rows: Sequence[Example], yes: Sequence[bool]) -> dict[str, Any]:
    """Return, by language and overall, recall over refusals and the share of false alarms over what states."""
    table = {}
    for lang in (*LANGUAGES, "all"):
        chosen = [(r, y) for r, y in zip(rows, yes, strict=True) if lang in (r.lang, "all")]
        refused = [(r.weight, y) for r, y in chosen if r.label == "refuses"]
        stated = [(r.weight, y) for r, y in chosen if r.label == "states" and r.register != "corpus"]
        hits, alarms = _weighed(refused), _weighed(stated)
        table[lang] = {"recall": _share(*hits), "false alarms": _share(*alarms)}
        table[lang]["precision"] = _share(hits[0], hits[0] + alarms[0])
    return table


def _weighed(rows: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    return math.fsum(w for w, yes in rows if yes), math.fsum(w for w, _ in rows)


def _share(hits: float, n: float) -> dict[str, Any]:
    """Return a share with its 95 % Wilson interval; the fillings of a template count as one."""
    low, high = share_interval(round(hits), round(n))
    return {"share": round(hits / n, 3), "ci": [round(low, 3), round(high, 3)], "n": round(n)}


def _counts(rows: Sequence[Example], lang: str) -> dict[str, int]:
    labels = [row.label for row in rows if row.lang == lang]
    return {label: labels.count(label) for label in ("refuses", "states", "neither")}


def _whole(lang: str) -> dict[str, Any]:
    """Return how many answers of several clauses get their label, by label, and how many have it."""
    told = [(label, str(refusal(text, lang)) == label) for text, label in whole_answers(lang)]
    return {
        label: [sum(right for one, right in told if one == label), sum(one == label for one, _ in told)]
        for label in ("full", "partial", "none")
    }


if __name__ == "__main__":
    sys.exit(main())
