"""Grade answers written for the purpose, and say how many get an intended grade, by kind and by language.

    python studies/judge/own_answers.py ANSWERS.jsonl [--out FIGURES.json] [--rows]

A row is `{exam_id, lang, kind, question, reference, answer, least, most}`. The shares are printed as a table and
written as JSON; `--rows` prints each answer whose grade is outside its range.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.errors import InputError
from ragaliq.judge.offline.judge import OfflineJudge
from ragaliq.metrics.statistics.intervals import share_interval
from ragaliq.storage.files import read_jsonl
from ragaliq.types import Answer, AnswerOutcome, Item, Query
from record import write


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """One answer with the range of its intended grades, and the grade that it got; None if it got none."""

    exam_id: str
    lang: str
    kind: str
    text: str
    least: int
    most: int
    grade: int | None

    @property
    def intended(self) -> bool:
        """Whether the grade is in the range; no grade is not."""
        return self.grade is not None and self.least <= self.grade <= self.most


def main() -> int:
    """Grade, print, and write where a file is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("answers", type=Path, metavar="ANSWERS.jsonl")
    parser.add_argument("--out", type=Path, help="write the figures to this file")
    parser.add_argument("--rows", action="store_true", help="print each answer outside its range")
    options = parser.parse_args()
    judge = OfflineJudge()
    try:
        answers = graded(judge, options.answers)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    groups: dict[str, Callable[[OwnAnswer], str]] = {"by_kind": lambda a: a.kind, "by_language": lambda a: a.lang}
    figures: dict[str, dict[str, dict[str, object]]] = {"all": {"all": share(answers)}}
    for name, key in groups.items():
        values = sorted({key(answer) for answer in answers})
        figures[name] = {value: share([a for a in answers if key(a) == value]) for value in values}
    for name, rows in figures.items():
        print(f"{name:30}{'n':>6}{'share':>8}  95 % interval")
        for value, row in rows.items():
            print(f"{value:30}{row['n']!s:>6}{row['share']!s:>8}  {row['ci']}")
    if options.rows:
        for a in answers:
            if not a.intended:
                print(f"{a.kind} {a.exam_id}: {a.grade} instead of {a.least} to {a.most}: {a.text}")
    if options.out:
        write(options.out, {"judge": f"{judge.name} {judge.prompt_hash}", "answers": options.answers.name, **figures})
    return 0


def graded(judge: OfflineJudge, path: Path) -> list[OwnAnswer]:
    """Read the answers and grade each."""
    answers = []
    for number, row in read_jsonl(path):
        try:
            query = Query(row["exam_id"], row["lang"], row["question"])
            answer = Answer(query, row["answer"], AnswerOutcome.ANSWERED, ())
            item, kind, least, most = Item(query, row["reference"]), row["kind"], int(row["least"]), int(row["most"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path} line {number}: not a row with a range of grades: {error!r}") from None
        grade = judge.grade(item, answer).grade
        answers.append(OwnAnswer(query.query_id, query.lang, kind, answer.text, least, most, grade))
    return answers


def share(answers: Sequence[OwnAnswer]) -> dict[str, object]:
    """Return the share of answers with an intended grade, its 95 % Wilson interval, and how many have no grade."""
    hits, n = sum(answer.intended for answer in answers), len(answers)
    interval = share_interval(hits, n) if n else None
    return {
        "n": n,
        "n_ungraded": sum(answer.grade is None for answer in answers),
        "share": round(hits / n, 3) if n else None,
        "ci": [round(interval.low, 3), round(interval.high, 3)] if interval else None,
    }


if __name__ == "__main__":
    sys.exit(main())
