"""Fit the offline judge on the graded answers, measure it on answers left out, and write model, card and figures.

    python studies/judge/fit_offline.py

writes `offline_model.json` and `offline_card.json` in `src/ragaliq/judge`, and `studies/judge/offline.json`. The
same rows give the same model. `--check` fits again and compares with the shipped model, and writes nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from controls import Question, source_questions, synthetic, velmora_questions, xquad_questions
from fitting import CUT_WEIGHT, CUTS, RESIDUE_WEIGHT, SYNTHETIC_WEIGHT, Table, fit, table
from graded import Graded, graded_rows, without_tails
from measuring import (
    Controls,
    by_language,
    by_question,
    by_reader,
    control_figures,
    cross_validated,
    figures,
    grades,
    judge_with,
    speed,
    to_other_source,
)

from ragaliq.judge.offline.judge import MODEL, OFFLINE_CARD, OfflineJudge
from record import write

VERSION = 2
_HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("RAGALIQ_SHARED_DATA", _HERE.parents[2] / "shared" / "data"))
VELMORA = _HERE.parents[1] / "data" / "velmora"
SPLITS = {
    "questions left out": by_question,
    "one reader left out, questions seen": by_reader,
    "one language left out, questions unseen": by_language,
    "from one grader and reader to the others, questions unseen": to_other_source,
}


def main() -> int:
    """Fit, measure, write; or fit and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with `ragaliq` and `xquad`")
    parser.add_argument("--out", type=Path, default=_HERE / "offline.json", help="write the figures to this file")
    parser.add_argument("--check", action="store_true", help="compare with the shipped model; write nothing")
    options = parser.parse_args()
    data = table(training_rows(options.data))
    text = json.dumps({"format": "ragaliq-offline-judge-1", "version": VERSION, **fit(data)}, separators=(",", ":"))
    if options.check:
        same = MODEL.read_text(encoding="utf-8") == text + "\n"
        print("the model is the shipped one" if same else "the model differs from the shipped one")
        return 0 if same else 1
    judge = judge_with(json.loads(text))
    measured = measure(data, judge, options.data)
    MODEL.write_text(text + "\n", encoding="utf-8")
    model_hash = hashlib.sha256(MODEL.read_bytes()).hexdigest()[:12]
    card = json.dumps(card_of(data, measured, model_hash), indent=1, ensure_ascii=False)
    OFFLINE_CARD.write_text(card + "\n", encoding="utf-8")
    write(options.out, {"model": model_hash, "bytes": MODEL.stat().st_size, **measured})
    print(f"model {model_hash}, {MODEL.stat().st_size:,} bytes; figures: {options.out}")
    return 0


def training_rows(folder: Path) -> list[Graded]:
    """Return the graded rows, the rows cut before their chat residue, and the synthetic ones."""
    rows = graded_rows(folder / "ragaliq")
    asked = source_questions(folder)
    return [*rows, *without_tails(rows, CUT_WEIGHT), *synthetic(asked, SYNTHETIC_WEIGHT)]


def measure(data: Table, judge: OfflineJudge, folder: Path) -> dict[str, Any]:
    """Return all figures."""
    real = [row for row in data.rows if row.real]
    found: dict[str, Any] = {"splits": {}}
    for name, split in SPLITS.items():
        found["splits"][name] = figures(cross_validated(data, split))
        print(f"{name}: {_short(found['splits'][name])}", file=sys.stderr)
    found["fitted rows"] = figures(list(zip(real, grades(judge, real), strict=True)))
    found["controls"] = {
        "sources, questions left out": left_out_controls(data, source_questions(folder)),
        "velmora": _controls(judge, velmora_questions(VELMORA)),
        "xquad": _controls(judge, xquad_questions(folder)),
    }
    short = [row for row in real if len(row.answer) < 500]
    found["answers_per_second"] = {"short answers": speed(judge, short), "all answers": speed(judge, real)}
    print(json.dumps({name: found[name] for name in ("controls", "answers_per_second")}), file=sys.stderr)
    return found


def _controls(judge: OfflineJudge, asked: Sequence[Question]) -> dict[str, object]:
    return control_figures([Controls(judge, asked, asked)])


def left_out_controls(data: Table, asked: Sequence[Question]) -> dict[str, object]:
    """Return the controls of the sources' questions, each by a judge fitted without its question."""
    parts = []
    for split in by_question(data.rows):
        held = {data.rows[place].question_id for place in np.flatnonzero(split.test)}
        judge = judge_with(fit(data.only(split.train)))
        parts.append(Controls(judge, [one for one in asked if one.group in held], asked))
    return control_figures(parts)


