"""Runs of two systems over the same questions in six languages, for a person to judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from fakes import verdict
from ragaliq.review.labels import LabelFile, label_file
from ragaliq.review.session import Session
from ragaliq.review.sheets import Choice, make_sheets
from ragaliq.review.sources.runs import Runs
from ragaliq.review.values import ReviewTask
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer, run_answer_to_row, verdict_to_row
from ragaliq.storage.files import write_json, write_jsonl
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Item, Query

# Names that must never reach a reviewer.
ALPHA, BETA, MODEL, FEEDBACK = "alpha-system", "beta-system", "secretive-7b", "judged-by-machine"
QUESTIONS = {
    "en": ("When does the ship leave?", "At 09:15."),
    "de": ("Wann legt das Schiff ab?", "Um 09:15 Uhr."),
    "fr": ("À quelle heure part le bateau ?", "À 9 h 15."),
    "es": ("¿A qué hora sale el barco?", "A las 09:15."),
    "ru": ("Когда отходит судно?", "В 09:15."),
    "zh": ("船几点开？", "九点十五分。"),
}
SAME = "The same words from both."


def answered(
    lang: str, query_id: str, text: str, outcome: AnswerOutcome = AnswerOutcome.ANSWERED, answerable: bool = True
) -> RunAnswer:
    """An answer to the language's question; the id makes it a question of its own."""
    question, reference = QUESTIONS[lang]
    query = Query(query_id, lang, f"{question} ({query_id})")
    passage = f"{reference} {query_id}"
    context = (Hit(Chunk("hidden-doc", lang, passage, "", 0, len(passage)), 1.0, 1),)
    return RunAnswer(Item(query, reference, answerable), Answer(query, text, outcome, context))


def write_run(path: Path, answers: Sequence[RunAnswer], data: Mapping[str, str] | None = None) -> RunFolder:
    """A run's folder as far as a review reads it, with verdicts that it must not read."""
    folder = RunFolder(path)
    config = {
        "data": {"name": "tiny", "version": "1", "hash": "x", "path": "nowhere", **(data or {})},
        "system": {"reader": {"kind": "fake", "model": MODEL}, "seed": 0},
        "judge": {"kind": "fake", "model": "", "name": "fake"},
        "expected": {},
    }
    write_json(folder.config_file, config)
    write_jsonl(folder.answers_file, map(run_answer_to_row, answers))
    verdicts = [verdict_to_row(verdict(one.item.query.query_id, 3, one.item.query.lang)) for one in answers]
    write_jsonl(folder.verdicts_file, [{**row, "feedback": FEEDBACK} for row in verdicts])
    return folder


def write_runs(path: Path, queries: int = 3) -> Path:
    """Two systems: of each language's queries they answer the first alike, the others each in its own way."""
    for name in (ALPHA, BETA):
        answers = [
            answered(lang, f"q{number}", SAME if number == 1 else f"{QUESTIONS[lang][1]} {name[0]}{number}")
            for lang in QUESTIONS
            for number in range(1, queries + 1)
        ]
        write_run(path / name, answers)
    return path


@contextmanager
def session(
    folder: Path, task: ReviewTask = ReviewTask.GRADE, choice: Choice | None = None, rater: str = "ada"
) -> Iterator[Session]:
    """A session on the runs of a folder, at a clock that stands still."""
    runs = Runs(folder)
    with LabelFile(label_file(folder, rater), runs.only) as labels:
        sheets = make_sheets(runs, task, choice or Choice())
        yield Session(runs, sheets, task, rater, labels, lambda: "2026-03-01T10:00:00+00:00")
