"""An update of a benchmark of the sample's documents in six languages, counted by its traces."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ragaliq.cli import main
from unit.build.update.station import SOURCES, changes, kept_chunks, pooled, shipped

LANGS = ("fr", "ru", "zh")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of all documents of the sample."""
    folder = tmp_path_factory.mktemp("sample")
    shutil.copytree(SOURCES, folder / "documents")
    assert main(["build", "all", "--bench", str(folder / "bench"), "--from", str(folder / "documents")]) == 0
    return folder / "bench"


def traces(bench: Path) -> set[tuple[str, ...]]:
    """Return what identifies each request that was made."""
    rows = map(json.loads, (bench / "build" / "traces.jsonl").read_bytes().splitlines())
    return {(row["component"], row["lang"], row["query_id"], row["request_hash"]) for row in rows}


@pytest.mark.parametrize("lang", LANGS)
def test_one_changed_sentence_costs_what_depends_on_its_passage(lang: str, sample: Path, tmp_path: Path) -> None:
    shutil.copytree(sample.parent, tmp_path / "copy")
    bench = tmp_path / "copy" / "bench"
    path = tmp_path / "copy" / "documents" / lang / "meals.md"
    text = path.read_text(encoding="utf-8")
    assert "65" in text
    path.write_text(text.replace("65", "66", 1), encoding="utf-8")
    assert main(["build", "update", "--bench", str(bench)]) == 0
    assert main(["validate", str(bench)]) == 0
    touched = kept_chunks(bench) ^ kept_chunks(sample)
    assert len(touched) == 2
    assert {at for at, _ in touched} == {lang}
    before, now = pooled(sample), pooled(bench)
    earlier, queries = shipped(sample, "queries"), shipped(bench, "queries")
    concerned = {
        key
        for key in now
        if {(key[0], one) for one in now[key] | before.get(key, set())} & touched or key not in before
    }
    unconcerned = earlier.keys() - concerned
    assert {key for key in earlier if key[0] != lang} < unconcerned
    calls = traces(bench) - traces(sample)
    told = changes(bench)
    assert len(calls) == sum(one["calls"] for one in told["stages"].values()) > 0
    assert not {(at, query_id) for _, at, query_id, _ in calls} & unconcerned
    gone = {(row["lang"], row["query_id"]) for row in told["retired"]}
    assert all(queries[key] == earlier[key] for key in unconcerned - gone)
    assert earlier.keys() - queries.keys() == gone
    print(lang, len(calls), "calls;", len(earlier), "queries,", len(gone), "retired,", len(told["added"]), "added,",
          len(earlier) - len(unconcerned), "concerned")  # fmt: skip
