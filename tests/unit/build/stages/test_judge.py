"""The judge fills a matrix of documents by nuggets; what no reply proves is missing, and never a no."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakes import CannedModel, between_fences
from ragaliq.build.context import BuildContext
from ragaliq.build.stages.judge import judge
from ragaliq.build.stages.pool import pool
from ragaliq.llm import Reply, Request
from unit.build.written_build import doc_id, fact, rules, settings, values, write_chunks, written_build

SUPPORT = {"q1": {"q1n1": ["d01", "d02"], "q1n2": ["d03"]}}
Change = Callable[[dict[str, Any], int], object]


def changing(change: Change) -> CannedModel:
    """Spoils the entries of each reply; gets them and the round."""

    def reply(request: Request) -> str:
        value = json.loads(rules(request))
        change(value, int(request.parameters.get("seed", 0)))
        return json.dumps(value)

    return CannedModel(reply)


def judged(path: Path, model: CannedModel, n_docs: int = 6, **sections: Any) -> BuildContext:
    """Judge three documents that are found and, of six, three that are not."""
    context = written_build(
        path, SUPPORT, n_docs, model, **{"pool": {"retrievers": ["bm25"], "negatives": 3}} | sections
    )
    pool(context)
    judge(context)
    return context


def labels(context: BuildContext) -> dict[tuple[str, str], str]:
    rows = values(context, "judge").values()
    return {(cell["nugget_id"], cell["doc_id"]): cell["label"] for row in rows for cell in row["cells"]}


def shown(request: Request, label: str) -> list[str]:
    prompt = str(request.messages[-1]["content"])
    return [between_fences(prompt, found) for found in re.findall(rf"^=====\S+ ({label} \d+)$", prompt, re.MULTILINE)]


def test_c13_all_nuggets_of_a_query_and_at_most_20_documents_a_call(tmp_path: Path) -> None:
    holders = [doc_id(number) for number in range(1, 46)]
    model = CannedModel(rules)
    context = written_build(tmp_path, {"q1": {"q1n1": holders, "q1n2": ["d03"]}}, 45, model,
                          pool={"retrievers": ["bm25"], "judged": 45, "negatives": 0})  # fmt: skip
    pool(context)
    judge(context)
    sizes = [(len(shown(request, "NUGGET")), len(shown(request, "DOCUMENT"))) for request in model.requests]
    assert {nuggets for nuggets, _ in sizes} == {2} and max(documents for _, documents in sizes) <= 20
    assert sum(documents for _, documents in sizes) == 45 and len(sizes) == 3
    assert {request.parameters["temperature"] for request in model.requests} == {0.1}
    cells = labels(context)
    assert len(cells) == 2 * 45
    assert {name for (nugget, name), label in cells.items() if label == "support" and nugget == "q1n2"} == {"d03"}
    # In drawn order: the first shown are not the first found.
    order = [re.findall(r"fillerd\d\d", text)[0] for text in shown(model.requests[0], "DOCUMENT")]
    assert order != sorted(order)


def test_the_matrix_has_a_quote_for_each_cell_that_needs_one(tmp_path: Path) -> None:
    rows = values(judged(tmp_path, CannedModel(rules)), "judge")
    cells = [cell for row in rows.values() for cell in row["cells"]]
    quoted = {(cell["nugget_id"], cell["doc_id"]): cell["quote"] for cell in cells if "quote" in cell}
    assert quoted.keys() == {("q1n1", "d01"), ("q1n1", "d02"), ("q1n2", "d03")}
    assert all(fact(nugget_id) in quote for (nugget_id, _), quote in quoted.items())


def test_c13_missing_cells_are_asked_for_again_and_they_alone(tmp_path: Path) -> None:
    def drop(value: dict[str, Any], attempt: int) -> None:
        if not attempt:
            entry = value["nuggets"][0]
            entry["documents"] = [cell for cell in entry["documents"] if cell["label"] != "support"]

    model = changing(drop)
    context = judged(tmp_path, model)
    assert [(len(shown(r, "NUGGET")), len(shown(r, "DOCUMENT"))) for r in model.requests] == [(2, 6), (1, 2)]
    assert sorted(place for place, label in labels(context).items() if label == "support") == [
        ("q1n1", "d01"), ("q1n1", "d02"), ("q1n2", "d03"),
    ]  # fmt: skip
    assert [row.reason for row in context.workspace.rows("judge")] == [""]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cell: cell.update(label="maybe"),
        lambda cell: cell.update(quote="It stands nowhere in this document at all."),
        lambda cell: cell.update(quote=" . "),
        lambda cell: cell.update(document=97),
        lambda cell: cell.update(document="1"),
        lambda cell: cell.clear(),
    ],
    ids=["label", "quote", "no quote", "number", "text", "empty"],
)
def test_c13_what_no_round_fills_is_missing_and_tried_again_by_the_next_call(
    spoil: Callable[[dict[str, Any]], object], tmp_path: Path
) -> None:
    def change(value: dict[str, Any], attempt: int) -> None:
        for entry in value["nuggets"]:
            for cell in entry["documents"]:
                if cell["label"] == "support":
                    spoil(cell)

    model = changing(change)
    context = judged(tmp_path, model)
    # Three rounds, each asked twice where a reply has nothing that can be read.
    assert {place for place, label in labels(context).items() if label == "missing"} == {
        ("q1n1", "d01"), ("q1n1", "d02"), ("q1n2", "d03"),
    }  # fmt: skip
    (row,) = context.workspace.rows("judge")
    assert row.reason == "failed" and row.detail.startswith("3 of 12 cells missing")
    model.replies[""] = [rules]
    judge(context)
    assert "missing" not in labels(context).values()
    assert not [row for row in context.workspace.rows("judge") if row.reason]


def test_a_cell_with_two_labels_in_one_reply_has_none(tmp_path: Path) -> None:
    def twice(value: dict[str, Any], attempt: int) -> None:
        cells = value["nuggets"][0]["documents"]
        cells += [{**cell, "label": "not_support"} for cell in cells if cell["label"] == "support"]

    found = labels(judged(tmp_path, changing(twice)))
    assert {place for place, label in found.items() if label == "missing"} == {("q1n1", "d01"), ("q1n1", "d02")}
    assert found["q1n2", "d03"] == "support"


def test_replies_that_are_cut_off_are_asked_for_with_half_the_documents(tmp_path: Path) -> None:
    def reply(request: Request) -> str | Reply:
        whole = rules(request)
        return Reply(whole[:50], "length") if len(shown(request, "DOCUMENT")) > 2 else whole

    model = CannedModel(reply)
    context = judged(tmp_path, model)
    assert [len(shown(request, "DOCUMENT")) for request in model.requests] == [6, 3, 3, 1, 1, 1, 1, 1, 1]
    assert "missing" not in labels(context).values()


def test_random_negatives_are_judged_and_marked(tmp_path: Path) -> None:
    context = judged(tmp_path, CannedModel(rules), 12, pool={"retrievers": ["bm25"], "judged": 1, "negatives": 4})
    drawn = {one["doc_id"] for one in values(context, "pool")["q1"]["documents"] if one.get("negative")}
    marked = {cell["doc_id"] for row in values(context, "judge").values() for cell in row["cells"]
              if cell.get("negative")}  # fmt: skip
    assert len(drawn) == 4 and marked == drawn
    assert {label for (_, name), label in labels(context).items() if name in drawn} <= {"support", "not_support"}


def test_after_a_change_of_the_pool_only_changed_batches_are_judged_again(tmp_path: Path) -> None:
    holders = [doc_id(number) for number in range(1, 61)]
    model = CannedModel(rules)
    context = written_build(tmp_path, {"q1": {"q1n1": holders}, "q2": {"q2n1": ["d61"]}}, 61, model,
                          pool={"retrievers": ["bm25"], "judged": 60, "negatives": 0})  # fmt: skip
    pool(context)
    judge(context)
    before = set(values(context, "judge"))
    assert len(model.requests) == len(before) >= 4
    texts = {row.item_id: row.value["text"] for row in context.workspace.rows("chunk")}
    write_chunks(context.workspace, {**texts, "d99": f"{fact('q1n1')} {fact('q1n1')}."})
    (context.workspace.settings_file).write_text(settings(pool={"retrievers": ["bm25"], "judged": 61, "negatives": 0}))
    del context.workspace.settings
    pool(context)
    model.requests.clear()
    judge(context)
    after = set(values(context, "judge"))
    assert ("q1n1", "d99") in labels(context)
    assert len(model.requests) == len(after - before) <= 2 and len(before & after) >= len(before) - 2
    model.requests.clear()
    judge(context)
    assert not model.requests
