"""Gold that no retriever finds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.experiment.reachable import unreachable
from ragaliq.storage.files import write_json, write_jsonl


def bench(folder: Path, gold: str, reference: str = "Es ist grün.", nugget: str = "") -> Path:
    """Write 30 chunks on ships, one on soap, and a question about ships."""
    texts = [f"Das Schiff {number} fährt im Sommer." for number in range(30)] + ["Die Seife liegt im Bad."]
    write_json(folder / "bench.json", {"name": "b", "version": "1", "languages": ["de"]})
    chunks = [{"doc_id": f"d{n}", "source_id": "s", "start": 0, "end": len(t), "text": t} for n, t in enumerate(texts)]
    write_jsonl(folder / "corpus/de.jsonl", chunks)
    write_jsonl(folder / "queries/de.jsonl", [
        {"query_id": "q1", "text": "Welches Schiff fährt im Sommer?", "reference": reference, "answerable": True,
         "type": "single", "gold": [["d3"], gold.split("+")]},
        {"query_id": "q2", "text": "Wo?", "reference": "Dort.", "answerable": False, "type": "none", "gold": []},
    ])  # fmt: skip
    if nugget:
        write_jsonl(folder / "nuggets/de.jsonl", [
            {"nugget_id": "n", "query_id": "q1", "text": nugget, "importance": "vital", "doc_ids": [gold]}
        ])  # fmt: skip
    return folder


def test_gold_without_common_words_is_out_of_reach(tmp_path: Path) -> None:
    found = unreachable(bench(tmp_path, "d30"))
    (line,) = [line for line in found if "'d30'" in line]
    assert line.startswith(f"{tmp_path}/queries/de.jsonl:1: gold 'd30' of 'q1' is out of reach: ")
    assert line.endswith("look whether it is the right chunk")


def test_one_chunk_of_a_group_will_do(tmp_path: Path) -> None:
    assert not [line for line in unreachable(bench(tmp_path, "d30+d4")) if "d30" in line]


def test_the_answer_or_a_nugget_may_lead_to_it(tmp_path: Path) -> None:
    for number, texts in enumerate([("Die Seife.", ""), ("Nichts davon.", "Sie badet mit Seifen.")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert not [line for line in unreachable(bench(folder, "d30", *texts)) if "'d30'" in line], texts


def test_gold_that_names_no_chunk_is_told_elsewhere(tmp_path: Path) -> None:
    assert not [line for line in unreachable(bench(tmp_path, "d99")) if "'d99'" in line]


@pytest.mark.slow
def test_all_gold_of_the_sample_is_in_reach(sample: Path) -> None:
    assert unreachable(sample) == []


def test_a_folder_without_a_head_is_no_benchmark(tmp_path: Path, sample: Path) -> None:
    with pytest.raises(InputError, match=r"bench\.json"):
        unreachable(tmp_path)
    shutil.copytree(sample / "queries", tmp_path / "queries")
    (tmp_path / "bench.json").write_text(json.dumps({"languages": ["en"]}))
    assert unreachable(tmp_path) == []
