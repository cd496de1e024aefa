"""What the offline judge is measured with: splits, agreement by groups, controls, speed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from controls import Question, flipped, neighbours, number_changed
from fitting import Table, fit
from graded import Graded
from numpy.typing import NDArray

from ragaliq.judge.offline.judge import OfflineJudge, offline_model
from ragaliq.metrics.agreement.coefficients import agreement
from ragaliq.metrics.agreement.intervals import agreement_intervals
from ragaliq.types import Answer, AnswerOutcome, Item, Query

FOLDS = 7
Mask = NDArray[np.bool_]
# Written into the figures, in this order.
_SHOWN = ("qwk", "qwk_attempted", "weight_kappa", "auc_5_vs_34", "exact", "mae", "bias")


@dataclass(frozen=True, slots=True)
class Split:
    """A split of the rows: what is fitted on, and what is then graded."""

    train: Mask
    test: Mask


def by_question(rows: Sequence[Graded]) -> Iterator[Split]:
    """Leave a seventh of the questions out, each with all its languages, readers and synthetic rows."""
    folds = _folds(rows)
    for fold in range(FOLDS):
        yield Split(folds != fold, (folds == fold) & _real(rows))


def by_reader(rows: Sequence[Graded]) -> Iterator[Split]:
    """Leave one reader out; its questions are seen, with the answers of other readers."""
    readers = np.array([row.reader for row in rows])
    for reader in sorted({row.reader for row in rows if row.real}):
        yield Split(readers != reader, (readers == reader) & _real(rows))


def by_language(rows: Sequence[Graded]) -> Iterator[Split]:
    """Leave one language out, and a seventh of the questions in all languages."""
    folds = _folds(rows)
    langs = np.array([row.lang for row in rows])
    for lang in sorted(set(langs.tolist())):
        for fold in range(FOLDS):
            test = (langs == lang) & (folds == fold) & _real(rows)
            if test.any():
                yield Split((langs != lang) & (folds != fold), test)


def to_other_source(rows: Sequence[Graded]) -> Iterator[Split]:
    """Fit on the rows of one grader and reader alone, grade the others' answers to questions left out."""
    folds = _folds(rows)
    gemini = np.array(["gemini" in row.source for row in rows])
    for fold in range(FOLDS):
        own = gemini | np.array([not row.source for row in rows])
        yield Split(own & (folds != fold), ~gemini & (folds == fold) & _real(rows))


def grades_of(train: Table, rows: Sequence[Graded]) -> list[int]:
    """Fit on `train`, and return the judge's grades of `rows`."""
    return grades(judge_with(fit(train)), rows)


def judge_with(model: Mapping[str, Any]) -> OfflineJudge:
    """Return a judge with another model than the shipped one; its prompt hash stays that of the shipped one."""
    judge = OfflineJudge()
    judge._model = offline_model(model)
    return judge


def grades(judge: OfflineJudge, rows: Iterable[Graded]) -> list[int]:
    """Return the judge's grades; every row must have one."""
    found = [grade(judge, row.question, row.reference, row.answer, row.lang) for row in rows]
    if None in found:
        raise ValueError("a row without a grade")
    return [one for one in found if one is not None]


def grade(judge: OfflineJudge, question: str, reference: str, answer: str, lang: str) -> int | None:
    """Return one grade."""
    query = Query("q", lang, question)
    return judge.grade(Item(query, reference), Answer(query, answer, AnswerOutcome.ANSWERED, ())).grade


def cross_validated(data: Table, splits: Callable[[Sequence[Graded]], Iterator[Split]]) -> list[tuple[Graded, int]]:
    """Return each graded row with the grade of a judge that was fitted without it."""
    found = []
    for split in splits(data.rows):
        test = data.only(split.test).rows
        found += list(zip(test, grades_of(data.only(split.train), test), strict=True))
    return found


