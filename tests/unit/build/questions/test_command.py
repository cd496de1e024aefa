"""`ragaliq build` with files of questions."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragaliq.cli import main
from ragaliq.storage.files import read_jsonl
from unit.build.chain import PASSAGES

STAGES = ("ingest", "chunk", "generate", "critique", "dedupe", "nuggets", "closed-book", "pool", "judge", "filter")
SETTINGS = """name: small
sources: [{path: ../docs}]
languages: [en]
questions: [{path: asked.csv, scrub: QUESTION_HOOK}, {path: log.csv, sample: 3, lang: ''}]
generate: {queries: 4}
unanswerable: 0
"""
SAUNA = "The sauna behind the workshop is heated on Fridays. A session costs every guest four credits."
CODE = '```bash\nfor lamp in corridor/*; do\n    switch "$lamp" --off\ndone\n```'
KEYS = "The warden keeps the keys of all rooms. Guests give them back before the ferry leaves the harbour."


def written(folder: Path, hook: str = "''") -> list[str]:
    """Files of a small build, and the arguments that name it."""
    (folder / "docs").mkdir()
    sections = {"Canteen": PASSAGES["en"], "Sauna": SAUNA, "Keys": KEYS, "Lamps": f"The guard runs this:\n\n{CODE}"}
    text = "\n\n".join(f"# {title}\n\n{section}" for title, section in sections.items())
    (folder / "docs" / "one.md").write_text(f"{text}\n")
    bench = folder / "bench"
    bench.mkdir()
    (bench / "build.yaml").write_text(SETTINGS.replace("QUESTION_HOOK", hook))
    code = CODE.replace('"', '""')
    answers = (
        f'question,answer\nWho keeps the keys?,The warden.\nWhy is it cold?,\nHow does the guard do it?,"{code}"\n'
    )
    (bench / "asked.csv").write_text(answers)
    log = "question\nWhat does a sauna session cost every guest?\nsauna session cost guest\nWho?\n"
    (bench / "log.csv").write_text(log)
    return ["--bench", str(bench)]


def rows_of(folder: Path, stage: str) -> list[dict[str, Any]]:
    return [row for _, row in read_jsonl(folder / "bench" / "build" / f"{stage}.jsonl")]


@pytest.mark.slow
def test_d2_all_stages_with_people_and_a_log_give_a_benchmark_that_validates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = written(tmp_path)
    # D2: a command for each stage does what `all` does at once.
    for stage in STAGES[:4]:
        assert main(["build", stage, *bench]) == 0
    assert main(["build", "all", *bench]) == 0
    (together := tmp_path / "together").mkdir()
    assert main(["build", "all", *written(together)]) == 0
    for stage in STAGES:
        assert rows_of(together, stage) == rows_of(tmp_path, stage), stage
    rows = rows_of(tmp_path, "generate")
    reasons = Counter((row["origin"], row.get("reason", "")) for row in rows if row["origin"] != "generated")
    assert sum(reasons.values()) == 3 + 3 and reasons["people", "no accepted answer"] == 1
    assert reasons["people", ""] == 2 and reasons["log", ""] + reasons["log", "not in the documents"] == 3
    for stage, before in (("critique", "generate"), ("dedupe", "critique"), ("nuggets", "dedupe")):
        kept = [row["id"] for row in rows_of(tmp_path, before) if row["decision"] == "kept"]
        assert [row["id"] for row in rows_of(tmp_path, stage)] == kept
    queries = {row["text"]: row for _, row in read_jsonl(tmp_path / "bench" / "queries" / "en.jsonl")}
    ((gold,),) = queries["Who keeps the keys?"]["gold"]
    corpus = {row["doc_id"]: row["text"] for _, row in read_jsonl(tmp_path / "bench" / "corpus" / "en.jsonl")}
    assert "The warden keeps the keys" in corpus[gold]
    # C30: program text comes out as it went in, in the documents and in the answer.
    assert any(CODE in text for text in corpus.values())
    assert CODE in (tmp_path / "bench" / "sources" / "en" / "docs" / "one.md").read_text()
    assert queries["How does the guard do it?"]["reference"] == CODE
    assert main(["validate", str(tmp_path / "bench")]) == 0
    # C31: what each call was asked with is on record.
    traces = [row for _, row in read_jsonl(tmp_path / "bench" / "build" / "traces.jsonl")]
    temperatures = {(row["prompt_hash"], row["parameters"]["temperature"]) for row in traces}
    assert {temperature for _, temperature in temperatures} == {0.0, 0.1, 0.7}
    assert len(temperatures) == len({row["prompt_hash"] for row in traces})
    capsys.readouterr()


def test_c30_program_text_in_a_document_has_no_other_language(tmp_path: Path) -> None:
    code = "```python\n" + "# Return the number of lamps that are still on\nreturn len(lamps_that_are_on)\n" * 9 + "```"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "one.md").write_text(f"# Lampen\n\nSo zählt man:\n\n{code}\n")
    assert (
        main(["build", "init", "--bench", str(tmp_path / "bench"), "--from", str(tmp_path / "docs"), "--lang", "de"])
        == 0
    )
    for stage in ("ingest", "chunk"):
        assert main(["build", stage, "--bench", str(tmp_path / "bench")]) == 0
    rows = rows_of(tmp_path, "chunk")
    assert all(row["decision"] == "kept" for row in rows) and any(code in row["text"] for row in rows)


def test_another_file_makes_the_stage_stale_and_what_is_asked_in_it_alone_is_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = written(tmp_path)
    for stage in ("ingest", "chunk", "generate"):
        assert main(["build", stage, *bench]) == 0
    before = {row["id"]: row for row in rows_of(tmp_path, "generate")}
    capsys.readouterr()
    assert main(["build", "status", *bench]) == 0
    assert re.search(r"\| generate +\| done", capsys.readouterr().out)
    file = tmp_path / "bench" / "asked.csv"
    file.write_text(file.read_text() + "When is the sauna heated?,On Fridays.\n")
    assert main(["build", "status", *bench]) == 0
    assert re.search(r"\| generate +\| stale", capsys.readouterr().out)
    assert main(["build", "generate", *bench]) == 0
    after = {row["id"]: row for row in rows_of(tmp_path, "generate")}
    (new,) = after.keys() - before.keys()
    assert after[new]["text"] == "When is the sauna heated?" and {**after, **before} == after


def test_a_hook_that_fails_is_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = written(tmp_path, "failing_hook:mask")
    (tmp_path / "failing_hook.py").write_text("def mask(text):\n    raise KeyError(text)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for stage in ("ingest", "chunk"):
        assert main(["build", stage, *bench]) == 0
    capsys.readouterr()
    assert main(["build", "generate", *bench]) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.endswith("failing_hook.py:2; fix it") and "asked.csv:2: the hook 'failing_hook:mask' failed" in line
    assert "KeyError" in line and "keys" not in line
    assert not (tmp_path / "bench" / "build" / "generate.jsonl").exists()
    assert json.loads((tmp_path / "bench" / "build" / "state.json").read_text())["stages"].keys() == {"ingest", "chunk"}