def card_of(data: Table, measured: dict[str, Any], model_hash: str) -> dict[str, Any]:
    """Return the card that ships with the model."""
    real = [row for row in data.rows if row.real]
    cross = measured["splits"]["questions left out"]
    cut = sum(not row.real and bool(row.source) for row in data.rows)
    return {
        "format": "ragaliq-offline-card-1",
        "version": VERSION,
        "model": model_hash,
        "scope": "In-domain until shown otherwise: short factual questions with a reference, in de en es fr ru zh.",
        "attribution": "Fitted on logs of RAGaliq (github.com/chameleon-lizard/Ragaliq, commits 1c0006d and 9a10558), "
        "MIT License, Copyright (c) 2024 Nikita Sushko.",
        "rows": {
            "graded": len(real),
            "questions": len({row.question_id for row in real}),
            "by_source": dict(sorted(Counter(row.source for row in real).items())),
            "by_reader": dict(sorted(Counter(row.reader for row in real).items())),
            "by_language": dict(sorted(Counter(row.lang for row in real).items())),
            "by_grade": dict(sorted(Counter(str(row.grade) for row in real).items())),
            "cut before chat residue": {"n": cut, "weight": CUT_WEIGHT, "weight of the whole answer": RESIDUE_WEIGHT},
            "synthetic": {"n": len(data.rows) - len(real) - cut, "weight": SYNTHETIC_WEIGHT},
        },
        "rule": {
            **fit_rule(),
            "text": "0 for a full refusal (docs/refusals.md), unless the rest of it holds more than half of what is "
            "new in the reference; else 1 plus the number of cuts that the expected grade reaches. Before that: an "
            "answer without words gets 1, the reference word for word 5, yes for no or no for yes 1. After that: a "
            "denial of what the reference says leaves 2 at most, alternatives for one value 3; 2 becomes 1 where no "
            "word, number, name or meaning is shared.",
        },
        "measured": measured,
        "weak_spots": _WEAK_SPOTS,
        "certificate": certificate_of(cross),
    }


def fit_rule() -> dict[str, object]:
    """Return the cuts."""
    return {"cuts": list(CUTS)}


def certificate_of(cross: dict[str, Any]) -> dict[str, Any]:
    """Return the summary that runs cite: agreement with the graders of the fitted rows, questions left out."""
    return {
        "labels": "RAGaliq logs, graded by qwen-2.5-72b-instruct and gemini-flash-1.5",
        "n": cross["n"],
        "qwk": cross["qwk"],
        "qwk_ci": cross["qwk_ci"],
        "qwk_attempted": cross["qwk_attempted"],
        "weight_kappa": cross["weight_kappa"],
        "note": "graded by language models, not by people; questions left out of the fit, one benchmark; "
        "in-domain until shown otherwise",
    }


_WEAK_SPOTS = [
    "Paraphrase and contradiction need a language model as the judge. A paraphrase without common words is graded too "
    'low ("study" for "education"), a translation likewise.',
    "Fluent text that keeps the reference's words and turns its meaning round is graded too high, unless a number, an "
    "address, an opening yes or no, or a plain denial or negation changes: swapped roles and wrong names are not seen.",
    "A list that holds the right items and others is hardly graded lower.",
    "Refusals in unusual wordings are missed: on a list written afterwards recall was .90, on lists hard on purpose "
    ".6 to .7 (docs/refusals.md). A refusal F1 of .86 of an earlier fit was .70 on the answers of other readers.",
    "Signs (-5 and 5, $5 and €5, C++ and C) count only where all words agree, not inside a longer answer.",
    "Grades 2 to 4 are told apart worst; the graders themselves disagree there.",
    "Graded answers in de, es, fr and ru come from one reader, whose answers end in chat residue, and from one grader; "
    "for short answers in these languages the fit rests on those answers cut before the residue.",
    "The labels come from two language models, never from people.",
    "Languages beyond the six are graded by words and characters alone: no stemming, number words or negations, except "
    "where Snowball knows the language; abstentions by the sentence encoder, or by English words where it does not "
    "know the language.",
    "It does not see the context, so it says nothing of groundedness.",
]


def _short(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in figures.items() if not name.startswith("by_")}


if __name__ == "__main__":
    sys.exit(main())
