"""`ragaliq judge` and `ragaliq run` with a panel or with repeats: draws are kept, summed up, and gone on with."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, write_run_folder
from ragaliq.aggregate.run_figures import compute_figures
from ragaliq.cli import main
from ragaliq.report.terminal import vote_lines
from ragaliq.runs.folder import RunFolder
from unit.cli.endpoint import alone, judge_server

QUIET = "--no-controls"


@pytest.fixture(autouse=True)
def quick(small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone(monkeypatch, tmp_path)
    Path("small").symlink_to(small)


def rows(run: str = "r") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(run, "verdicts.jsonl").read_text(encoding="utf-8").splitlines()]


def test_repeats_are_drawn_kept_and_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    write_run_folder(Path("r"), [5, 5, 5], reader="r")
    seen: Counter[str] = Counter()

    def reply(request: dict[str, Any], number: int) -> Scripted:
        prompt = request["messages"][1]["content"]
        query = next(name for name in ("q1", "q2", "q3") if f"question {name}" in prompt)
        seen[query] += 1
        # The second draw of q3 differs from its others.
        return Scripted(f"[RESULT] {2 if (query, seen[query]) == ('q3', 2) else 4}")

    with judge_server(reply) as server:
        command = ["judge", "r", "--judge", "openai:j", "--repeats", "3", QUIET]
        assert main(command) == 0
        assert len(server.requests) == 9 and {request["temperature"] for request in server.requests} == {0.0}
        said = capsys.readouterr()
        assert "note: at temperature 0 repeats show the noise of the server alone" in said.err
        assert "draws: all: flip rate 0.33, pass against fail 0.33" in said.out and "(n=3)" in said.out
        found = rows()
        assert [row["grade"] for row in found] == [4, 4, 4] and {row["judge"] for row in found} == {"openai:j x3"}
        assert [[draw["grade"] for draw in row["draws"]] for row in found] == [[4, 4, 4], [4, 4, 4], [4, 2, 4]]
        assert {row["attempts"] for row in found} == {3} and found[0]["usage"]["prompt_tokens"] == 21
        judge = json.loads(Path("r/config.json").read_text())["judge"]
        assert (judge["kind"], judge["model"], judge["options"]) == ("panel", "openai:j", {"repeats": 3})
        # The same again is in the cache; without --judge it is the run's own.
        assert main(["judge", "r", QUIET]) == 0 and len(server.requests) == 9
        assert rows() == found
        assert main([*command, "--judge-temperature", "0.7"]) == 0
        assert len(server.requests) == 18 and server.requests[-1]["temperature"] == 0.7
        assert "note: at temperature 0" not in capsys.readouterr().err.splitlines()[-1]


def test_a_panel_goes_on_where_a_member_was_lost() -> None:
    write_run_folder(Path("r"), [5, 5, 5, 5], reader="r")
    gone = True

    def reply(request: dict[str, Any], number: int) -> Scripted:
        lost = gone and request["model"] != "a" and "question q3" in request["messages"][1]["content"]
        return (
            Scripted("lost", status=400)
            if lost
            else Scripted("[RESULT] 3" if request["model"] == "a" else "[RESULT] 5")
        )

    with judge_server(reply) as server:
        panel = ["judge", "r", "--judge", "panel:openai:a+openai:b+openai:c", QUIET, "--min-coverage", "0.5"]
        assert main(panel) == 0
        found = {row["query_id"]: row for row in rows()}
        assert {name: row["grade"] for name, row in found.items()} == {"q1": 5, "q2": 5, "q3": None, "q4": 5}
        assert found["q3"]["outcome"] == "api_error"
        assert found["q1"]["judge"] == "panel(openai:a, openai:b, openai:c)"
        gone, asked = False, len(server.requests)
        assert main(["judge", "r", "--only-unscored", QUIET]) == 0
        # `a` is in the cache.
        assert sorted(request["model"] for request in server.requests[asked:]) == ["b", "c"]
    assert {row["grade"] for row in rows()} == {5}
    summary = compute_figures(RunFolder(Path("r"))).metrics["repeats"]
    assert (summary["all"]["n"], summary["all"]["flip_rate"], summary["all"]["crossing_rate"]) == (4, 1.0, 0.0)
    assert summary["all"]["mean_range"] == pytest.approx(0.4) and summary["by"]["en"] == summary["all"]
    assert [(pair["first"], pair["second"], pair["exact"]) for pair in summary["all"]["pairs"]] == [
        ("openai:a", "openai:b", 0.0), ("openai:a", "openai:c", 0.0), ("openai:b", "openai:c", 1.0),
    ]  # fmt: skip
    # Weights .6, 1, 1 on each answer: squares of (.4² · 2/3) over two degrees of freedom; the answers do not differ.
    variance = summary["variance"]["en"]
    assert variance["judge_draws"] == pytest.approx(0.4**2 * 2 / 3 / 2)
    assert (variance["unsplit"], variance["cut"], variance["n"]) == (0.0, ("queries",), 12)
    lines = vote_lines(summary)
    assert len(lines) == 5
    assert "queries and answers 0.000, draws 0.053 (12 draws, 4 queries)" in lines[1]


def test_a_member_that_never_grades_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    write_run_folder(Path("r"), [5, 5], reader="r")

    def reply(request: dict[str, Any], number: int) -> Scripted:
        return Scripted("gone", status=400) if request["model"] == "b" else Scripted("[RESULT] 3")

    with judge_server(reply):
        assert main(["judge", "r", "--judge", "panel:openai:a+openai:b", QUIET]) == 0
    said = capsys.readouterr().out
    assert (
        "warning[silent-judge]: openai:b: none of its 2 draws has a grade, so the grades are those of the others"
        in said
    )
    assert json.loads(Path("r/metrics.json").read_text())["repeats"]["silent"] == {"openai:b": 2}


def test_an_interrupted_grading_is_gone_on_with_by_the_same_judge_alone(capsys: pytest.CaptureFixture[str]) -> None:
    write_run_folder(Path("r"), [5, 5, 5], reader="r")
    gone = True

    def reply(request: dict[str, Any], number: int) -> Scripted:
        # The second call finds no server that could be waited for.
        return Scripted("no", status=401) if gone and number else Scripted("[RESULT] 3")

    with judge_server(reply) as server:
        command = ["judge", "r", "--judge", "openai:j", QUIET, "--concurrency", "1", "--no-cache"]
        assert main(command) == 2 and len(Path("r/verdicts.regrading.jsonl").read_text().splitlines()) == 1
        gone, asked = False, len(server.requests)
        assert main([*command, "--judge-temperature", "0.9"]) == 0
        # The grade drawn at temperature 0 is none of this judge's.
        assert [request["temperature"] for request in server.requests[asked:]] == [0.9] * 3
        config = json.loads(Path("r/config.json").read_text())
        assert config["judge"]["options"] == {"temperature": 0.9} and "regrading" not in config
        capsys.readouterr()
        assert main(["judge", "r", "--only-unscored", QUIET, "--judge", "openai:j", "--judge-temperature", "0.5"]) == 2
        assert "(name: 'openai:j@0.9' then, 'openai:j@0.5' now)" in capsys.readouterr().err


def test_a_run_with_one_draw_has_no_repeats() -> None:
    folder = write_run_folder(Path("r"), [5, 5])
    assert "repeats" not in compute_figures(folder).metrics and vote_lines(None) == []


def test_a_panel_in_a_run_is_planned_by_member(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(lambda request, number: Scripted("[RESULT] 3")) as server:
        options = ["--data", "small", "--lang", "fr", "--limit", "2"]
        options += ["--judge", "panel:openai:a+offline", "--repeats", "2"]
        assert main(["plan", *options]) == 0
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in capsys.readouterr().out.splitlines()]
        assert [line[:5] for line in lines if line[0] in ("controls", "judge")] == [
            ["controls", "openai:a", "35", "70", "0"], ["judge", "openai:a", "2", "4", "0"],
            ["controls", "offline", "35", "0", "0"], ["judge", "offline", "2", "0", "0"],
        ]  # fmt: skip
        assert server.requests == []
        assert main(["run", *options, QUIET, "--out", "r"]) == 0
        assert len(server.requests) == 4
    # The offline judge has no noise to show, so it is asked once.
    assert [[draw["judge"] for draw in row["draws"]] for row in rows()] == [["openai:a", "openai:a", "offline"]] * 2
    assert {row["judge"] for row in rows()} == {"panel(openai:a, offline) x2"}


@pytest.mark.parametrize(("judge", "warned"), [("openai:gpt-4.1", True), ("panel:openai:gpt-4.1+offline", True),
                                               ("openai:qwen3-32b", False), ("offline", False)])  # fmt: skip
@pytest.mark.parametrize("command", ["run", "judge"])
def test_a_judge_of_the_readers_family_is_warned_of(
    command: str, judge: str, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with judge_server(lambda request, number: Scripted("At seven. [RESULT] 3")):
        options = ["--data", "small", "--lang", "en", "--limit", "1", "--out", "r"]
        options += ["--reader_model_id", "openai:gpt-4o-mini"]
        if command == "judge":
            assert main(["run", *options, "--no-judge"]) == 0
            assert "warning" not in capsys.readouterr().err
            options = ["r"]
        assert main([command, *options, "--judge", judge, QUIET]) == 0
    assert ("warning[judge-family]: judge 'gpt-4.1'" in capsys.readouterr().err) == warned


def test_a_wrong_judge_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    cases: list[tuple[list[str], str]] = [
        (["--repeats", "3"], "says the same each time"),
        (["--judge-temperature", "0.7"], "--judge-temperature: judge 'offline' asks no model"),
        (["--judge", "panel:offline"], "at least two judges"),
        (["--judge", "panel:offline+ofline"], "did you mean 'offline'"),
    ]
    for options, said in cases:
        write_run_folder(Path("r"), [5])
        before = Path("r/verdicts.jsonl").read_bytes()
        for command in (["judge", "r"], ["run", "--data", "small", "--limit", "1", "--out", "s"]):
            assert main([*command, *options]) == 2, options
            assert said in capsys.readouterr().err.splitlines()[-1], options
        assert Path("r/verdicts.jsonl").read_bytes() == before and not Path("s").exists(), options


def test_a_draw_that_was_lost_is_drawn_again_where_the_verdict_has_a_grade(capsys: pytest.CaptureFixture[str]) -> None:
    write_run_folder(Path("r"), [5, 5], reader="r")
    gone = True

    def reply(request: dict[str, Any], number: int) -> Scripted:
        lost = gone and request["model"] == "b" and "question q2" in request["messages"][1]["content"]
        return Scripted("lost", status=400) if lost else Scripted("[RESULT] 3")

    with judge_server(reply) as server:
        assert main(["judge", "r", "--judge", "panel:openai:a+openai:b", QUIET]) == 0
        assert [row["outcome"] for row in rows()] == ["scored", "scored"]
        assert "1 answers have a grade, but not from each draw; `ragaliq judge r --only" in capsys.readouterr().err
        gone, asked = False, len(server.requests)
        assert main(["judge", "r", "--only-unscored", QUIET]) == 0
        assert [request["model"] for request in server.requests[asked:]] == ["b"]
        assert main(["judge", "r", "--only-unscored", QUIET, "--no-cache"]) == 0
        assert len(server.requests) == asked + 1
    assert [[draw["grade"] for draw in row["draws"]] for row in rows()] == [[3, 3], [3, 3]]


def test_repeats_of_a_panel_have_lines_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    write_run_folder(Path("r"), [5, 5, 5], reader="r")

    def reply(request: dict[str, Any], number: int) -> Scripted:
        return Scripted("[RESULT] 3" if request["model"] == "a" else "[RESULT] 5")

    with judge_server(reply):
        assert main(["judge", "r", "--judge", "panel:openai:a+openai:b", "--repeats", "3", QUIET]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("draws: ")]
    assert [line.partition(",")[0] for line in said] == [
        "draws: all: members differ 1.00",
        "draws: en: variance of one draw's weight: queries and answers 0.000",
        "draws: repeats of openai:a: flip rate 0.00",
        "draws: repeats of openai:b: flip rate 0.00",
        "draws: openai:a and openai:b: QWK 0.00",
    ]


@pytest.mark.parametrize("command", [["judge", "r", "--judge", "offline"], ["judge", "r"]])
def test_judging_notes_languages_that_the_offline_judge_was_never_measured_in(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run_folder(Path("r"), [5])
    config = folder.config()
    assert main(command) == 0
    assert "never measured" not in capsys.readouterr().err
    config["expected"]["ar"] = {"answerable": 1, "unanswerable": 0}
    folder.config_file.write_text(json.dumps(config))
    main(command)
    assert "note: the offline judge was never measured in ar; " in capsys.readouterr().err


def test_a_run_notes_languages_that_the_offline_judge_was_never_measured_in(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    described = json.loads((small / "bench.json").read_text(encoding="utf-8"))
    described["languages"], described["hashes"] = ["ar"], {}
    for part in ("corpus", "queries", "qrels"):
        (english,) = (small / part).glob("en.*")
        Path("own", part).mkdir(parents=True)
        text = english.read_text(encoding="utf-8").replace('"lang": "en"', '"lang": "ar"')
        Path("own", part, english.name.replace("en", "ar")).write_text(text, encoding="utf-8")
    Path("own/bench.json").write_text(json.dumps(described), encoding="utf-8")
    options = ["run", "--data", "own", "--limit", "1", "--out", "s"]
    assert main([*options, "--no-judge"]) == 0
    assert "never measured" not in capsys.readouterr().err
    main(options)
    assert "note: the offline judge was never measured in ar; " in capsys.readouterr().err


def test_a_judge_at_another_address_is_asked_unless_it_has_moved(capsys: pytest.CaptureFixture[str]) -> None:
    write_run_folder(Path("r"), [5, 5], reader="r")
    command = ["judge", "r", "--judge", "openai:j", QUIET]
    with judge_server(lambda request, number: Scripted("[RESULT] 4")) as old:
        assert main(command) == 0 and len(old.requests) == 2
    with judge_server(lambda request, number: Scripted("[RESULT] 2")) as new:
        moved = ["--cache-from", f"{old.link}/".replace("http", "HTTP", 1)]
        assert main([*command, *moved]) == 0 and new.requests == []
        assert {row["grade"] for row in rows()} == {4}
        assert "judge: 0 calls, 2 from the cache" in capsys.readouterr().err
        # By now they are the new address's own.
        assert main(command) == 0 and new.requests == []
    with judge_server(lambda request, number: Scripted("[RESULT] 2")) as other:
        assert main(command) == 0 and len(other.requests) == 2
    assert {row["grade"] for row in rows()} == {2}
    assert {len(row["answer_hash"]) for row in rows()} == {12}
