from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from unit.build.folders import stage, stage_rows, write_folder, write_settings

GERMAN = "# Bücherei\n\nDie Bibliothek im ersten Stock ist an allen Werktagen von acht Uhr an geöffnet.\n"
ENGLISH = "# Library\n\nThe library on the first floor is open on all working days from eight in the morning.\n"
RUSSIAN = "# Библиотека\n\nБиблиотека на втором этаже открыта по всем рабочим дням с восьми часов утра.\n"


def sources(*entries: str) -> list[str]:
    return ["sources:", *(f"  - {entry}" for entry in entries)]


def artifacts(bench: Path) -> dict[str, bytes]:
    """Return the rows and copies of a build, by their paths."""
    files = (path for path in sorted((bench / "build").rglob("*")) if path.is_file())
    return {path.relative_to(bench).as_posix(): path.read_bytes() for path in files if path.name != "state.json"}


def test_c5_several_sources_with_commits_and_c7_the_same_names_do_not_collide(tmp_path: Path) -> None:
    write_folder(tmp_path, {
        "repos/one/LICENSE": ENGLISH, "repos/one/docs/文档.md": ENGLISH, "repos/two/LICENSE": ENGLISH,
        "repos/two/docs/100% a:b.md": ENGLISH, "alone.md": ENGLISH,
    })  # fmt: skip
    bench = write_settings(
        tmp_path / "bench",
        *sources(
            "{path: ../repos/one, commit: 1234567, url: 'https://one.example', licence: MIT, date: 2024-10-01}",
            "{path: ../repos/two, name: zwei/2}",
            "{path: ../alone.md}",
        ),
    )
    assert stage(bench, "ingest") == stage(bench, "chunk") == 0
    rows = stage_rows(bench, "ingest")
    assert set(rows) == {
        "one/LICENSE", "one/docs/文档.md", "zwei%2F2/LICENSE", "zwei%2F2/docs/100%25%20a%3Ab.md", "alone.md",
    }  # fmt: skip
    places = {source["name"]: tmp_path / "bench" / source["path"] for source in read_sources(bench)}
    for doc_id, one in stage_rows(bench, "chunk").items():
        # An id leads back to the source, its commit, the path in it and the span.
        source_id, _, span = doc_id.rpartition(":")
        start, end = map(int, span.split("-"))
        label, _, path = source_id.partition("/")
        file = places[unquote(label)] / unquote(path) if path else places[unquote(label)]
        assert file.read_text(encoding="utf-8")[start:end] == one["text"]
        assert (rows[source_id]["source"], rows[source_id]["path"]) == (unquote(label), unquote(path) or "alone.md")
    first = read_sources(bench)[1]
    assert (first["name"], first["commit"], first["url"], first["licence"], first["date"]) == (
        "one", "1234567", "https://one.example", "MIT", "2024-10-01",
    )  # fmt: skip


