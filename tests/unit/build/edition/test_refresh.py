"""Editions as the command writes them, compares them and refuses them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragaliq.benchmark.load import load_benchmark
from ragaliq.build.edition.refresh import renew
from ragaliq.cli import main
from ragaliq.storage.files import read_jsonl
from unit.build.edition.small_template import ITEMS, PAGES, SLOTS, Make


def rows(folder: Path, name: str) -> list[dict[str, object]]:
    return [row for _, row in read_jsonl(folder / name)]


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def make(bench: Path, seed: str, out: Path, *more: str) -> int:
    return main(["refresh", str(bench), "--seed", seed, "--out", str(out), *more])


def test_edition_0_word_for_word(make_template: Make, tmp_path: Path) -> None:
    assert make(make_template(), "0", tmp_path / "e0") == 0
    chunk = rows(tmp_path / "e0", "corpus/ru.jsonl")[1]
    assert chunk["doc_id"] == "pier-01"
    assert chunk["text"] == (
        "Пирс открыт с 07:40 до 08:50, стоянка стоит 1\xa0450 кредитов. Звоните Мире Брандвик (B-417) по вторникам, "
        "до 15 ноября."
    )
    assert chunk["title"] == "Пирс"
    query = rows(tmp_path / "e0", "queries/en.jsonl")[0]
    assert query["reference"] == "At 07:40; it closes at 08:50."
    assert query["difficulty"] == "easy" and "anchor" not in query
    assert (tmp_path / "e0" / "qrels" / "zh.tsv").read_text() == "q1 0 pier-01 1\nq2 0 boats-01 1\nq4 0 boats-01 1\n"
    benchmark = load_benchmark(tmp_path / "e0")
    assert benchmark.notes == () and benchmark.version == "1.0"


def test_queries_without_slots_are_anchors_and_stay(make_template: Make, tmp_path: Path) -> None:
    bench = make_template()
    make(bench, "0", tmp_path / "a")
    make(bench, "7", tmp_path / "b")
    anchors = [[row for row in rows(tmp_path / e, "queries/zh.jsonl") if row.get("anchor")] for e in "ab"]
    assert [row["query_id"] for row in anchors[0]] == ["q2", "q3", "q4"]
    assert anchors[0] == anchors[1]
    assert rows(tmp_path / "a", "queries/zh.jsonl")[0] != rows(tmp_path / "b", "queries/zh.jsonl")[0]


def test_an_edition_has_its_own_version_and_canary(make_template: Make, tmp_path: Path) -> None:
    bench = make_template()
    heads = []
    for seed in ("0", "1", "2"):
        make(bench, seed, tmp_path / seed)
        heads.append(json.loads((tmp_path / seed / "bench.json").read_text()))
    assert [head["version"] for head in heads] == ["1.0", "1.0+1", "1.0+2"]
    assert [head["edition"] for head in heads] == [{"seed": 0}, {"seed": 1}, {"seed": 2}]
    assert len({head["canary"] for head in heads}) == 3
    assert heads[0]["canary"].endswith("00000000-0000-4000-8000-000000000001")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_under_any_hash_seed_and_locale(make_template: Make, tmp_path: Path) -> None:
    bench = make_template()
    for name, hash_seed, lang in (("a", "1", "C"), ("b", "977", "tr_TR.UTF-8")):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "LC_ALL": lang, "LANG": lang, "LANGUAGE": "tr"}
        out = str(tmp_path / name)
        command = [sys.executable, "-m", "ragaliq", "refresh", str(bench), "--seed", "31", "--out", out]
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=60)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_another_seed_is_not_the_edition(
    make_template: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = make_template()
    make(bench, "4", tmp_path / "four")
    capsys.readouterr()
    assert main(["refresh", str(bench), "--seed", "5", "--check", str(tmp_path / "four")]) == 1
    assert capsys.readouterr().out == f"{tmp_path / 'four' / 'bench.json'}: seed is 4, not 5: another edition\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seed", "-1", "--out", "x"], "--seed -1: a whole number from 0 on"),
        (["--seed", "1.5", "--out", "x"], "--seed 1.5"),
        (["--seed", "7", "--out", "x", "--private"], "can be found by trying"),
        (["--seed", "1" * 5000, "--out", "x"], "5000 digits; 1000 are the most"),
        (["--seed", "new", "--check", "y"], "--check compares"),
        (["--seed", "7", "--check", "y", "--private"], "--check compares"),
        (["--seed", "7"], "--out DIR writes the edition"),
        (["--seed", "7", "--out", "x", "--check", "y"], "name one of the two"),
        (["--seed", "7", "--check", "no-such"], "no-such"),
    ],
)
def test_wrong_usage_is_one_line(
    make_template: Make, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["refresh", str(make_template()), *arguments]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_a_benchmark_without_a_template_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refresh", str(tmp_path), "--seed", "1", "--out", str(tmp_path / "o")]) == 2
    assert "no template of editions there" in capsys.readouterr().err


def test_nothing_is_overwritten(make_template: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench = make_template()
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "mine.txt").write_text("mine")
    assert make(bench, "1", tmp_path / "o") == 2
    assert "holds files that this command did not make" in capsys.readouterr().err
    assert (tmp_path / "o" / "mine.txt").read_text() == "mine"
    assert make(bench, "1", tmp_path / "n") == 0 and make(bench, "1", tmp_path / "n") == 0
    edited = tmp_path / "n" / "queries" / "zh.jsonl"
    edited.write_text("mine")
    capsys.readouterr()
    assert make(bench, "1", tmp_path / "n") == 2
    assert "queries/zh.jsonl: is not as this command would write it" in capsys.readouterr().err
    assert edited.read_text() == "mine"


def test_the_card_goes_along_and_says_which_edition(make_template: Make, tmp_path: Path) -> None:
    bench = make_template()
    (bench / "CARD.md").write_text("# Card\n")
    make(bench, "3", tmp_path / "e")
    make(bench, "new", tmp_path / "p", "--private")
    cards = [(tmp_path / name / "CARD.md").read_text().splitlines() for name in "ep"]
    assert cards[0][0].startswith("> Edition 3 of harbour.") and cards[0][-1] == "# Card"
    assert cards[1][0].startswith("> A private edition of harbour.")


@pytest.mark.slow
def test_a_benchmark_behind_its_template_is_a_finding(make_template: Make, capsys: pytest.CaptureFixture[str]) -> None:
    bench = make_template()
    (bench / "CARD.md").write_text("# Card\n")
    renew(bench)
    path = bench / "template" / "en" / "boats.md"
    path.write_text(path.read_text().replace("grey", "red"))
    main(["validate", str(bench)])
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "template" in line]
    assert line == f"{bench}/bench.json: differs from what template/ makes (and 2 more); run data/derive.py"


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("en/pier.md", "{pier_open}", "{pier_opens}", "'{pier_opens}' is no slot; did you mean 'pier_open'?"),
        ("ru/pier.md", "{pier_head:dat}", "{pier_head:loc}", "has no form 'loc' in 'ru'"),
        ("zh/pier.md", "{pier_fee}", "{pier fee}", "a brace that belongs to no slot"),
        ("en/pier.md", "{pier_fee|credit|credits}", "{pier_fee|credits}", "'en' has 2 plural forms"),
        ("en/pier.yaml", "reference", "refrence", "'q1': 'text' and 'reference' are texts"),
        ("ru/boats.yaml", '"q3"', '"q9"', "'q3' is in one of this file and items/boats.yaml alone"),
        ("slots/pier.yaml", "pier_crew:", "pier_open:", "'pier_open' occurs twice"),
        ("items/pier.yaml", "  type: temporal", "  type: temporal\n  type: single", "'type' occurs twice"),
        ("ru/boats.yaml", '"q4"', '"q3"', "'q3' occurs twice"),
        ("items/pier.yaml", "exam: true", "exam: false", "'exam' holds nothing"),
        ("items/pier.yaml", "importance: vital", "importance: minor", "a nugget is"),
        ("items/pier.yaml", "importance: vital", "importance: [vital]", "a nugget is"),
        (
            "items/pier.yaml",
            "docs: [pier-01]",
            "docs: [pier-02]",
            "'q1' names 'pier-02', which is no paragraph of 'en'",
        ),
        ("items/boats.yaml", "near_miss: boats-01", "near_miss: boats-09", "'q3' names 'boats-09'"),
        ("items/boats.yaml", "near_miss: boats-01", "near_miss: boats-01\n  exam: true", "is in no exam"),
        ("items/pier.yaml", "exam: true", "exam: 'no'", "'exam' true or false"),
        ("items/pier.yaml", "type: temporal", "5: a\n  type: temporal", "unknown key '5'"),
        ("items/pier.yaml", "id: q1", "id: q 1", "a text without spaces"),
        ("en/boats.yaml", '"reference": "grey"', '"reference": " "', "'text' and 'reference' are texts"),
        ("en/pier.md", "{pier_fee|credit", "{pier_fee:x|credit", "names a form and lists forms"),
        ("en/pier.md", "{pier_open}", "{~~pier_open}", "a brace that belongs to no slot"),
        ("slots/pier.yaml", "value: tuesday", "value: tuseday", "'tuseday' is not in the pool 'weekday'; did you mean"),
        ("ru/pools.yaml", "  wednesday:", "  wensday:", "'wednesday' of 'weekday' is in one of 'en' and 'ru' alone"),
        ("bench.json", "00000000-0000-4000-8000-000000000001", "0000", "'canary' is a UUID"),
        ("bench.json", '"1.0"', "1.0", "'version' is a text"),
    ],
)
def test_a_faulty_template_is_told_by_file_and_key(
    make_template: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, old: str, new: str, said: str
) -> None:
    bench = make_template()
    path = bench / "template" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert make(bench, "1", tmp_path / "o") == 2
    told = capsys.readouterr().err
    assert said in told and file.split("/")[-1].split(".")[0] in told and told.count("\n") == 1
    assert not (tmp_path / "o").exists()


def test_renew_writes_what_changed_and_removes_what_went(make_template: Make) -> None:
    bench = make_template()
    assert len(renew(bench)) == 3 * 7 + 1
    assert renew(bench) == []
    (bench / "sources" / "en" / "old.md").write_text("old")
    path = bench / "template" / "slots" / "pier.yaml"
    path.write_text(SLOTS.replace('value: "B-417"', 'value: "C-417"'))
    changed = renew(bench)
    assert "sources/en/old.md" in changed and "sources/en/pier.md" in changed and "queries/en.jsonl" not in changed
    assert not (bench / "sources" / "en" / "old.md").exists()


def test_the_exam_holds_every_kind_with_its_grades(make_template: Make, tmp_path: Path) -> None:
    make(make_template(), "0", tmp_path / "e")
    exam = rows(tmp_path / "e", "exam/en.jsonl")
    assert [(row["exam_id"], row["grades"]) for row in exam[:8]] == [
        ("q1-paraphrase", [5, 5]),
        ("q1-extras", [4, 4]),
        ("q1-incomplete", [3, 3]),
        ("q1-contradicting", [2, 2]),
        ("q1-near_miss", [1, 2]),
        ("q1-other", [1, 1]),
        ("q1-abstention", [0, 0]),
        ("q1-wrong_language", [5, 5]),
    ]
    answers = {row["exam_id"]: row["answer"] for row in exam}
    assert answers["q1-other"] == "grey" and answers["q4-other"] == "At 07:40; it closes at 08:50."
    assert answers["q1-wrong_language"] == "В 07:40; закрывается в 08:50."
    assert answers["q4-wrong_language"] == "灰色"
    assert answers["q1-near_miss"] != "At 07:40."


def test_an_exam_of_one_query_has_no_answer_of_another(make_template: Make, tmp_path: Path) -> None:
    bench = make_template(items=ITEMS.replace("  exam: true\n- id: q2", "- id: q2"))
    for lang in PAGES:
        path = bench / "template" / lang / "pier.yaml"
        words = json.loads(path.read_text(encoding="utf-8"))
        del words["q1"]["exam"]
        path.write_text(json.dumps(words), encoding="utf-8")
    make(bench, "1", tmp_path / "e")
    kinds = [row["kind"] for row in rows(tmp_path / "e", "exam/en.jsonl")]
    assert "other" not in kinds and "near_miss" in kinds


def test_a_slot_in_the_heading_above_its_chunk_makes_a_query_no_anchor(make_template: Make, tmp_path: Path) -> None:
    bench = make_template()
    path = bench / "template" / "ru" / "boats.md"
    path.write_text(path.read_text(encoding="utf-8").replace("# Лодки", "# Лодки {pier_phone}"), encoding="utf-8")
    make(bench, "1", tmp_path / "e")
    assert not any(row.get("anchor") for row in rows(tmp_path / "e", "queries/en.jsonl"))


@pytest.mark.slow
def test_a_run_on_an_edition_has_a_folder_of_its_own(
    make_template: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make_template()
    monkeypatch.chdir(tmp_path)
    for seed in ("0", "3"):
        make(bench, seed, tmp_path / seed)
        assert main(["run", "--data", str(tmp_path / seed), "--lang", "zh"]) == 0
    names = sorted(path.name for path in (tmp_path / "results").iterdir() if path.is_dir())
    assert names == ["harbour-3_extractive_use-multilingual_none", "harbour_extractive_use-multilingual_none"]
