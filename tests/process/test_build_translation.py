"""Translated benchmarks by the scripted rules: the sample in six languages, a foreign folder, an endpoint."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fakes import chat_server
from ragaliq.cli import main
from small_build import artifacts, rows, scripted_endpoint

LANGS = ("de", "es", "fr", "ru", "zh")
BEES = {
    "bees.md": "# Keeping bees\n\nA hive stands at least 40 cm above the ground and faces south east. The keeper opens "
    "it only when the air is warmer than 15 degrees. In spring each colony needs about 8 kg of stores.\n\n- Smoke "
    "calms the bees within two minutes.\n- Gloves, veil and boots are worn on every visit.\n",
    "library.md": "# Town library\n\nThe library on Mill Street opens on weekdays at 10:00 and closes at 18:30. "
    "Members borrow up to 12 books for 21 days, and pay 20 cents for every day that a book is late.\n\nRooms for "
    "groups are booked by telephone or at desk@library.example. The newspaper room has no lending.\n",
    "trams.txt": "Line 7 runs every 9 minutes between the harbour and the hospital. A single ticket costs 3 euros, a "
    "day ticket 8 euros. Bicycles travel in the last car only, outside the rush hours.\n",
}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def copied_parts(text: str, sources: list[str]) -> int:
    """How many parts a text has at least, if each is copied from a source; blanks between them do not count."""
    count = 0
    while text:
        size = max(n for n in range(len(text) + 1) if any(text[:n] in source for source in sources))
        assert size, f"{text[:40]} is in no source"
        text, count = text[size:].strip(), count + 1
    return count


def some_of_the_sample(folder: Path, sample: Path, *names: str) -> Path:
    for name in names:
        (folder / "documents").mkdir(exist_ok=True, parents=True)
        (folder / "documents" / name).write_bytes((sample / "sources/en" / name).read_bytes())
    return folder / "documents"


@pytest.mark.slow
def test_the_sample_in_six_languages_is_valid_and_its_gold_is_found(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = tmp_path / "bench"
    options = ["--from", str(sample / "sources/en"), "--lang", "en", "--to", ",".join(LANGS)]
    assert main(["build", "all", "--bench", str(bench), *options, "--backend", "scripted"]) == 0
    head = json.loads((bench / "bench.json").read_text())
    assert (head["parallel"], head["languages"]) == (True, ["en", *LANGS])
    assert main(["validate", str(bench)]) == 0
    filtered = sum(row["decision"] == "kept" for row in rows(bench, "filter"))
    counts: dict[tuple[str, str], int] = {}
    for lang in head["languages"]:
        queries = lines(bench / f"queries/{lang}.jsonl")
        assert len(queries) >= 0.6 * filtered
        chunks = {row["doc_id"]: row for row in lines(bench / f"corpus/{lang}.jsonl")}
        for row in chunks.values():
            source = (bench / row["source_id"]).read_text(encoding="utf-8")
            assert source[row["start"] : row["end"]] == row["text"]
        supporting: dict[str, set[str]] = {}
        for nugget in lines(bench / f"nuggets/{lang}.jsonl"):
            supporting.setdefault(nugget["query_id"], set()).update(nugget["doc_ids"])
        for row in queries:
            if row["answerable"]:
                texts = [chunks[doc_id]["text"] for doc_id in supporting[row["query_id"]]]
                counts[lang, row["query_id"]] = copied_parts(row["reference"], texts)
    # A reference is one sentence of a gold chunk; with two passages, one of each.
    assert len(counts) > 6 * 30 and set(counts.values()) <= {1, 2}
    assert all(n == counts["en", query_id] for (_, query_id), n in counts.items())
    run = ["run", "--data", str(bench), "--lang", "all", "--limit", "2", "--out", str(tmp_path / "run")]
    assert main(run) == 0
    answers = lines(tmp_path / "run/answers.jsonl")
    assert Counter(row["lang"] for row in answers) == dict.fromkeys(head["languages"], 2)


def test_documents_about_something_else_are_untranslated_to_the_last_item(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "documents").mkdir()
    for name, text in BEES.items():
        (tmp_path / "documents" / name).write_text(text, encoding="utf-8")
    bench = tmp_path / "bench"
    options = ["--from", str(tmp_path / "documents"), "--lang", "en", "--to", "de,zh"]
    assert main(["build", "all", "--bench", str(bench), *options]) == 1
    assert "no query is left in every language" in capsys.readouterr().err
    checked = [row for row in rows(bench, "check-translation") if row["lang"] != "en"]
    assert len(checked) == len(rows(bench, "translate")) > 10
    assert {row["reason"] for row in checked} == {"untranslated"}
    findings = lines(bench / "build/translation_findings.jsonl")
    assert {(one["record"], one["id"], one["lang"]) for one in findings if one["kind"] == "untranslated"} >= {
        (row["record"], row["id"], row["lang"]) for row in checked if row["record"] == "chunk"
    }
    assert not (bench / "bench.json").exists()


@pytest.mark.slow
def test_rules_behind_an_endpoint_translate_the_same(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKEN", "t")
    for name in ("JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)
    options = ["--lang", "en", "--to", "de,zh", "--no-cache"]
    benches = []
    for name in ("one", "two"):
        documents = some_of_the_sample(tmp_path / name, sample, "meals.md", "arrival.md")
        bench = tmp_path / name / "bench"
        (bench).mkdir()
        settings = "name: b\nsources: [{path: ../documents}]\nlanguages: [en]\ntranslate: {languages: [de, zh]}\n"
        tail = "generate: {queries: 8}\ncritique: {votes: 1}\npool: {retrievers: [bm25], negatives: 1}\n"
        (bench / "build.yaml").write_text(settings + tail)
        benches.append((bench, documents))
    (one, _), (two, _) = benches
    assert main(["build", "all", "--bench", str(one), *options]) == 0
    with chat_server(scripted_endpoint) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main(["build", "all", "--bench", str(two), *options, "--backend", "openai:scripted"]) == 0
        asked = [request for request in server.requests if "Task: translate" in request["messages"][1]["content"]]
    assert artifacts(two, "usage") == artifacts(one, "usage")
    assert asked and all("response_format" in request for request in asked)
    assert len(asked) == sum(len(row.get("traces", ())) for row in rows(two, "translate"))