def read_sources(bench: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads((bench / "build" / "sources.json").read_text(encoding="utf-8"))
    return listed


def test_c6_every_skip_has_a_row_with_its_reason(tmp_path: Path) -> None:
    write_folder(tmp_path / "docs", {
        "a.md": ENGLISH, "b.png": b"x", "c.csv": "a,b", "d.md": "", "e.txt": b"\xff\xfe\xff", ".git/config": "x",
        "bench/x.md": ENGLISH, "n" * 230 + ".md": ENGLISH, os.fsdecode(b"f\xff.md"): ENGLISH,
    })  # fmt: skip
    bench = write_settings(tmp_path / "docs" / "bench", *sources("{path: .., name: docs}"))
    assert stage(bench, "ingest") == 0
    reasons = {row_id: row.get("reason") for row_id, row in stage_rows(bench, "ingest").items()}
    assert reasons == {
        "docs/a.md": None, "docs/b.png": "image", "docs/c.csv": "data", "docs/d.md": "empty",
        "docs/e.txt": "no UTF-8 text", "docs/.git/": "hidden", "docs/bench/": "left out",
        f"docs/{'n' * 230}.md": "name too long", "docs/f%FF.md": None,
    }  # fmt: skip
    state = json.loads((bench / "build" / "state.json").read_text())
    assert set(state["stages"]) == {"ingest"}
    assert (read_sources(bench)[0]["documents"], read_sources(bench)[0]["skipped"]) == (3, 6)


def test_the_order_of_files_and_sources_changes_no_artifact(tmp_path: Path) -> None:
    files = {"x/b.md": GERMAN, "x/a.md": ENGLISH, "y/c/d.py": "x = 1\n" * 50, "y/a.md": RUSSIAN, "y/LICENSE": ENGLISH}
    results = []
    for number, order in enumerate((sorted(files), sorted(files, reverse=True))):
        folder = tmp_path / str(number)
        write_folder(folder, {name: files[name] for name in order})
        entries = ["{path: ../x}", "{path: ../y}"]
        bench = write_settings(folder / "bench", *sources(*(entries if number else reversed(entries))), "seed: 3")
        for name in ("ingest", "chunk", "generate"):
            assert stage(bench, name) == 0
        results.append(artifacts(bench))
    assert results[0] == results[1]
    assert len(results[0]) > 8


def test_a_hash_pins_a_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_folder(tmp_path, {"a.md": ENGLISH})
    pinned = hashlib.sha256(ENGLISH.encode()).hexdigest()
    bench = write_settings(tmp_path / "bench", *sources("{path: ../a.md}"))
    assert stage(bench, "ingest") == 0
    assert f"source 'a.md' has the SHA-256 {pinned}" in capsys.readouterr().err
    assert read_sources(bench)[0]["sha256"] == pinned
    write_settings(bench, *sources(f"{{path: ../a.md, sha256: {pinned}}}"))
    assert stage(bench, "ingest") == 0
    write_folder(tmp_path, {"a.md": ENGLISH + "New."})
    assert stage(bench, "ingest") == 2
    assert "take that version, or pin this one" in capsys.readouterr().err


def test_b10_a_document_that_changes_makes_the_build_stale_and_one_that_goes_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_folder(tmp_path / "docs", {"a.md": ENGLISH, "b/c.md": ENGLISH})
    bench = tmp_path / "bench"

    def told() -> list[str]:
        capsys.readouterr()
        assert stage(bench, "status") == 0
        rows = [line.split("|")[1:3] for line in capsys.readouterr().out.splitlines()[2:4]]
        return [cell.strip() for row in rows for cell in row]

    assert stage(bench, "ingest", "--from", str(tmp_path / "docs")) == stage(bench, "chunk") == 0
    assert told() == ["ingest", "done", "chunk", "done"]
    write_folder(tmp_path / "docs", {"a.md": ENGLISH.replace("eight", "nine")})
    shutil.rmtree(tmp_path / "docs" / "b")
    assert told() == ["ingest", "stale", "chunk", "stale"]
    assert stage(bench, "chunk") == 2
    assert stage(bench, "ingest") == stage(bench, "chunk") == 0
    assert "nine" in next(iter(stage_rows(bench, "chunk").values()))["text"]
    assert [path for path in artifacts(bench) if "documents" in path] == ["build/documents/docs/a.md"]
    # The copies are the benchmark's: it can be built on elsewhere.
    shutil.rmtree(tmp_path / "docs")
    assert told() == ["ingest", "done", "chunk", "done"]


def test_languages_are_recognised_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_folder(tmp_path, {
        "x/a.md": GERMAN, "x/b.md": GERMAN, "x/c.md": ENGLISH, "x/short.md": "Hallo", "x/run.py": "x = 1\n",
        "y/code.sh": "ls\n",
    })  # fmt: skip
    bench = write_settings(tmp_path / "bench", *sources("{path: ../x}", "{path: ../y}"))
    assert stage(bench, "ingest") == 0
    beside = "as the documents beside it"
    assert {row_id: (row["lang"], row["language_by"]) for row_id, row in stage_rows(bench, "ingest").items()} == {
        "x/a.md": ("de", "recognised"), "x/b.md": ("de", "recognised"), "x/c.md": ("en", "recognised"),
        "x/short.md": ("de", beside), "x/run.py": ("de", beside), "y/code.sh": ("de", beside),
    }  # fmt: skip
    told = f"documents: 3 in de ({beside}), 2 in de (recognised), 1 in en (recognised)"
    assert told in capsys.readouterr().err


def test_a_declared_language_is_that_of_every_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_folder(tmp_path / "x", {"a.md": GERMAN, "b.md": ENGLISH, "c.py": "x = 1\n"})
    bench = tmp_path / "bench"
    assert stage(bench, "ingest", "--from", str(tmp_path / "x"), "--lang", "de-AT") == 0
    assert {(row["lang"], row["language_by"]) for row in stage_rows(bench, "ingest").values()} == {
        ("de-AT", "declared")
    }
    assert "documents: 3 in de-AT (declared)" in capsys.readouterr().err
    assert stage(bench, "chunk") == 0
    reasons = {row_id: row.get("detail") for row_id, row in stage_rows(bench, "chunk").items() if row.get("reason")}
    assert reasons == {f"x/b.md:0-{len(ENGLISH) - 1}": "it looks like 'en'"}


def test_of_several_declared_languages_each_document_has_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_folder(tmp_path / "x", {"a.md": GERMAN, "b.md": RUSSIAN, "c.md": "Да"})
    assert stage(tmp_path / "bench", "ingest", "--from", str(tmp_path / "x"), "--lang", "de,ru") == 0
    assert [row["lang"] for _, row in sorted(stage_rows(tmp_path / "bench", "ingest").items())] == ["de", "ru", "ru"]
    assert stage(tmp_path / "other", "ingest", "--from", str(tmp_path / "x"), "--lang", "de,tlh") == 2
    assert "documents in 'tlh' cannot be recognised among others" in capsys.readouterr().err


def test_a_source_without_a_text_is_an_error_and_leaves_the_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_folder(tmp_path / "x", {"a.png": b"x"})
    assert stage(tmp_path / "bench", "ingest", "--from", str(tmp_path / "x")) == 2
    assert "the sources have no text; see ingest.jsonl" in capsys.readouterr().err
    assert stage_rows(tmp_path / "bench", "ingest")["x/a.png"]["reason"] == "image"


def test_without_sources_the_settings_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stage(write_settings(tmp_path / "bench", "seed: 1"), "ingest") == 2
    assert "build.yaml: names no documents" in capsys.readouterr().err


@pytest.mark.parametrize(
    "damage", [Path.unlink, lambda copy: copy.write_bytes(b"\xff"), lambda copy: copy.write_text(ENGLISH)]
)
def test_a_copy_that_changed_is_told_and_written_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[Path], object]
) -> None:
    write_folder(tmp_path / "x", {"a.md": GERMAN})
    bench = tmp_path / "bench"
    assert stage(bench, "ingest", "--from", str(tmp_path / "x")) == 0
    damage(bench / "build" / "documents" / "x" / "a.md")
    assert stage(bench, "chunk") == 2
    rows = bench / "build" / "ingest.jsonl"
    assert f"not what was ingested; remove {rows}" in capsys.readouterr().err
    rows.unlink()
    assert stage(bench, "ingest") == stage(bench, "chunk") == 0


def test_a_list_of_sources_that_is_none_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_folder(tmp_path / "x", {"a.md": GERMAN})
    bench = tmp_path / "bench"
    assert stage(bench, "ingest", "--from", str(tmp_path / "x")) == 0
    for text in ('[{"name": 3}]', "3"):
        (bench / "build" / "sources.json").write_text(text)
        assert stage(bench, "status") == 2
        assert "sources.json: not the list of the sources (" in capsys.readouterr().err


def test_a_source_that_is_gone_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stage(write_settings(tmp_path / "bench", *sources("{path: ../x}")), "ingest") == 2
    assert "no such file or folder" in capsys.readouterr().err
