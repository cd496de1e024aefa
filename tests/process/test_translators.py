"""Translations on their way to a translator's tool and back into the benchmark."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragaliq.cli import main
from small_build import artifacts, rows

pytestmark = [pytest.mark.xliff, pytest.mark.slow]
SETTINGS = """\
name: labs
version: "1"
sources: [{path: ../docs}]
languages: [en]
generate: {queries: 12, per_chunk: 4}
critique: {votes: 1}
pool: {retrievers: [bm25, char], judged: 3, negatives: 1}
unanswerable: 0
translate: {languages: [de, zh], keep: ["°C"]}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, sample: Path) -> Path:
    """A folder with `bench`, three documents of the sample in three languages by rules, and the export `out`."""
    folder = tmp_path_factory.mktemp("translators")
    (folder / "docs").mkdir()
    for name in ("communications.md", "glossary.md", "labs.md"):
        shutil.copy(sample / "sources" / "en" / name, folder / "docs")
    (folder / "bench").mkdir()
    (folder / "bench" / "build.yaml").write_text(SETTINGS, encoding="utf-8")
    assert translate(folder, "all") == 0
    assert translate(folder, "translate", "--export", str(folder / "out")) == 0
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "copy"))


def translate(folder: Path, stage: str, *options: str) -> int:
    return main(["build", stage, "--bench", str(folder / "bench"), "--no-cache", *options])


def edit_with_a_tool(path: Path, old: str, new: str) -> list[str]:
    """Replace a text in all targets of a file, as a tool does, and return the sources of these segments."""
    from translate.storage.xliff import Xliff1File

    store = Xliff1File.parsefile(str(path))
    changed = [unit for unit in store.units if old in (unit.target or "")]
    for unit in changed:
        unit.target = unit.target.replace(old, new)
    store.save()
    return [unit.source for unit in changed]


def shipped(folder: Path, kind: str, lang: str) -> list[dict[str, Any]]:
    path = folder / "bench" / kind / f"{lang}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_edit_is_everywhere_and_nothing_else_changes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = artifacts(folder / "bench")
    traces = rows(folder / "bench", "traces")
    chunk_texts = {row["doc_id"]: row["text"] for row in shipped(folder, "corpus", "zh")}
    queries = {row["query_id"]: row for row in shipped(folder, "queries", "zh")}
    old = next(
        tail
        for row in queries.values()
        if len(tail := row["reference"].rpartition("，")[2]) > 5 and tail[-1] == "。" and tail in row["text"]
    )
    new = old.replace("。", "，请注意。")
    assert any(old in text for text in chunk_texts.values()), "a reference has the words of its chunk"

    sources = edit_with_a_tool(folder / "out" / "en-zh.xlf", old, new)
    assert translate(folder, "translate", "--import", str(folder / "out" / "en-zh.xlf"), "--rater", "vera") == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(sources) > 1, "the sentence, and the question with its gap"
    assert lines[0] == f"edits: {len(sources)} (zh {len(sources)})" and lines[1].startswith("unchanged: ")
    assert lines[-1] == f"next: ragaliq build all --bench {folder / 'bench'}"
    edits = rows(folder / "bench", "edits")
    assert sorted(row["source"] for row in edits) == sorted(sources)
    assert {(row["by"], row["form"], row["lang"]) for row in edits} == {("vera", "xliff", "zh")}

    assert translate(folder, "all") == 0
    assert {row["doc_id"]: row["text"] for row in shipped(folder, "corpus", "zh")} == {
        doc_id: text.replace(old, new) for doc_id, text in chunk_texts.items()
    }
    after = {row["query_id"]: row for row in shipped(folder, "queries", "zh")}
    assert list(after) == list(queries)
    for query_id, row in queries.items():
        for key in ("text", "reference"):
            assert after[query_id][key] == row[key].replace(old, new)
    assert not any(old in row["text"] for row in shipped(folder, "nuggets", "zh"))
    same = artifacts(folder / "bench")
    for lang in ("en", "de"):
        for kind in ("corpus", "queries", "nuggets"):
            assert same[f"{kind}/{lang}.jsonl"] == before[f"{kind}/{lang}.jsonl"]
    assert rows(folder / "bench", "traces") == traces, "no model was asked"

    assert translate(folder, "translate", "--export", str(folder / "again")) == 0
    edited = (folder / "again" / "en-zh.xlf").read_text(encoding="utf-8")
    assert edited.count(new) == len(sources) and old not in edited
    assert edited.count('state="translated">') >= len(sources)
    assert main(["validate", str(folder / "bench")]) == 0


