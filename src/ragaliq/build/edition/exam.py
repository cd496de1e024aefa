"""The judge exam: answers with the grade that a sound judge gives them, parallel in every language.

Kinds and intended grades, after the rubric: `paraphrase` 5 (right and complete in other words), `extras` 4 (and more
than was asked), `incomplete` 3 (a vital part is missing), `contradicting` 2 (in part), `near_miss` 1–2 (one wrong
number or name in a fluent answer), `other` 1 (another query's answer), `abstention` 0. `wrong_language` is the
reference in another language: the rubric grades content, so 5; which language an answer is in is a question of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragaliq.build.edition.fill import Filler
from ragaliq.build.edition.template import AUTHORED, ItemPlan, Template
from ragaliq.storage.files import Row

GRADES: Mapping[str, tuple[int, int]] = {
    "paraphrase": (5, 5),
    "extras": (4, 4),
    "incomplete": (3, 3),
    "contradicting": (2, 2),
    "near_miss": (1, 2),
    "other": (1, 1),
    "abstention": (0, 0),
    "wrong_language": (5, 5),
}


def exam_rows(template: Template, fillers: Mapping[str, Filler], lang: str) -> list[Row]:
    """Return the rows of `exam/LANG.jsonl`: `{exam_id, query_id, lang, kind, answer, grades: [least, most]}`, sorted.

    The answer of another query is the reference of the next exam query of another chapter that has another reference in
    every language, else of the own chapter; without one there is no such row. The wrong language is the next of the
    template's languages, one further with each query, never the own; with one language alone there is no such row.
    """
    asked = [plan for plan in template.plans if plan.exam]
    others = [other for other in template.pages if other != lang]
    rows: list[Row] = []
    for place, plan in enumerate(asked):
        page, filler = template.pages[lang], fillers[lang]
        words = page.words[plan.query_id]
        answers = {kind: filler.fill(words.exam[kind], words.where) for kind in AUTHORED}
        another = _next(template, asked, place)
        if another:
            answers["other"] = _reference(template, filler, lang, another)
        phrase = page.abstentions[place % len(page.abstentions)]
        answers["abstention"] = filler.fill(phrase, f"{template.folder / lang}/phrases.yaml")
        if others:
            other = others[place % len(others)]
            answers["wrong_language"] = _reference(template, fillers[other], other, plan)
        rows += [
            {
                "exam_id": f"{plan.query_id}-{kind}",
                "query_id": plan.query_id,
                "lang": lang,
                "kind": kind,
                "answer": answers[kind],
                "grades": list(grades),
            }
            for kind, grades in GRADES.items()
            if kind in answers
        ]
    return rows


def _reference(template: Template, filler: Filler, lang: str, plan: ItemPlan) -> str:
    words = template.pages[lang].words[plan.query_id]
    return filler.fill(words.reference, words.where)


def _next(template: Template, asked: Sequence[ItemPlan], place: int) -> ItemPlan | None:
    own = asked[place]
    others = [
        plan
        for plan in (*asked[place + 1 :], *asked[:place])
        if all(page.words[plan.query_id].reference != page.words[own.query_id].reference
               for page in template.pages.values())
    ]  # fmt: skip
    return next((plan for plan in others if plan.chapter != own.chapter), others[0] if others else None)
