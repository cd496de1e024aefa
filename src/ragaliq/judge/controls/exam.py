"""How a judge did in an exam: its grades beside those that the authors of the answers intend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ragaliq.judge.controls.gates import EVERYWHERE
from ragaliq.metrics.agreement.coefficients import agreement
from ragaliq.types import ExamAnswer, Verdict

_Case = tuple[ExamAnswer, int | None]
# The rubric grades content; which language an answer is in is a question of its own.
APART = frozenset({"wrong_language"})


@dataclass(frozen=True, slots=True)
class ExamCell:
    """How a judge graded some answers of an exam.

    Attributes:
        n: number of answers asked; `n_graded` of them have a grade, and the rest of the figures is over these.
        within: share whose grade is an intended one; None without a grade, as the rest.
        bias: mean of grade − nearest intended grade, in −5..5: above 0 the judge is kinder than intended.
        mae: mean distance from the nearest intended grade, in grades.
    """

    n: int
    n_graded: int
    within: float | None
    bias: float | None
    mae: float | None


@dataclass(frozen=True, slots=True)
class ExamResult:
    """A judge's exam.

    Attributes:
        cells: by kind and language, `all` among both; the kinds `APART` are not in the cells of all kinds.
        agreement: by language, `all` among them: QWK, κ of weights and F1 of refusals (`metrics.agreement`) of the
            grades with the nearest intended ones, without the kinds `APART`. Taking the nearest grade of a range
            counts in the judge's favour.
    """

    cells: Mapping[tuple[str, str], ExamCell]
    agreement: Mapping[str, Mapping[str, float | None]]

    def kinds(self) -> list[str]:
        """Return the kinds of answer, as the exam orders them."""
        return list(dict.fromkeys(kind for kind, _ in self.cells if kind != EVERYWHERE))

    def langs(self) -> list[str]:
        """Return the languages, sorted, `all` last where there are several."""
        return sorted({lang for _, lang in self.cells}, key=lambda lang: (lang == EVERYWHERE, lang))


def exam_result(answers: Sequence[ExamAnswer], verdicts: Sequence[Verdict]) -> ExamResult:
    """Return how a judge did in an exam; `verdicts` are in the order of the answers.

    Answers without a grade count only in `n`.
    """
    parts: dict[tuple[str, str], list[_Case]] = {}
    for answer, verdict in zip(answers, verdicts, strict=True):
        for kind in (answer.kind, *(() if answer.kind in APART else (EVERYWHERE,))):
            for lang in (answer.item.query.lang, EVERYWHERE):
                parts.setdefault((kind, lang), []).append((answer, verdict.grade))
    langs = sorted({answer.item.query.lang for answer in answers})
    langs += [EVERYWHERE] if len(langs) > 1 else []
    kinds = [*dict.fromkeys(answer.kind for answer in answers), EVERYWHERE]
    return ExamResult(
        {(kind, lang): _cell(parts[kind, lang]) for kind in kinds for lang in langs if (kind, lang) in parts},
        {lang: _agreement(parts.get((EVERYWHERE, lang), [])) for lang in langs},
    )


def worst_kinds(result: ExamResult) -> list[str]:
    """Return the three kinds that a judge grades worst over all languages, the one with the least share within first.

    Kinds without a miss are left out.
    """
    lang = result.langs()[-1]
    shares = {kind: result.cells[kind, lang].within for kind in result.kinds() if kind not in APART}
    known = {kind: share for kind, share in shares.items() if share is not None and share < 1}
    return sorted(known, key=lambda kind: (known[kind], kind))[:3]


def exam_json(result: ExamResult) -> dict[str, Any]:
    """Return an exam for programs."""
    return {
        "agreement": result.agreement,
        "cells": [{"kind": kind, "lang": lang, **asdict(cell)} for (kind, lang), cell in result.cells.items()],
        "worst": worst_kinds(result),
    }


def _graded(part: Sequence[_Case]) -> list[tuple[int, int]]:
    """Return each grade with the intended one that is nearest to it."""
    return [(grade, min(max(grade, answer.least), answer.most)) for answer, grade in part if grade is not None]


def _cell(part: Sequence[_Case]) -> ExamCell:
    apart = [grade - intended for grade, intended in _graded(part)]
    n = len(apart)
    if not n:
        return ExamCell(len(part), 0, None, None, None)
    return ExamCell(len(part), n, apart.count(0) / n, sum(apart) / n, sum(map(abs, apart)) / n)


def _agreement(part: Sequence[_Case]) -> dict[str, float | None]:
    graded = _graded(part)
    if not graded:
        return {"n": 0, "qwk": None, "weight_kappa": None, "refusal_f1": None}
    result = agreement([grade for grade, _ in graded], [intended for _, intended in graded])
    return {"n": result.n, "qwk": result.qwk, "weight_kappa": result.weight_kappa, "refusal_f1": result.refusal.f1}
