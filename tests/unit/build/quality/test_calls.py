"""What the stages asked of models."""

from __future__ import annotations

from ragaliq.build.context import BuildContext
from ragaliq.build.quality.calls import StageCalls, stage_calls
from ragaliq.build.stage_row import StageRow
from ragaliq.storage.files import write_jsonl
from unit.build.quality.hand_made import write


def test_c31_calls_and_tokens_stand_beside_the_yield(context: BuildContext) -> None:
    write(context, "nuggets", StageRow("q1", "en", traces=("a", "b")), StageRow("q2", "en", traces=("b", "c")))
    traces = [
        {"request_hash": "a", "usage": {"prompt_tokens": 10, "completion_tokens": 1}},
        {"request_hash": "a", "usage": {"prompt_tokens": 20, "completion_tokens": 2}},
        {"request_hash": "b", "usage": {"prompt_tokens": 400, "completion_tokens": None}},
        {"request_hash": "c", "usage": {}},
        {"request_hash": "elsewhere", "usage": {"prompt_tokens": 9000, "completion_tokens": 9}},
    ]
    write_jsonl(context.workspace.traces_file, traces)
    # Calls and tokens are of the same requests: two items asked "a", which counts once in both.
    assert stage_calls(context, ["dedupe", "nuggets"]) == [StageCalls("nuggets", 3, 20 + 400, 2, 1)]


def test_without_traces_the_calls_are_counted_all_the_same(context: BuildContext) -> None:
    write(context, "nuggets", StageRow("q1", "en", traces=("a",)))
    assert stage_calls(context, ["nuggets"]) == [StageCalls("nuggets", 1, 0, 0, 1)]
