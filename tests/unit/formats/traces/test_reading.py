"""Which program a file is of; spans one below the other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.traces.reading import is_trace, json_document, trace_records
from unit.formats.traces.records import EXPORTS, span


@pytest.mark.parametrize("path", sorted(EXPORTS.glob("[lo]*/*.json*")), ids=lambda path: path.name)
def test_every_export_is_known(path: Any) -> None:
    if path.name != "versions.json":
        text = path.read_text(encoding="utf-8")
        assert is_trace(json.loads(text if path.suffix == ".json" else text.splitlines()[0]))


@pytest.mark.parametrize(
    "value",
    [
        None, [], {}, [[]], "resourceSpans", {"question": "Qui ?", "answer": "Lui."}, {"data": [], "meta": {}},
        {"context": "Un texte.", "attributes": {}}, {"id": 1, "name": "x", "score": 0.5},
        {"input": {"query": "Qui ?"}, "output": {"answer": "Lui."}},
    ],
)  # fmt: skip
def test_other_rows_are_no_traces(value: Any) -> None:
    assert not is_trace(value)


def test_spans_one_below_the_other_are_a_list() -> None:
    spans = [span("a"), span("b", "a")]
    text = "\n".join(json.dumps(one, indent=4) for one in spans) + "\n"
    assert json_document(text, "f") == spans
    assert json_document(json.dumps(spans), "f") == spans
    for broken in (text + "{", text + "x", '{"a": 1} {"a": 2}', "[" * 100_000):
        with pytest.raises(InputError, match=r"^f: "):
            json_document(broken, "f")


def test_records_have_places() -> None:
    assert trace_records({"a": 1}, "f") == [("f", {"a": 1})]
    assert trace_records([{"a": 1}, "x"], "f") == [("f: record 1", {"a": 1}), ("f: record 2", {})]
