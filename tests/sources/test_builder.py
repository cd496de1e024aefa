"""What the sources ask of the builder, on a build of two files by rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.build.workspace import Workspace
from ragaliq.cli import main
from ragaliq.storage.files import read_json, read_jsonl

TIDE = """\
# The tide table

The harbour office prints the tide table on 3 January and on 9 July of every year.

Call `read_tide(port, day)` for the height in metres; it fails after 45 seconds without a reply.

```python
def read_tide(port: str, day: int) -> float:
    return TABLES[port][day]["height"]
```

The gauge at the northern jetty measures every 15 minutes and is checked on each Tuesday at 07:20.
"""
LOCK = '''\
"""The lock of the canal opens at 05:50 and closes at 22:10 on every working day."""


def open_lock(level: float) -> bool:
    # The upper gate of the lock opens when the levels differ by less than 12 centimetres.
    return abs(level - UPPER) < 0.12
'''


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("builder")
    (folder / "docs").mkdir()
    (folder / "docs/tide.md").write_text(TIDE)
    (folder / "docs/lock.py").write_text(LOCK)
    (folder / "bench").mkdir()
    settings = "name: b\nsources: [{path: ../docs}]\nlanguages: [en]\ngenerate: {queries: 24, per_chunk: 7}\n"
    (folder / "bench/build.yaml").write_text(f"{settings}chunk: {{max_tokens: 60}}\nunanswerable: 0\n")
    assert main(["build", "all", "--bench", str(folder / "bench"), "--no-cache"]) == 0
    return folder / "bench"


def test_c27_nuggets_are_assigned_to_answers(bench: Path) -> None:
    workspace = Workspace(bench)
    nuggets = {row.item_id: row.value["nuggets"] for row in workspace.kept("nuggets")}
    solved = []
    for row in workspace.kept("closed-book"):
        for answer in row.value["answers"]:
            labels = dict(zip([one["nugget_id"] for one in nuggets[row.item_id]], answer["labels"], strict=True))
            vital = [one["nugget_id"] for one in nuggets[row.item_id] if one["importance"] == "vital"]
            assert answer["solved"] == all(labels[nugget_id] == "support" for nugget_id in vital)
            solved.append(answer["solved"])
    assert set(solved) == {True, False}


def test_c30_an_instance_has_all_four_parts_and_code_survives(bench: Path) -> None:
    assert main(["validate", str(bench)]) == 0
    queries = [row for _, row in read_jsonl(bench / "queries/en.jsonl")]
    nuggets = [row for _, row in read_jsonl(bench / "nuggets/en.jsonl")]
    corpus = {row["doc_id"]: row for _, row in read_jsonl(bench / "corpus/en.jsonl")}
    assert queries and all(query["text"] and query["reference"] for query in queries)
    assert {nugget["query_id"] for nugget in nuggets} == {query["query_id"] for query in queries}
    judged = (bench / "nugget_qrels/en.tsv").read_text().splitlines()
    assert {line.split()[1] for line in judged} == {nugget["nugget_id"] for nugget in nuggets}
    whole = "".join(chunk["text"] for chunk in corpus.values())
    for code in (
        '    return TABLES[port][day]["height"]',
        "    return abs(level - UPPER) < 0.12",
        "`read_tide(port, day)`",
    ):
        assert code in whole
    assert all((bench / one["source_id"]).read_text()[one["start"] : one["end"]] == one["text"]
               for one in corpus.values())  # fmt: skip
    assert read_json(bench / "report.json")["sizes"]["filtered"][0]["answers with code"] != "0%"
