"""An update of a benchmark of the sample's documents in two languages and scripts, counted by its traces."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ragaliq.cli import main
from unit.build.update.station import SOURCES, changes, kept_chunks, pooled, shipped

LANGS = ("de", "zh")
CHANGED = "zh"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of all documents of the sample in two languages."""
    folder = tmp_path_factory.mktemp("sample")
    for lang in LANGS:
        shutil.copytree(SOURCES / lang, folder / "documents" / lang)
    assert main(["build", "all", "--bench", str(folder / "bench"), "--from", str(folder / "documents")]) == 0
    return folder / "bench"


def traces(bench: Path) -> set[tuple[str, ...]]:
    """Return what identifies each request that was made."""
    rows = map(json.loads, (bench / "build" / "traces.jsonl").read_bytes().splitlines())
    return {(row["component"], row["lang"], row["query_id"], row["request_hash"]) for row in rows}


def test_one_changed_sentence_costs_what_depends_on_its_passage(sample: Path, tmp_path: Path) -> None:
    shutil.copytree(sample.parent, tmp_path / "copy")
    bench = tmp_path / "copy" / "bench"
    path = tmp_path / "copy" / "documents" / CHANGED / "meals.md"
    text = path.read_text(encoding="utf-8")
    assert "65" in text
    path.write_text(text.replace("65", "66", 1), encoding="utf-8")
    assert main(["build", "update", "--bench", str(bench)]) == 0
    assert main(["validate", str(bench)]) == 0
    touched = kept_chunks(bench) ^ kept_chunks(sample)
    assert len(touched) == 2
    assert {at for at, _ in touched} == {CHANGED}
    before, now = pooled(sample), pooled(bench)
    earlier, queries = shipped(sample, "queries"), shipped(bench, "queries")
    concerned = {
        key
        for key in now
        if {(key[0], one) for one in now[key] | before.get(key, set())} & touched or key not in before
    }
    unconcerned = earlier.keys() - concerned
    assert {key for key in earlier if key[0] != CHANGED} < unconcerned
    calls = traces(bench) - traces(sample)
    told = changes(bench)
    assert len(calls) == sum(one["calls"] for one in told["stages"].values()) > 0
    assert not {(at, query_id) for _, at, query_id, _ in calls} & unconcerned
    gone = {(row["lang"], row["query_id"]) for row in told["retired"]}
    assert all(queries[key] == earlier[key] for key in unconcerned - gone)
    assert earlier.keys() - queries.keys() == gone
    print(CHANGED, len(calls), "calls;", len(earlier), "queries,", len(gone), "retired,", len(told["added"]), "added,",
          len(earlier) - len(unconcerned), "concerned")  # fmt: skip
