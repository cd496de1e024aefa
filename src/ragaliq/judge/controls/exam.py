"""How a judge did in an exam: its grades beside those that the authors of the answers intend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ragaliq.judge.controls.gates import EVERYWHERE
from ragaliq.metrics.agreement.coefficients import agreement
from ragaliq.types import ExamAnswer, Verdict

# The rubric grades content; which language an answer is in is a question of its own.
APART = frozenset({"wrong_language"})


@dataclass(frozen=True, slots=True)
class Examined:
    """An answer of an exam and what a judge said to it."""

    answer: ExamAnswer
    grade: int | None

    @property
    def intended(self) -> int:
        """The intended grade that is nearest to the judge's; the greatest one if there is no grade."""
        grade = self.answer.most if self.grade is None else self.grade
        return min(max(grade, self.answer.least), self.answer.most)


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

    Answers without a grade count in `n` alone.
    """
    examined = [Examined(a, v.grade) for a, v in zip(answers, verdicts, strict=True)]
    langs = sorted({answer.item.query.lang for answer in answers})
    named = [*langs, *([EVERYWHERE] if len(langs) > 1 else [])]
    cells = {}
    for kind in [*dict.fromkeys(answer.kind for answer in answers), EVERYWHERE]:
        for lang in named:
            own = [e for e in examined if _in(lang)(e) and (e.answer.kind not in APART if kind == EVERYWHERE
                                                            else e.answer.kind == kind)]  # fmt: skip
            if own:
                cells[kind, lang] = _cell(own)
    counted = [e for e in examined if e.answer.kind not in APART and e.grade is not None]
    return ExamResult(cells, {lang: _agreement([e for e in counted if _in(lang)(e)]) for lang in named})


def worst_kinds(result: ExamResult, count: int = 3) -> list[str]:
    """Return the kinds that a judge grades worst over all languages, the one with the least share within first."""
    lang = result.langs()[-1]
    shares = {kind: result.cells[kind, lang].within for kind in result.kinds() if kind not in APART}
    known = {kind: share for kind, share in shares.items() if share is not None and share < 1}
    return sorted(known, key=lambda kind: (known[kind], kind))[:count]


def exam_json(result: ExamResult) -> dict[str, Any]:
    """Return an exam for programs."""
    return {
        "agreement": {lang: dict(values) for lang, values in result.agreement.items()},
        "cells": [{"kind": kind, "lang": lang, **asdict(cell)} for (kind, lang), cell in result.cells.items()],
        "worst": worst_kinds(result),
    }


def render_exam(result: ExamResult) -> str:
    """Return the exam as Markdown: share of intended grades by kind and language, then agreement by language."""
    from tabulate import tabulate

    langs = result.langs()
    rows = [[kind, *(_shown(result.cells.get((kind, lang))) for lang in langs),
             _signed(result.cells.get((kind, langs[-1])))] for kind in [*result.kinds(), EVERYWHERE]]  # fmt: skip
    shares = tabulate(rows, ["answer", *langs, "bias"], tablefmt="github", disable_numparse=True)
    names = ["qwk", "weight_kappa", "refusal_f1"]
    values = [[name, *(_value(result.agreement[lang][name]) for lang in langs)] for name in names]
    agreed = tabulate(values, ["agreement", *langs], tablefmt="github", disable_numparse=True)
    legend = (
        "Share of the answers whose grade is an intended one, of those with a grade (n where some have none). bias: "
        f"mean distance from the nearest intended grade, over all languages. Row `all` and agreement are without "
        f"{', '.join(sorted(APART))}. Nothing here is a gate."
    )
    worst = worst_kinds(result)
    said = [f"Worst kinds: {', '.join(worst)}."] if worst else []
    return "\n\n".join(["Exam: answers with an intended grade", shares, agreed, legend, *said])


def _in(lang: str) -> Callable[[Examined], bool]:
    return lambda examined: lang in (EVERYWHERE, examined.answer.item.query.lang)


def _cell(own: Sequence[Examined]) -> ExamCell:
    apart = [e.grade - e.intended for e in own if e.grade is not None]
    n = len(apart)
    if not n:
        return ExamCell(len(own), 0, None, None, None)
    return ExamCell(len(own), n, apart.count(0) / n, sum(apart) / n, sum(map(abs, apart)) / n)


def _agreement(own: Sequence[Examined]) -> dict[str, float | None]:
    if not own:
        return {"n": 0, "qwk": None, "weight_kappa": None, "refusal_f1": None}
    found = agreement([e.grade for e in own if e.grade is not None], [e.intended for e in own])
    return {"n": found.n, "qwk": found.qwk, "weight_kappa": found.weight_kappa, "refusal_f1": found.refusal.f1}


def _shown(cell: ExamCell | None) -> str:
    if cell is None or cell.within is None:
        return "—"
    return f"{cell.within:.2f}" + (f" ({cell.n_graded}/{cell.n})" if cell.n_graded < cell.n else "")


def _signed(cell: ExamCell | None) -> str:
    return "—" if cell is None or cell.bias is None else f"{cell.bias:+.2f}"


def _value(value: float | None) -> str:
    return "—" if value is None else f"{value:.2f}"
