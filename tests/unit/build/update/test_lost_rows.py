"""Without the rows of the version before, the noted changes stay, and no build takes what stays for new."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from ragaliq.build.update.begin import begin_update
from ragaliq.build.update.changelog import finish_update
from ragaliq.build.workspace import StageFiles, Workspace
from ragaliq.cli import main
from ragaliq.errors import InputError
from small_build import artifacts, change, context
from unit.build.update.station import insert, shipped, update

HISTORY = ("CHANGELOG.md", "retired.jsonl", "build/changes.jsonl")


@pytest.fixture
def lost(station: Path) -> Path:
    """Version 1.1, in which queries of three languages were retired, without the rows of version 1."""
    (station.parent / "documents" / "weather.de.md").unlink()
    retire = [max(query_id for at, query_id in shipped(station, "queries") if at == lang) for lang in ("ru", "zh")]
    assert update(station, retire)
    assert main(["build", "all", "--bench", str(station)]) == 0
    assert {row["lang"] for row in retired(station)} == {"de", "ru", "zh"}
    shutil.rmtree(station / "build" / "earlier")
    return station


def retired(bench: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (bench / "retired.jsonl").read_text(encoding="utf-8").splitlines()]


def everything(bench: Path) -> dict[str, bytes]:
    return artifacts(bench) | {"state": (bench / "build" / "state.json").read_bytes()}


def test_without_a_change_the_history_stays(lost: Path) -> None:
    before = everything(lost)
    assert main(["build", "all", "--bench", str(lost)]) == 0
    assert everything(lost) == before
    # What follows from the noted changes alone is written again.
    (lost / "CHANGELOG.md").unlink()
    assert main(["build", "all", "--bench", str(lost)]) == 0
    assert everything(lost) == before


@pytest.mark.parametrize("what", ["documents", "settings", "a history without inputs", "empty folder"])
def test_with_a_change_it_is_told_before_anything_is_written(
    lost: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    if what == "documents":
        insert(lost, "meals", "ru")
    elif what == "settings":
        change(lost, "name: station", "name: other")
    elif what == "empty folder":
        insert(lost, "diving", "zh")
        (lost / "build" / "earlier" / "1").mkdir(parents=True)
    else:
        path = lost / "build" / "changes.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        rows = [{key: value for key, value in row.items() if key != "inputs"} for row in rows]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    before = everything(lost)
    assert main(["build", "all", "--bench", str(lost)]) == 2
    err = capsys.readouterr().err
    assert f"{lost / 'build' / 'earlier' / '1'}: the rows of version 1 are gone" in err
    assert "restore them from a copy, or `ragaliq build update` makes the next version without them" in err
    assert everything(lost) == before


def test_the_next_version_is_made_without_them_and_keeps_the_history(lost: Path) -> None:
    before, gone = {name: (lost / name).read_bytes() for name in HISTORY}, retired(lost)
    insert(lost, "meals", "zh")
    assert main(["build", "update", "--bench", str(lost)]) == 0
    assert retired(lost)[: len(gone)] == gone
    for name in HISTORY[1:]:
        assert (lost / name).read_bytes().startswith(before[name])
    assert (lost / HISTORY[0]).read_bytes().endswith(before[HISTORY[0]].partition(b"## 1.1")[2])
    assert not {row["query_id"] for row in gone} & {query_id for _, query_id in shipped(lost, "queries")}


def test_an_open_update_cannot_go_on_without_them(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    insert(station, "meals", "de")
    assert begin_update(context(station))
    shutil.rmtree(station / "build" / "earlier")
    before = everything(station)
    for command in ("update", "all"):
        assert main(["build", command, "--bench", str(station)]) == 2
        assert "restore them from a copy, or build in another folder (--bench)" in capsys.readouterr().err
    assert everything(station) == before
    with pytest.raises(InputError, match="the rows of version 1 are gone"):
        _ = Workspace(station).earlier


def test_what_is_noted_is_not_compared_again(station: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    insert(station, "meals", "ru")
    update(station)
    read: Counter[str] = Counter()
    rows = StageFiles.rows
    monkeypatch.setattr(StageFiles, "rows", lambda self, stage: read.update([stage]) or rows(self, stage))
    before = artifacts(station)
    lines = finish_update(context(station))
    assert lines[0] == "version 1 → 1.1"
    assert (read, artifacts(station)) == (Counter(), before)
