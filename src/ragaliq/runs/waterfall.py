"""The lines of `waterfall.jsonl` and the records that they become."""

from __future__ import annotations

from dataclasses import asdict

from ragaliq.storage.files import Row
from ragaliq.storage.own_json import ModelText, Shape
from ragaliq.storage.record_store import RowCodec
from ragaliq.types import AnswerOutcome, Condition, ConditionAnswer, GoldGroup, LossStage, VerdictOutcome, WaterfallRow

_ANSWER: Shape = {
    "text": ModelText,
    "outcome": str,
    "in_language": (bool, None),
    "doc_ids": [str],
    "grade": (int, None),
    "verdict": str,
    "error?": ModelText,
}
_ROW: Shape = {
    **dict.fromkeys(("query_id", "lang", "type", "difficulty", "answer_hash"), str),
    "answerable": bool,
    "cause": (str, None),
    "groups": [{"doc_ids": [str], "retrieved": (int, None), "ranked": (int, None), "lost": (str, None)}],
    "conditions?": {str: _ANSWER},
}


def _to_row(row: WaterfallRow) -> Row:
    dumped: Row = asdict(row)
    dumped["conditions"] = {
        str(name): {key: value for key, value in asdict(answer).items() if value or key != "error"}
        for name, answer in sorted(row.conditions.items())
    }
    return dumped if row.conditions else {key: value for key, value in dumped.items() if key != "conditions"}


def _from_row(row: Row) -> WaterfallRow:
    return WaterfallRow(
        row["query_id"],
        row["lang"],
        row["answerable"],
        row["type"],
        row["difficulty"],
        _stage(row["cause"]),
        tuple(
            GoldGroup(tuple(one["doc_ids"]), one["retrieved"], one["ranked"], _stage(one["lost"]))
            for one in row["groups"]
        ),
        {Condition(name): _answer(one) for name, one in row.get("conditions", {}).items()},
        row["answer_hash"],
    )


def _answer(row: Row) -> ConditionAnswer:
    return ConditionAnswer(
        row["text"],
        AnswerOutcome(row["outcome"]),
        row["in_language"],
        tuple(row["doc_ids"]),
        row["grade"],
        VerdictOutcome(row["verdict"]),
        row.get("error", ""),
    )


def _stage(name: str | None) -> LossStage | None:
    return None if name is None else LossStage(name)


def _failed(row: WaterfallRow) -> bool:
    return any(answer.grade is None for answer in row.conditions.values())


# Rows are small beside answers: all of a run are kept in memory.
WATERFALL = RowCodec(_from_row, _to_row, lambda row: row.key, lambda row: row, _failed, _ROW)
