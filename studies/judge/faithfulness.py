"""What the offline checker makes of planted sentences, with passages in another language too, and of graded answers.

    .venv/bin/python studies/judge/faithfulness.py --shared ../shared/data/ragaliq --out studies/judge/faithfulness.json

The cuts were fitted on the development half and on the graded answers; the other half is the checker's controls.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from graded import LANGUAGES, graded_rows

from ragaliq.judge.checks.offline import OfflineChecker
from ragaliq.judge.checks.support import Check, Support
from ragaliq.judge.controls.faithfulness import PlantedAnswer, answers_of, faithfulness, planted_answers
from ragaliq.judge.offline.text_features import body
from ragaliq.storage.files import write_json
from ragaliq.storage.yaml_files import read_yaml
from ragaliq.text.refusals import refusal
from ragaliq.text.sentences import sentences
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Item, Query, Refusal

HERE = Path(__file__).parent
# A grade of 4 or 5 counts as an answer that its passages support, 1 or 2 as one that they do not.
_BORNE_OUT, _NOT = (4, 5), (1, 2)
_LONGEST = 600


def planted(half: str) -> tuple[PlantedAnswer, ...]:
    """Return the planted answers of a half."""
    if half == "controls":
        return planted_answers(LANGUAGES)
    data = read_yaml(HERE / "faithfulness_development.yaml")
    questions = dict.fromkeys(LANGUAGES, "?")
    return tuple(answer for lang in LANGUAGES for answer in answers_of(data["passages"], questions, lang))


def measured(answers: Sequence[PlantedAnswer]) -> dict[str, Any]:
    """Return the figures by language, and the milliseconds per answer of nine sentences and five passages."""
    start = time.process_time()
    checks = [OfflineChecker().check(one.item, one.answer) for one in answers]
    spent = time.process_time() - start
    parts = {part.lang: asdict(part) for part in faithfulness(answers, checks)}
    return {"by": parts, "ms_per_answer": round(1000 * spent / len(answers), 1)}


def across(answers: Sequence[PlantedAnswer]) -> dict[str, Any]:
    """Return the same where the passages are in the next language."""
    by_key = {(one.item.query.lang, one.item.query.query_id): one for one in answers}
    moved = []
    for one in answers:
        lang = LANGUAGES[(LANGUAGES.index(one.item.query.lang) + 1) % len(LANGUAGES)]
        foreign = by_key[lang, one.item.query.query_id].answer.context
        moved.append(replace(one, answer=replace(one.answer, context=foreign)))
    return measured(moved)


def of_graded(folder: Path) -> dict[str, Any]:
    """Return what is said of the first sentences of graded answers, among their passage and three others."""
    sources: dict[tuple[str, str], str] = {}
    for path in sorted(folder.glob("data/questions_*.json")):
        for row in json.loads(path.read_text(encoding="utf-8")):
            passage = row["context"]
            sources[path.stem[-2:], " ".join(row["question"].split())] = passage
    counts: dict[str, list[int]] = {}
    for row in graded_rows(folder):
        text, key = body(row.answer)[0], (row.lang, " ".join(row.question.split()))
        usable = row.grade in (*_BORNE_OUT, *_NOT) and sources.get(key) and 0 < len(text) <= _LONGEST
        if not usable or refusal(text, row.lang) is not Refusal.NONE:
            continue
        asked = sorted(question for lang, question in sources if lang == row.lang)
        place = asked.index(key[1])
        others = [asked[(place + step) % len(asked)] for step in (2, 0, 5, 9)]
        check = _check(sentences(text)[0], row.lang, [sources[row.lang, other] for other in others])
        supported = check.sentences[0].support is Support.SUPPORTED
        for lang in (row.lang, "all"):
            cell = counts.setdefault(lang, [0, 0, 0, 0])
            at = 0 if row.grade in _BORNE_OUT else 2
            cell[at] += supported == (at == 0)
            cell[at + 1] += 1
    return {
        lang: {"kept": [kept, n], "caught": [caught, m], "balanced_accuracy": (kept / n + caught / m) / 2}
        for lang, (kept, n, caught, m) in sorted(counts.items())
    }


def _check(text: str, lang: str, passages: Sequence[str]) -> Check:
    query = Query("q", lang, "?")
    context = tuple(Hit(Chunk(f"d{i}", lang, one, "s", 0, len(one)), 1 / i, i) for i, one in enumerate(passages, 1))
    return OfflineChecker().check(Item(query, ""), Answer(query, text, AnswerOutcome.ANSWERED, context))


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--out", type=Path, default=HERE / "faithfulness.json")
    arguments = parser.parse_args()
    OfflineChecker().check(*_first(planted("controls")))
    value: dict[str, Any] = {half: measured(planted(half)) for half in ("development", "controls")}
    value["controls, passages in the next language"] = across(planted("controls"))
    if arguments.shared:
        value["graded answers"] = of_graded(arguments.shared)
    write_json(arguments.out, value)
    for name, part in value.items():
        for lang, row in part.get("by", part).items():
            print(name, lang, round(row["balanced_accuracy"], 3))


def _first(answers: Sequence[PlantedAnswer]) -> tuple[Item, Answer]:
    return answers[0].item, answers[0].answer


if __name__ == "__main__":
    main()
