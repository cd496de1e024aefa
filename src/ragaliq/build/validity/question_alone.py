"""How far the question alone leads to the answer: what models know, what the other questions reveal, and chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.build.context import BuildContext
from ragaliq.build.plan import draw
from ragaliq.build.stages import closed_book
from ragaliq.build.stages import filter as filter_stage
from ragaliq.build.validity.estimate import Proportion, share_of
from ragaliq.metrics.answers.overlap import tokens
from ragaliq.types import Item

# An answer contains the reference from this share of the reference's words on.
HOLDS = 0.8


@dataclass(frozen=True, slots=True)
class QuestionAlone:
    """Predictors that see no document, on the answerable built questions of one language.

    An answer counts as right if it contains `HOLDS` of the reference's words, repeats counted.

    Attributes:
        lang: the language.
        chance: the reference of another question of the same type, drawn at random.
        nearest: the reference of the question that shares most words with this one: above chance, the questions
            answer each other.
        echo: the question itself: its share of right answers is that of questions that contain their answer.
        closed_book: what the build's models answered, by the same rule; None without a build.
        solved: the same answers as the build's judge assigned their nuggets.
    """

    lang: str
    chance: Proportion
    nearest: Proportion
    echo: Proportion
    closed_book: Proportion | None
    solved: Proportion | None


def question_alone(lang: str, items: Sequence[Item], context: BuildContext | None, seed: int = 0) -> QuestionAlone:
    """Return the figures of one language; `items` are answerable, with references."""
    usable = [item for item in items if tokens(item.reference)]
    answers = _closed_book(context, lang) if context else None
    known = share_of(sum(one.right for one in answers), len(answers)) if answers is not None else None
    solved = share_of(sum(one.solved for one in answers), len(answers)) if answers is not None else None
    return QuestionAlone(
        lang,
        _share([(item, _drawn(item, usable, seed)) for item in usable]),
        _share(list(zip(usable, _nearest(usable), strict=True))),
        _share([(item, item.query.text) for item in usable]),
        known,
        solved,
    )


def tells_answer(answer: str, reference: str) -> bool:
    """Return whether an answer has at least `HOLDS` of a reference's words; False for a reference without words."""
    said, wanted = Counter(tokens(answer)), Counter(tokens(reference))
    return bool(wanted) and (said & wanted).total() >= HOLDS * wanted.total()


@dataclass(frozen=True, slots=True)
class _Known:
    """A closed-book answer: whether it contains the reference, and whether the judge found all vital nuggets in it."""

    right: bool
    solved: bool


def _closed_book(context: BuildContext, lang: str) -> list[_Known]:
    kept = {row.item_id: row for row in context.workspace.kept(filter_stage.NAME) if row.lang == lang}
    rows = [row for row in context.workspace.rows(closed_book.NAME) if row.lang == lang and row.item_id in kept]
    return [
        _Known(tells_answer(answer["answer"], kept[row.item_id].value["reference"]), answer["solved"])
        for row in rows
        if kept[row.item_id].value["answerable"]
        for answer in row.value["answers"]
    ]


def _share(answered: Sequence[tuple[Item, str | None]]) -> Proportion:
    judged = [tells_answer(answer, item.reference) for item, answer in answered if answer is not None]
    return share_of(sum(judged), len(judged))


def _drawn(item: Item, items: Sequence[Item], seed: int) -> str | None:
    others = [one for one in items if one.query.query_id != item.query.query_id]
    alike = [one for one in others if one.type == item.type] or others
    name = item.query.query_id
    best = min(alike, key=lambda one: draw(seed, f"{name}\0{one.query.query_id}"), default=None)
    return None if best is None else best.reference


def _nearest(items: Sequence[Item]) -> list[str | None]:
    """Return for each item the reference of the other one whose question has most words in common, by Jaccard."""
    sets = [frozenset(tokens(item.query.text)) for item in items]
    answers: list[str | None] = []
    for place, own in enumerate(sets):
        alike = [(len(own & other) / max(len(own | other), 1), -at) for at, other in enumerate(sets) if at != place]
        answers.append(items[-max(alike)[1]].reference if alike else None)
    return answers
