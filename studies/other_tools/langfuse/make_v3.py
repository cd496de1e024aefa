"""An export of Langfuse as its API of version 3 gives it, made from the models of its Python SDK; no server is asked.

Needs langfuse 3 (3.15.0 was used):

    python studies/other_tools/langfuse/make_v3.py

Writes `traces_v3.jsonl` beside itself: one `TraceWithFullDetails` a line, and the `DatasetRunItem` of each.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langfuse.api import DatasetRunItem, TraceWithFullDetails

AT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
# Item, language, question, document, answer (None: it fails), score of a person, score of a model, tone.
ITEMS: list[tuple[str, str, str, str, str | None, float | None, list[float], str]] = [
    ("i1", "fr", "Quand ouvre la cantine ?", "La cantine ouvre à sept heures.", "À sept heures.", 1.0, [0.9], "poli"),
    ("i2", "zh", "食堂几点开门？", "食堂早上七点开门。", "七点。", None, [0.6, 0.8], "礼貌"),
    ("i3", "ru", "Когда открывается столовая?", "Столовая открывается в семь.", "В восемь.", 0.0, [0.0], "сухо"),
    ("i4", "fr", "Qui a construit le pont ?", "Le pont date de 1901.", None, None, [0.0], "poli"),
]  # fmt: skip


def records() -> Iterator[Any]:
    """Yield the traces and their run items."""
    for number, (item, lang, question, document, answer, person, model, tone) in enumerate(ITEMS):
        trace, at = f"trace-{number}", AT + dt.timedelta(minutes=number)
        common = {"traceId": trace, "timestamp": at, "createdAt": at, "updatedAt": at, "environment": "default",
            "metadata": None}  # fmt: skip
        scores = [
            {
                **common,
                "id": f"s{number}-m{place}",
                "name": "quality",
                "source": "EVAL",
                "dataType": "NUMERIC",
                "value": one,
            }
            for place, one in enumerate(model)
        ]
        if person is not None:
            scores.append({**common, "id": f"s{number}-p", "name": "quality", "source": "ANNOTATION",
                "dataType": "NUMERIC", "value": person})  # fmt: skip
            scores.append({**common, "id": f"s{number}-b", "name": "helpful", "source": "API", "dataType": "BOOLEAN",
                "value": person, "stringValue": str(bool(person))})  # fmt: skip
        scores.append({**common, "id": f"s{number}-t", "name": "tone", "source": "EVAL", "dataType": "CATEGORICAL",
            "value": 0, "stringValue": tone})  # fmt: skip
        yield TraceWithFullDetails.parse_obj({
            "id": trace, "timestamp": at, "name": "canteen", "input": {"question": question},
            "output": None if answer is None else {"answer": answer}, "metadata": {"lang": lang, "token": "secret"},
            "tags": [], "public": False, "environment": "default", "htmlPath": f"/project/p/traces/{trace}",
            "latency": 1.5 + number, "totalCost": 0.002, "version": "1",
            "observations": list(_observations(number, trace, at, document, answer)), "scores": scores,
        })  # fmt: skip
        yield DatasetRunItem.parse_obj({
            "id": f"r{number}", "datasetRunId": "run", "datasetRunName": "canteen-2026", "datasetItemId": item,
            "traceId": trace, "createdAt": at, "updatedAt": at,
        })  # fmt: skip


def _observations(
    number: int, trace: str, at: dt.datetime, document: str, answer: str | None
) -> Iterator[dict[str, Any]]:
    usage = {"input": 40, "output": 5, "total": 45, "unit": "TOKENS"}
    common = {
        "traceId": trace, "startTime": at, "endTime": at, "modelParameters": None, "metadata": None, "usage": usage,
        "usageDetails": {}, "costDetails": {}, "environment": "default", "level": "DEFAULT", "input": None,
        "output": None,
    }  # fmt: skip
    failed = {} if answer else {"level": "ERROR", "statusMessage": "rate limit"}
    yield {**common, **failed, "id": f"o{number}-root", "type": "CHAIN", "name": "canteen"}
    yield {**common, "id": f"o{number}-r", "type": "RETRIEVER", "parentObservationId": f"o{number}-root",
        "output": [{"page_content": document, "metadata": {}}]}  # fmt: skip
    yield {**common, **failed, "id": f"o{number}-g", "type": "GENERATION", "parentObservationId": f"o{number}-root",
        "model": "model-a", "output": {"role": "assistant", "content": answer}}  # fmt: skip


if __name__ == "__main__":
    lines = [json.dumps(json.loads(one.json()), ensure_ascii=False) + "\n" for one in records()]
    (Path(__file__).parent / "traces_v3.jsonl").write_text("".join(lines), encoding="utf-8")
