"""`ragaliq build update` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.cli import main
from unit.build.update.station import insert

CHANGELOG = """\
# Changes of station

## 1.1

- Documents: 0 added, 1 changed, 0 removed, 11 unchanged
- Chunks: 1 added, 0 retired, 48 kept ({moved} moved)
- Queries: """


def run(bench: Path, *arguments: str) -> int:
    return main(["build", *arguments, "--bench", str(bench)])


def test_it_prints_the_counts_and_writes_the_changelog(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(station, "update") == 0
    assert capsys.readouterr().out == "nothing has changed since version 1\n"
    path = station.parent / "documents" / "meals.zh.md"
    path.write_text(
        path.read_text(encoding="utf-8") + "\n## 饮水机\n\n饮水机有三个龙头，水温是4度。\n", encoding="utf-8"
    )
    assert run(station, "update", "--dry-run") == 0
    out = capsys.readouterr().out
    assert "documents: 0 added, 1 changed, 0 removed, 11 unchanged\n- Documents changed: `documents/meals.zh.md`" in out
    assert not (station / "CHANGELOG.md").exists()
    assert run(station, "update") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "version 1 → 1.1"
    assert lines[-1].startswith("calls of models: ")
    text = (station / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith(CHANGELOG.format(moved=0))
    assert [f"- {line[0].upper()}{line[1:]}" in text for line in lines[1:]] == [True] * (len(lines) - 1)
    assert "| judge | " in text
    assert main(["validate", str(station)]) == 0
    assert run(station, "update") == 0
    assert "nothing has changed since version 1.1\n" in capsys.readouterr().out


def test_build_all_recommends_it_and_builds_the_version_anew(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    insert(station, "meals", "de")
    assert run(station, "all") == 0
    err = capsys.readouterr().err
    assert err.count("the documents have changed; this builds version 1 anew. `ragaliq build update` makes") == 1
    assert not (station / "CHANGELOG.md").exists()
    assert run(station, "all") == 0
    assert "the documents have changed" not in capsys.readouterr().err


def test_after_an_update_build_all_goes_on_with_its_version(station: Path) -> None:
    insert(station, "meals", "ru")
    assert run(station, "update") == 0
    before = (station / "CHANGELOG.md").read_bytes()
    insert(station, "diving", "ru")
    assert run(station, "all") == 0
    after = (station / "CHANGELOG.md").read_text(encoding="utf-8")
    assert after.encode() != before
    assert "Documents changed: `documents/diving.ru.md`, `documents/meals.ru.md`" in after
    assert "## 1.2" not in after


def test_files_of_another_hand_and_wrong_options_are_refused(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(station, "all", "--retire", "q1") == 2
    assert "--retire is for `ragaliq build update`" in capsys.readouterr().err
    (station / "CHANGELOG.md").write_text("my own\n")
    insert(station, "meals", "zh")
    assert run(station, "update") == 2
    assert "CHANGELOG.md: would be replaced, but ragaliq did not write it; move it away" in capsys.readouterr().err
    assert not (station / "build" / "update.json").exists()
