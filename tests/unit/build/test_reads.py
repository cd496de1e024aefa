"""What a stage reads: the rows of the stages it needs, and as often for many languages as for one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ragaliq.build.pipeline import STAGES as PIPELINE
from ragaliq.build.quality.built import Built
from ragaliq.build.quality.translations import translation_figures
from ragaliq.build.stages.dedupe import dedupe
from ragaliq.build.stages.export import export
from ragaliq.build.stages.pool import pool
from ragaliq.build.workspace import StageFiles
from ragaliq.storage.journal import read_journal
from small_build import artifacts, context
from unit.build.stages.test_translate import LAST, STAGES, SUPPORT, finish, started, translated
from unit.build.update.station import build, insert, shipped, update, write_station
from unit.build.written_build import written_build

Reads = Counter[tuple[str, str]]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """Counts by folder and name the rows and the edits that are read."""
    counted: Reads = Counter()
    rows = StageFiles.rows
    monkeypatch.setattr(
        StageFiles, "rows", lambda self, stage: counted.update([(self.build.name, stage)]) or rows(self, stage)
    )
    monkeypatch.setattr(
        "ragaliq.build.translation.edits.read_journal",
        lambda path: counted.update([(path.parent.name, path.stem)]) or read_journal(path),
    )
    return counted


@pytest.fixture
def updated(tmp_path: Path) -> Path:
    """An update in three languages, with queries that were retired on request in each."""
    bench = write_station(tmp_path)
    build(bench)
    insert(bench, "meals", "ru")
    queries = shipped(bench, "queries")
    update(bench, [max(one for at, one in queries if at == lang) for lang in ("de", "ru", "zh")])
    return bench


def test_a_stage_reads_the_rows_of_all_stages_that_it_needs_and_of_no_other(
    built: Path, tmp_path: Path, read: Reads
) -> None:
    names = [stage.name for stage in PIPELINE]
    wanted = {"translate": {"languages": ["de"]}, "judge": {"relevance": True}}
    written = written_build(tmp_path / "written", SUPPORT, 6, translated(), **wanted)
    for place, stage in enumerate(PIPELINE):
        read.clear()
        # What comes before the pool is not written there.
        stage.run(context(built) if place < names.index("pool") else written)
        reads = {name for folder, name in read if folder == "build" and name in names}
        assert reads - {stage.name} == set(stage.needs), stage.name


def test_pool_and_dedupe_read_the_earlier_rows_of_three_languages_once(updated: Path, read: Reads) -> None:
    before = artifacts(updated)
    work = context(updated)
    for stage, names in ((pool, {"pool", "chunk"}), (dedupe, {"dedupe", "chunk", "export", "filter"})):
        read.clear()
        stage(work)
        assert {name: n for (folder, name), n in read.items() if folder == "1"} == dict.fromkeys(names, 1)
    assert artifacts(updated) == before


def test_the_corpora_of_three_languages_are_read_once(built: Path, read: Reads) -> None:
    work = context(built)
    assert set(Built(work).corpora) == {"de", "ru", "zh"}
    # `filter` for the queries, too.
    assert read == {("build", "filter"): 2, ("build", "chunk"): 1}
    read.clear()
    export(work)
    assert (read["build", "filter"], read["build", "chunk"]) == (2, 2)


def test_translations_into_two_languages_read_no_more_than_into_one(tmp_path: Path, read: Reads) -> None:
    counts = []
    for langs in (["de"], ["de", "ru"]):
        work = finish(started(tmp_path / str(len(langs)), languages=langs), *STAGES[:-3])
        read.clear()
        finish(work, *LAST)
        assert [one.lang for one in translation_figures(work)] == langs
        counts.append(dict(read))
    assert counts[0] == counts[1]
    assert counts[0]["build", "edits"]