def figures(pairs: Sequence[tuple[Graded, int]]) -> dict[str, object]:
    """Return agreement over all pairs and by language, reader and source; intervals resample questions."""
    groups: dict[str, Callable[[Graded], str]] = {
        "by_language": lambda row: row.lang,
        "by_reader": lambda row: row.reader,
        "by_source": lambda row: row.source,
    }
    found: dict[str, object] = dict(_agreement(pairs))
    for name, key in groups.items():
        values = sorted({key(row) for row, _ in pairs})
        found[name] = {value: _agreement([pair for pair in pairs if key(pair[0]) == value]) for value in values}
    return found


@dataclass(frozen=True, slots=True)
class Controls:
    """A judge with the questions whose controls it grades; neighbours come from all of `among`."""

    judge: OfflineJudge
    asked: Sequence[Question]
    among: Sequence[Question]


def control_figures(parts: Sequence[Controls]) -> dict[str, object]:
    """Return, per control, the share of answers that are graded as called for, and their number."""
    sets: Mapping[str, tuple[Callable[[Controls], list[tuple[Question, str]]], Callable[[int], bool]]] = {
        "reference is 5": (lambda part: [(one, one.reference) for one in part.asked], lambda grade: grade == 5),
        "empty is at most 1": (lambda part: [(one, "") for one in part.asked], lambda grade: grade <= 1),
        "one number changed is at most 3": (lambda part: _made(part.asked, number_changed), lambda grade: grade <= 3),
        "same-type neighbour is at most 2": (_neighbours, lambda grade: grade <= 2),
        "yes or no turned round is at most 2": (lambda part: _made(part.asked, flipped), lambda grade: grade <= 2),
    }
    found: dict[str, object] = {}
    for name, (cases, passes) in sets.items():
        passed: dict[str, list[bool]] = {}
        for part in parts:
            for one, answer in cases(part):
                given = grade(part.judge, one.text, one.reference, answer, one.lang)
                passed.setdefault(one.lang, []).append(given is not None and passes(given))
        flags = [flag for lang in sorted(passed) for flag in passed[lang]]
        by_lang = {lang: _share(passed[lang]) for lang in sorted(passed)}
        found[name] = {"n": len(flags), "share": _share(flags), "by_language": by_lang}
    return found


def _neighbours(part: Controls) -> list[tuple[Question, str]]:
    asked = set(part.asked)
    return [(one, other) for one, other in neighbours(part.among).items() if one in asked]


def speed(judge: OfflineJudge, rows: Sequence[Graded], rounds: int = 3) -> float:
    """Return the answers graded in a second of processor time, the best of some rounds over all rows."""
    best = 0.0
    for _ in range(rounds):
        start = time.process_time()
        grades(judge, rows)
        best = max(best, len(rows) / (time.process_time() - start))
    return round(best)


def _agreement(pairs: Sequence[tuple[Graded, int]]) -> dict[str, object]:
    verdicts, labels = [grade for _, grade in pairs], [row.grade for row, _ in pairs]
    values = agreement(verdicts, labels)
    intervals = agreement_intervals(verdicts, labels, [row.question_id for row, _ in pairs])
    found: dict[str, object] = {"n": values.n}
    for name in _SHOWN:
        found[name] = _rounded(getattr(values, name))
        ends = intervals.get(name)
        if ends is not None and name in _SHOWN[:4]:
            found[f"{name}_ci"] = [_rounded(ends.low), _rounded(ends.high)]
    found["refusal_f1"] = _rounded(values.refusal.f1)
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 3)


def _made(asked: Sequence[Question], change: Callable[[Question], str | None]) -> list[tuple[Question, str]]:
    return [(one, answer) for one in asked if (answer := change(one)) is not None]


def _share(flags: Sequence[bool]) -> float | None:
    return round(sum(flags) / len(flags), 3) if flags else None


def _folds(rows: Sequence[Graded]) -> NDArray[np.int64]:
    questions = sorted({row.question_id for row in rows})
    order = np.random.default_rng(0).permutation(len(questions))
    fold = {question: int(place) % FOLDS for question, place in zip(questions, order, strict=True)}
    return np.array([fold[row.question_id] for row in rows])


def _real(rows: Sequence[Graded]) -> Mask:
    return np.array([row.real for row in rows])