def test_d5_capitals_addresses_and_the_marks_of_lists_and_tables_stay(built: Path) -> None:
    kept = re.compile(r"^- |\||[\w.]+@[\w.]+\w|\b(?:ETR|POB)\b", re.MULTILINE | re.ASCII)
    marks = {
        lang: {row["doc_id"]: Counter(kept.findall(row["text"])) for row in shipped(built, "corpus", lang)}
        for lang in ("en", "de", "zh")
    }
    assert marks["de"] == marks["zh"] == marks["en"]
    assert {"- ", "|", "press@velmora.example", "ETR", "POB"} <= sum(marks["en"].values(), Counter[str]()).keys()


def test_a_file_as_it_was_sent_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = artifacts(folder / "bench")
    files = sorted(str(path) for path in (folder / "out").iterdir())
    assert translate(folder, "translate", "--import", *files) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "edits: 0" and not any(line.startswith("next") for line in lines)
    assert artifacts(folder / "bench") == before


def test_an_edit_can_be_set_back_by_a_new_file_not_by_an_old_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = folder / "out" / "en-zh.xlf", folder / "new" / "en-zh.xlf"
    sent = old.read_bytes()
    n = len(edit_with_a_tool(old, "。", "！"))
    assert translate(folder, "translate", "--import", str(old)) == 0
    assert translate(folder, "all") == 0
    assert translate(folder, "translate", "--export", str(new.parent)) == 0
    capsys.readouterr()
    old.write_bytes(sent)
    assert translate(folder, "translate", "--import", str(old)) == 1
    lines = capsys.readouterr().err.splitlines()
    (outdated,) = [line for line in lines if line.startswith(f"older than an edit, which stays: {n} (s")]
    assert outdated.count("; s") == 4 and outdated.endswith("; …)")
    assert len(edit_with_a_tool(new, "！", "。")) == n
    assert translate(folder, "translate", "--import", str(new)) == 0
    assert capsys.readouterr().err.splitlines()[0] == f"edits: {n} (zh {n})"
    edits = rows(folder / "bench", "edits")
    assert len(edits) == 2 * n and {row["after"] for row in edits[n:]} == {row["before"] for row in edits[:n]}


def test_the_sent_files_are_those_of_any_other_call(built: Path, folder: Path) -> None:
    assert translate(folder, "translate", "--export", str(folder / "again")) == 0
    for path in (built / "out").iterdir():
        assert (folder / "again" / path.name).read_bytes() == path.read_bytes()
    text = (folder / "again" / "en-de.xlf").read_text(encoding="utf-8")
    assert "in: chunk docs/labs.md:" in text and "; query q" in text and "keep as it is: °C" in text


def test_one_broken_file_and_nothing_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit_with_a_tool(folder / "out" / "en-zh.xlf", "。", "！")
    broken = folder / "out" / "en-de.xlf"
    broken.write_bytes(broken.read_bytes()[:-30])
    before = artifacts(folder / "bench")
    assert translate(folder, "translate", "--import", str(folder / "out" / "en-zh.xlf"), str(broken)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"ragaliq: {broken}:") and "not XML" in line
    assert artifacts(folder / "bench") == before


@pytest.mark.parametrize(
    ("stage", "options", "message"),
    [
        ("export", ("--export", "x"), "--export is for `ragaliq build translate`"),
        ("all", ("--import", "x"), "--import is for `ragaliq build translate`"),
        ("translate", ("--rater", "vera"), "--rater is for `ragaliq build translate --import`"),
        ("translate", ("--import", "x.xlf", "--rater", "a b"), "--rater 'a b'"),
        ("translate", ("--import", "none.xlf"), "none.xlf: cannot be read"),
        ("translate", ("--export", "bench"), "is there already"),
    ],
)
def test_wrong_usage_is_one_line(
    stage: str, options: tuple[str, ...], message: str, built: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(built)
    assert translate(built, stage, *options) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_a_build_without_translations_says_what_to_do(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(built / "docs", tmp_path / "docs")
    (tmp_path / "bench").mkdir()
    settings = tmp_path / "bench" / "build.yaml"
    settings.write_text(SETTINGS, encoding="utf-8")
    assert translate(tmp_path, "translate", "--export", str(tmp_path / "out")) == 2
    assert "run `ragaliq build all --bench" in capsys.readouterr().err
    settings.write_text(SETTINGS.partition("translate:")[0], encoding="utf-8")
    assert translate(tmp_path, "translate", "--export", str(tmp_path / "out")) == 2
    assert "'translate.languages' names no language" in capsys.readouterr().err
