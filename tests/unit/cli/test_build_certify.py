"""`ragaliq build certify`, from a small built benchmark to the certificate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.cli import main
from small import CHUNKS, write_small

BUILD = """\
name: camp
sources: [{path: ../documents, name: d}]
languages: [en]
unanswerable: 0
generate: {queries: 30}
pool: {retrievers: [bm25, char], judged: 2, negatives: 3}
critique: {threshold: 1, votes: 1}
"""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "documents").mkdir()
    for name, texts in CHUNKS.items():
        (tmp_path / "documents" / f"{name}.txt").write_text(texts[0], encoding="utf-8")
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "build.yaml").write_text(BUILD, encoding="utf-8")
    return tmp_path / "bench"


def _human(path: Path, n: int) -> Path:
    # A word alone stands in several chunks, so that configurations differ.
    texts = [(texts[0], word) for texts in CHUNKS.values() for word in texts[0].split()[:6]]
    rows = [{"question": f"{word}?", "lang": "en", "quote": text} for text, word in texts]
    path.write_text("\n".join(map(json.dumps, rows[:n])), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_built_benchmark_gets_its_certificate(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    human = _human(bench.parent / "human.jsonl", 60)
    assert main(["build", "all", "--bench", str(bench), "--no-cache"]) == 0
    certify = ["build", "certify", "--bench", str(bench), "--human", str(human)]
    assert main(certify) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("en: ") and "not a valid one" in out[1]
    path = bench / "build" / "certificate.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    (language,) = content["languages"]
    assert (language["human"], content["unused"], content["not_certified"]) == (60, [], {})
    # Of twelve chunks some configurations rank all alike, and count once.
    assert 1 < language["distinct"] <= len(language["configurations"]) == 31
    assert {(row["measure"], row["coefficient"]) for row in language["agreement"]} == {
        ("nDCG@10", "tau"), ("nDCG@10", "tau_ap"), ("RR", "tau"), ("RR", "tau_ap"),
    }  # fmt: skip
    # Of twelve chunks two at most are pooled for each text and three more drawn, so some stay open.
    (pool,) = content["pools"]
    assert pool["negatives"]["n"] == 3 * pool["queries"] and pool["unjudged"] > 0
    assert {row["family"] for row in content["left_out"]} == {"words", "chars"}
    assert content["contamination"][0]["solved"]["n"] == language["built"] + language["shared"]
    # The same call writes the same bytes; another one draws questions like those of people.
    card = (bench / "CARD.md").read_text(encoding="utf-8")
    assert card.count("## Certificate of validity") == 1 and out[0] in card
    (bench / "report.json").unlink()
    assert main(["build", "all", "--bench", str(bench), "--no-cache"]) == 0
    assert (bench / "CARD.md").read_text(encoding="utf-8") == card
    before = path.read_bytes()
    assert main(certify) == 0
    assert path.read_bytes() == before
    queries = [json.loads(line) for line in (bench / "queries" / "en.jsonl").read_text(encoding="utf-8").splitlines()]
    log = bench.parent / "log.jsonl"
    rows = [{"question": query["text"], "type": query["type"], "lang": "en"} for query in queries[:3]]
    log.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main([*certify, "--match", str(log)]) == 0
    (matched,) = json.loads(path.read_text(encoding="utf-8"))["languages"]
    assert (matched["built"], matched["matching"]["to"], len(matched["matching"]["drawn"])) == (3, "log.jsonl", 3)
    # Nobody built questions of a word.
    assert main([*certify, "--match", "human"]) == 2
    assert "leave --match out" in capsys.readouterr().err


@pytest.mark.slow
def test_a_benchmark_without_its_build_is_certified_by_its_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = write_small(tmp_path / "small")
    human = _human(tmp_path / "human.jsonl", 50)
    assert main(["build", "certify", "--bench", str(small), "--human", str(human)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in out] == ["en", "de", "fr", "es", "ru", "zh"]
    assert out[1] == "de: not certified: 0 questions of people"
    content = json.loads((small / "build" / "certificate.json").read_text(encoding="utf-8"))
    assert (content["backend"], content["pools"], content["left_out"]) == ("", [], [])
    assert [row["closed_book"] for row in content["contamination"]] == [None] * 6


def test_bad_input_is_told_in_a_line(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = write_small(bench.parent / "small")
    few = _human(bench.parent / "few.jsonl", 49)
    for arguments, told in (
        (["--bench", str(small)], "name the questions of people with --human"),
        (["--bench", str(bench), "--human", str(few)], "there is no benchmark yet"),
        (["--bench", str(small), "--human", str(few)], "a certificate needs 50 usable questions in a language (en: 49"),
        (["--bench", str(small), "--human", "absent.csv"], "absent.csv"),
    ):
        assert main(["build", "certify", *arguments]) == 2
        assert told in capsys.readouterr().err
