"""Exports of Langfuse as its API gives them to its SDK of version 5, made from that SDK's models; no server is asked.

Needs langfuse 5 (5.0.4 was used):

    python studies/other_tools/langfuse/make_v5.py

Writes beside itself `experiment_v5.json`, a page of `ExperimentItem`, and `observations_v5.jsonl`, one `ObservationV2`
or `ScoreV3` a line.
"""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

from langfuse.api import ExperimentItemsResponse, ObservationV2
from langfuse.api.core.datetime_utils import serialize_datetime
from langfuse.api.core.pydantic_utilities import parse_obj_as
from langfuse.api.scores.types import ScoreV3_Boolean, ScoreV3_Categorical, ScoreV3_Numeric

HERE = Path(__file__).parent
AT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
COMMON = {
    "projectId": "p",
    "source": "EVAL",
    "timestamp": AT,
    "environment": "default",
    "createdAt": AT,
    "updatedAt": AT,
}
ITEMS = [
    ("i1", "fr", "À quelle heure ouvre la cantine ?", "À sept heures.", "À 7 h.", 0.9),
    ("i2", "zh", "食堂几点开门？", "七点。", "7点。", 1.0),
    ("i3", "ru", "Когда открывается столовая?", None, "В 7 часов.", None),
]


def main() -> None:
    """Write the files."""
    items = [_item(number, *values) for number, values in enumerate(ITEMS)]
    page = parse_obj_as(ExperimentItemsResponse, {"data": items, "meta": {"limit": 50}})
    (HERE / "experiment_v5.json").write_text(_json(page, indent=1) + "\n", encoding="utf-8")
    lines = [_json(one) + "\n" for one in _observed()]
    (HERE / "observations_v5.jsonl").write_text("".join(lines), encoding="utf-8")


def _json(model: Any, indent: int | None = None) -> str:
    return json.dumps(model.dict(), ensure_ascii=False, indent=indent, default=serialize_datetime)


def _item(
    number: int, item: str, lang: str, question: str, answer: str | None, reference: str, score: float | None
) -> Any:
    scores = [] if score is None else [
        {**COMMON, "id": f"s{number}", "dataType": "NUMERIC", "name": "quality", "value": score}
    ]  # fmt: skip
    return {
        "id": f"o{number}", "traceId": f"trace-{number}",
        "startTime": AT, "endTime": AT + dt.timedelta(seconds=number + 1),
        "level": "DEFAULT" if answer else "ERROR", "environment": "default", "experimentId": "e",
        "experimentName": "canteen-2026", "experimentItemId": item, "experimentDatasetId": "canteen",
        "input": {"messages": [{"role": "user", "content": question}]}, "output": answer, "expectedOutput": reference,
        "experimentItemMetadata": {"lang": lang}, "scores": scores,
    }  # fmt: skip


def _observed() -> list[Any]:
    found: list[Any] = []
    for number, (_, lang, question, answer, _, score) in enumerate(ITEMS):
        common = {
            "traceId": f"trace-{number}",
            "startTime": AT,
            "endTime": AT + dt.timedelta(seconds=2),
            "projectId": "p",
        }
        failed = {"level": "DEFAULT"} if answer else {"level": "ERROR", "statusMessage": "rate limit"}
        found.append(parse_obj_as(ObservationV2, {**common, **failed, "id": f"o{number}", "type": "SPAN",
            "isRootObservation": True, "input": question, "output": answer, "metadata": {"lang": lang}}))  # fmt: skip
        subject = {"kind": "observation", "id": f"o{number}", "traceId": f"trace-{number}"}
        if score is not None:
            found.append(parse_obj_as(ScoreV3_Numeric, {**COMMON, "id": f"n{number}", "name": "quality", "value": score,
                "subject": subject}))  # fmt: skip
            found.append(parse_obj_as(ScoreV3_Boolean, {**COMMON, "id": f"b{number}", "name": "helpful",
                "value": score > 0.95, "subject": {"kind": "trace", "id": f"trace-{number}"}}))  # fmt: skip
    found.append(parse_obj_as(ScoreV3_Categorical, {**COMMON, "id": "c", "name": "mood", "value": "calm",
        "subject": {"kind": "session", "id": "s"}}))  # fmt: skip
    return found


if __name__ == "__main__":
    main()
