"""The graded answers of the RAGaliq sources that the offline judge is fitted on and measured with."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ragaliq.judge.offline.text_features import body

LANGUAGES = ("de", "en", "es", "fr", "ru", "zh")
_NAME = re.compile(r"eval_res_(questions_(?P<lang>[a-z]+)_(?P<reader>[^_]+)_.*)\.json")
# What a grader writes of an answer whose only fault is what follows it.
_RAMBLES = re.compile(
    r"extraneous|irrelevan|repetit|beyond|unnecessar|unrelated|additional|conversation|dialogue|unrequested"
    r"|superfluous|detract|extra |not (?:directly )?request|redundan|unsolicited|excessive",
    re.IGNORECASE,
)
_LACKS = re.compile(
    r"lack|missing|omit|not precise|incomplete|does ?n.t (?:mention|include|match|provide)"
    r"|not (?:completely|entirely|fully|perfectly) (?:accurate|match|correct)|fails|slight"
    r"|however, it (?:also )?(?:doesn|misses)|partial|less specific|specificity",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Graded:
    """One graded answer; `question_id` is the English question, the same in all languages.

    `source` names the grader. `weight` is the row's weight in training; a row that is not `real` never counts in a
    figure.
    """

    question_id: str
    lang: str
    question: str
    reference: str
    answer: str
    grade: int
    reader: str
    source: str
    feedback: str = ""
    real: bool = True
    weight: float = 1.0


def graded_rows(folder: Path) -> list[Graded]:
    """Return all rows in a fixed order; of rows with the same texts and grader the first is kept."""
    english = english_questions(folder / "data")
    rows: dict[tuple[str, ...], Graded] = {}
    for row in [*_log_rows(folder), *_more_rows(folder)]:
        key = (row.lang, row.question, row.reference, row.answer, row.source)
        rows.setdefault(key, replace(row, question_id=english[row.lang, _plain(row.question)]))
    return list(rows.values())


def questions(folder: Path) -> list[tuple[str, str, str, str]]:
    """Return (English question, language, question, reference) of every question of the sources."""
    found = []
    for lang in LANGUAGES:
        for row in json.loads((folder / f"questions_{lang}.json").read_text(encoding="utf-8")):
            english = _plain(row.get("source_q", row["question"]))
            found.append((english, lang, _plain(row["question"]), _plain(row["answer"])))
    return sorted(set(found))


def english_questions(folder: Path) -> dict[tuple[str, str], str]:
    """Return the English question of each (language, question)."""
    return {(lang, question): english for english, lang, question, _ in questions(folder)}


def without_tails(rows: Iterable[Graded], weight: float) -> list[Graded]:
    """Return rows that end in chat residue once more, cut before it.

    Grade 4 becomes 5 where the grader's comment complains of nothing but what follows the answer. A row is left out
    where the comment and the grade do not speak of the part that is kept.
    """
    found = []
    for row in rows:
        kept, _ = body(row.answer)
        if not kept or kept == row.answer.strip():
            continue
        rambles, lacks = _RAMBLES.search(row.feedback), _LACKS.search(row.feedback)
        if row.grade <= 2 and "correctly" in row.feedback.lower():
            continue
        grade = 5 if row.grade == 4 and rambles and not lacks else row.grade
        found.append(replace(row, answer=kept, grade=grade, real=False, weight=weight))
    return found


def _log_rows(folder: Path) -> Iterable[Graded]:
    for path in sorted((folder / "logs" / "eval").glob("eval_res_*.json")):
        name = _NAME.fullmatch(path.name)
        if name:
            summary = (folder / "logs" / "res" / f"results_{name[1]}.txt").read_text(encoding="utf-8")
            judge = next(line.partition(":")[2].strip() for line in summary.splitlines() if "Judge model" in line)
            for row in json.loads(path.read_text(encoding="utf-8")):
                yield _row(row, name["lang"], name["reader"], judge)


def _more_rows(folder: Path) -> Iterable[Graded]:
    for path in sorted(folder.glob("train_*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                yield _row(row, row["lang"], row["reader"], row["judge"])


def _row(row: Mapping[str, str], lang: str, reader: str, judge: str) -> Graded:
    texts = (row["question"], row["true_answer"], row["generated_answer"])
    return Graded("", lang, *texts, int(row["score"]), reader, judge, row["feedback"])


def _plain(text: str) -> str:
    return " ".join(text.split())
