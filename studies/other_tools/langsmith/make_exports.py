"""Exports of LangSmith, made from the models of its Python SDK; no server is asked.

Needs langsmith and pandas (langsmith 0.15.0 was used):

    python studies/other_tools/langsmith/make_exports.py

Writes beside itself `runs.jsonl`, one `Run` or `Feedback` a line, and `experiment.csv`, the rows of an experiment as
`ExperimentResults.to_pandas` names their columns.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any
from uuid import UUID

from langsmith.evaluation import EvaluationResult
from langsmith.evaluation._runner import _to_pandas
from langsmith.schemas import Example, Feedback, FeedbackSourceBase, Run

HERE = Path(__file__).parent
AT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
SESSION = UUID(int=9)
# Language, question, document, answer (None: it fails), reference, score.
ITEMS = [
    ("fr", "À quelle heure ouvre la cantine ?", "La cantine ouvre à sept heures.", "À sept heures.", "À 7 h.", 0.9),
    ("zh", "食堂几点开门？", "食堂早上七点开门。", "七点。", "7点。", 1.0),
    ("ru", "Когда открывается столовая?", "Столовая открывается в семь.", "В восемь.", "В 7 часов.", 0.0),
    ("fr", "Qui a construit le pont ?", "Le pont date de 1901.", None, "Eiffel.", 0.0),
]


def runs(number: int) -> list[Run]:
    """Return the runs of one item: the chain, its retriever, its model."""
    lang, question, document, answer, _, score = ITEMS[number]
    start, ids = AT + dt.timedelta(minutes=number), [UUID(int=100 * (number + 1) + place) for place in range(3)]
    common: Any = {
        "trace_id": ids[0],
        "session_id": SESSION,
        "start_time": start,
        "end_time": start + dt.timedelta(seconds=1),
    }
    stats = {"correctness": {"n": 1, "avg": score, "values": {}}, "tone": {"n": 1, "avg": None, "values": {"kind": 1}}}
    failed = None if answer else "RateLimitError('slow down')"
    return [
        Run(id=ids[0], name="canteen", run_type="chain", inputs={"question": question},
            outputs={"answer": answer} if answer else None, error=failed, feedback_stats=stats,
            reference_example_id=UUID(int=number + 1), extra={"metadata": {"lang": lang, "api_key": "secret"}},
            total_cost="0.002", **common),
        Run(id=ids[1], name="retriever", run_type="retriever", parent_run_id=ids[0], inputs={"query": question},
            outputs={"documents": [{"page_content": document, "metadata": {}, "type": "Document"}]}, **common),
        Run(id=ids[2], name="model", run_type="llm", parent_run_id=ids[0], error=failed,
            inputs={"messages": [[{"lc": 1, "type": "constructor", "kwargs": {"content": question, "type": "human"}}]]},
            outputs={"generations": [[{"text": answer}]]} if answer else None, **common),
    ]  # fmt: skip


def main() -> None:
    """Write the files."""
    feedback = [
        Feedback(id=UUID(int=1000 + number), run_id=UUID(int=100 * (number + 1)), trace_id=UUID(int=100 * (number + 1)),
            key="helpful", score=number < 2, created_at=AT, modified_at=AT,
            feedback_source=FeedbackSourceBase(type="app"))
        for number in range(3)
    ]  # fmt: skip
    records = [*(run for number in range(len(ITEMS)) for run in runs(number)), *feedback]
    text = "".join(record.model_dump_json() + "\n" for record in records)
    (HERE / "runs.jsonl").write_text(text, encoding="utf-8")
    rows: Any = [
        {
            "run": runs(number)[0],
            "example": Example(id=UUID(int=number + 1), inputs={"question": question, "lang": lang},
                outputs={"answer": reference}),
            "evaluation_results": {"results": [EvaluationResult(key="correctness", score=score),
                EvaluationResult(key="tone", value="kind")]},
        }
        for number, (lang, question, _, _, reference, score) in enumerate(ITEMS)
    ]  # fmt: skip
    _to_pandas(rows).to_csv(HERE / "experiment.csv", index=False)


if __name__ == "__main__":
    main()
