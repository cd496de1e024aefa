"""Hold the offline matcher of nuggets against two readings of 120 answers of the sample, 20 in each language.

    python studies/judge/nugget_agreement.py [--out studies/judge/nugget_agreement.json]

`nugget_labels.jsonl` has answers of the extractive reader, each with a nugget drawn at random and the labels that two
readers gave it, neither of whom saw the other's or the matcher's. That is agreement of readers, not truth.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sklearn.metrics import cohen_kappa_score

from ragaliq.judge.nuggets.offline import OfflineMatcher
from ragaliq.storage.files import read_jsonl
from ragaliq.types import Answer, AnswerOutcome, Importance, Item, Nugget, Query
from record import write

LABELS = Path(__file__).with_name("nugget_labels.jsonl")


def main() -> int:
    """Match, print, and write where a file is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    rows = [row for _, row in read_jsonl(LABELS)]
    matcher = OfflineMatcher()
    sides = {
        "matcher": [matched(matcher, row) for row in rows],
        "first reader": [str(row["labels"][0]) for row in rows],
        "second reader": [str(row["labels"][1]) for row in rows],
    }
    langs = [str(row["lang"]) for row in rows]
    figures = {}
    for one, other in (("first reader", "second reader"), ("matcher", "first reader"), ("matcher", "second reader")):
        figures[f"{one}, {other}"] = {
            lang: agreement(
                [label for label, own in zip(sides[one], langs, strict=True) if lang in ("all", own)],
                [label for label, own in zip(sides[other], langs, strict=True) if lang in ("all", own)],
            )
            for lang in ("all", *sorted(set(langs)))
        }
    for pair, by_lang in figures.items():
        print(pair, by_lang, sep=": ")
    if options.out:
        write(options.out, figures)
    return 0


def matched(matcher: OfflineMatcher, row: dict[str, Any]) -> str:
    """Return the matcher's label of a row."""
    query = Query(row["nugget_id"].rsplit("-", 1)[0], row["lang"], row["question"])
    nugget = Nugget(row["nugget_id"], query.query_id, query.lang, row["nugget"], Importance.VITAL, ())
    answer = Answer(query, row["answer"], AnswerOutcome.ANSWERED, ())
    return str(matcher.match(Item(query, ""), answer, [nugget]).assignments[0].label)


def agreement(one: Sequence[str], other: Sequence[str]) -> dict[str, float]:
    """Return the share of equal labels and Cohen's kappa."""
    share = sum(a == b for a, b in zip(one, other, strict=True)) / len(one)
    return {"n": len(one), "share": round(share, 3), "kappa": round(float(cohen_kappa_score(one, other)), 3)}


if __name__ == "__main__":
    sys.exit(main())
