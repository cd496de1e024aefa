"""Dedupe: of queries that ask nearly the same, over all documents and origins, one is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ragaliq.build.candidates import GENERATED, LOG, PEOPLE, candidate_value
from ragaliq.build.context import BuildContext
from ragaliq.build.near_texts import Near, NearTexts
from ragaliq.build.stage_row import StageRow, content_hash
from ragaliq.build.stages import critique
from ragaliq.build.update.retired_texts import texts_retired_on_request
from ragaliq.text.terms import reading_length, words

NAME = "dedupe"
# Questions that people asked come before written ones.
_ORDER = (PEOPLE, LOG, GENERATED)
# Letters; a longer answer states a fact of its own, a shorter one ("at seven") may answer many questions.
_VALUE = 60


def dedupe(context: BuildContext) -> None:
    """Write a row for each candidate; one that asks nearly what an earlier one asks is removed, with that one's id.

    So is one with nearly the same answer as an earlier one, if both were written from one passage or the answer has
    more than 60 letters. Candidates of people come first and all stay: their import has removed its own repetitions;
    then come logs, then what was generated, each in the order of ids. In an update, those that the earlier version kept
    come before all others, but one that asks nearly what was retired on request is removed, with that one's id.
    """
    rows = context.workspace.kept(critique.NAME)
    least = context.settings.near_duplicate
    before = {(row.lang, row.item_id) for row in context.earlier.kept(NAME)}
    retired = texts_retired_on_request(context)
    ordered = sorted(
        rows,
        key=lambda row: (
            row.lang, (row.lang, row.item_id) not in before, _ORDER.index(row.value["origin"]), row.item_id
        ),
    )  # fmt: skip
    deduped = [
        row
        for lang, group in groupby(ordered, key=lambda row: row.lang)
        for row in _deduped(list(group), least, retired.get(lang, {}))
    ]
    context.workspace.write_rows(NAME, deduped)


def _deduped(rows: Sequence[StageRow], least: float, retired: Mapping[str, str]) -> Iterator[StageRow]:
    """Yield the rows of one language; they come in the order in which they are decided on."""
    questions = NearTexts((*retired.values(), *(row.value["text"] for row in rows)), least)
    for query_id, text in retired.items():
        questions.add(query_id, text)
    answers = NearTexts((row.value["reference"] for row in rows), least)
    kept: dict[str, StageRow] = {}
    for row in rows:
        near, reason = None, ""
        if row.value["origin"] != PEOPLE:
            near = next(iter(questions.near(row.value["text"])), None)
            reason = "near duplicate" if near else ""
            if near is None:
                near = _same_fact(row, answers.near(row.value["reference"]), kept)
                reason = "same answer" if near else ""
        if near is None:
            kept[row.item_id] = row
            questions.add(row.item_id, row.value["text"])
            answers.add(row.item_id, row.value["reference"])
        detail = f"{near.key} ({near.value:.2f})" if near else ""
        yield StageRow(row.item_id, row.lang, candidate_value(row), reason, detail, content_hash([NAME, row.inputs]))


def _same_fact(row: StageRow, answers: Sequence[Near], kept: dict[str, StageRow]) -> Near | None:
    if reading_length("".join(words(row.value["reference"]))) > _VALUE:
        return next(iter(answers), None)
    passages = _passages(row)
    return next((near for near in answers if passages & _passages(kept[near.key])), None)


def _passages(row: StageRow) -> set[str]:
    return {doc_id for group in row.value["gold"] for doc_id in group}
