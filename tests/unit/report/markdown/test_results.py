"""results.md: one table for each language, best first, nothing hidden."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fakes import answered, verdict, write_run_folder
from graded_runs import write_graded_run
from ragaliq.aggregate.run_figures import read_figures
from ragaliq.compare.agreement.certificate import cite, read_certificates
from ragaliq.compare.neighbours import runs_beside
from ragaliq.compare.results import compare_results
from ragaliq.errors import InputError
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.metrics.statistics.ranks.rank_sets import simultaneous
from ragaliq.report.format import between
from ragaliq.report.markdown.results import results_file, write_results
from ragaliq.report.terminal import headline, withheld_lines
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import ANSWERS, run_answer_to_row, verdict_to_row
from ragaliq.storage.files import read_json, write_json, write_jsonl


def write(
    path: Path, folders: Sequence[RunFolder], min_coverage: float = 0.95, others: Sequence[Path] = ()
) -> list[str]:
    """Write results.md, and return the lines on withheld headlines."""
    runs = [read_figures(folder) for folder in folders]
    results = compare_results(runs, min_coverage, path.parent / "certificates", others)
    write_results(path, results)
    return withheld_lines(results)


def written(tmp_path: Path, folders: Sequence[RunFolder], min_coverage: float = 0.95) -> str:
    write(tmp_path / "results.md", folders, min_coverage)
    return (tmp_path / "results.md").read_text(encoding="utf-8")


def table(path: Path, column: str = "model_name") -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if re.match(rf"\| \w+ +\| +{column} ", line))
    cells = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        cells.append([cell.strip() for cell in line.strip("|").split("|")])
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def test_a_row_by_hand(tmp_path: Path) -> None:
    result = write_run_folder(tmp_path / "run", [5, 4, 3, 0], reader="m")
    assert write(tmp_path / "results.md", [result]) == []
    (row,) = table(tmp_path / "results.md")
    interval, wider = row.pop("ci95"), row.pop("new_sample95")
    assert row == {
        "model_name": "fake:m",
        "embedder_name": "fake",
        "reranker_name": "fake",
        "lang": "en",
        # ((1 + .8 + .6 + .4) / 4)²
        "weighted_score": "0.490",
        "language_consistency_score": "—",
        "mean_grade": "4.00",
        "median_grade": "4",
        "percentage": "80.0",
        "percentage_with_zero": "60.0",
        **{"5": "1", "4": "1", "3": "1", "2": "0", "1": "0", "0": "1"},
        "generation_time": "2.00",
        "n": "4/4",
        "coverage": "1.000",
        "rank_ci": "—",
        "selection_frequency": "—",
        "judge": "offline",
        "mean_weight": "0.700",
        "run": "run",
    }
    low, high = map(float, interval.split("–"))
    assert 0 < low < 0.49 < high <= 1
    # √2 times as wide in the mean weight .7; printed to three digits.
    ends = [0.7 + 2**0.5 * (end**0.5 - 0.7) for end in (low, high)]
    assert list(map(float, wider.split("–"))) == pytest.approx([end**2 for end in ends], abs=0.002)


def test_best_first_and_a_headline_with_low_coverage_is_withheld(tmp_path: Path) -> None:
    folders = [
        write_run_folder(tmp_path / "a", [5, 4], reader="good"),
        write_run_folder(tmp_path / "b", [5, None], reader="lost"),
        write_run_folder(tmp_path / "c", [5, 5], reader="best"),
        write_run_folder(tmp_path / "d", [1, 1], reader="worst"),
    ]
    withheld = write(tmp_path / "results.md", folders)
    rows = table(tmp_path / "results.md")
    assert [(row["model_name"], row["weighted_score"]) for row in rows] == [
        ("fake:best", "1.000"), ("fake:good", "0.810"), ("fake:worst", "0.000"), ("fake:lost", "—"),
    ]  # fmt: skip
    assert (rows[3]["ci95"], rows[3]["n"], rows[3]["coverage"], rows[3]["mean_grade"]) == ("—", "1/2", "0.500", "5.00")
    assert withheld == [f"{tmp_path / 'b'}: en: coverage 0.5 (1 of 2) is below 0.95"]
    rows_of_b = [answered("q1", "It is green."), answered("q2", "It is blue.")]
    hashes = [ANSWERS.header(row).hash for row in (answered("q1", "It is blue."), rows_of_b[1])]
    write_jsonl(folders[1].answers_file, map(run_answer_to_row, rows_of_b))
    verdicts = [replace(verdict(f"q{n}", 5), answer_hash=of) for n, of in enumerate(hashes, start=1)]
    write_jsonl(folders[1].verdicts_file, map(verdict_to_row, verdicts))
    (line,) = write(tmp_path / "results.md", [folders[1]])
    again = f"`ragaliq judge {tmp_path / 'b'} --only-unscored` grades it again"
    assert line.endswith(f"is below 0.95; 1 verdict is about an earlier answer, {again}")
    assert write(tmp_path / "results.md", [folders[1]], 0.5) == []
    assert table(tmp_path / "results.md")[0]["weighted_score"] == "1.000"


def test_equal_scores_are_ordered_by_the_name_of_the_run(tmp_path: Path) -> None:
    results = [write_run_folder(tmp_path / name, [4, 4], reader=name) for name in ("z", "a", "m")]
    write(tmp_path / "results.md", results)
    assert [row["model_name"] for row in table(tmp_path / "results.md")] == ["fake:a", "fake:m", "fake:z"]


def test_different_judges_are_not_ranked_silently(tmp_path: Path) -> None:
    one = write_run_folder(tmp_path / "a", [5], judge="offline")
    two = write_run_folder(tmp_path / "b", [4], judge="openai:j")
    note = "These rows were graded by different judges (offline, openai:j): their order is not a ranking."
    write(tmp_path / "results.md", [one, two])
    assert note in (tmp_path / "results.md").read_text()
    write(tmp_path / "results.md", [one])
    assert "different judges" not in (tmp_path / "results.md").read_text()


def test_missing_grades_are_told_with_what_they_could_be(tmp_path: Path) -> None:
    folders = [
        write_run_folder(tmp_path / name, grades) for name, grades in (("whole", [5, 4, 1]), ("lost", [5, None, 1]))
    ]
    values = read_figures(folders[1]).summaries["en"].aggregates
    text = written(tmp_path, folders, min_coverage=0.5)
    line = f"lost: 1 of 3 grades are missing; `weighted_score` is within {between(values.weighted_score_bounds_ci)}"
    assert line in text and "whole: 0 of" not in text


def test_abstaining_has_its_own_table(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 4, 0])
    config = folder.config()
    config["expected"] = {"en": {"answerable": 3, "unanswerable": 3}}
    write_json(folder.config_file, config)
    said = [("q1", "Blue.", True), ("q2", "Red.", True), ("q3", "none", True),
            ("q4", "none", False), ("q5", "Green.", False), ("q6", "", False)]  # fmt: skip
    write_jsonl(folder.answers_file, [run_answer_to_row(answered(q, text, answerable=can)) for q, text, can in said])
    # Grades of unanswerable queries never enter the aggregates.
    grades = [verdict_to_row(verdict(f"q{n}", grade)) for n, grade in enumerate((5, 4, 0, 5, 1), start=1)]
    write_jsonl(folder.verdicts_file, grades)
    write(tmp_path / "results.md", [folder])
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "# Abstention" in text
    part = tmp_path / "part.md"
    part.write_text(text.split("# Abstention")[1], encoding="utf-8")
    (row,) = table(part, "lang")
    assert row["run"] == "run"
    assert {key: row[key] for key in list(row)[2:]} == {
        "unanswerable: abstained": "1",
        "unanswerable: answered": "1",
        "answerable: abstained": "1",
        "answerable: answered": "2",
        "failed": "1",
        "precision": "0.500 (0.095–0.905)",
        "recall": "0.500 (0.095–0.905)",
        "abstention F1": ".50",
    }
    (grades_row,) = table(tmp_path / "results.md")
    assert (grades_row["n"], grades_row["mean_grade"], grades_row["percentage_with_zero"]) == ("3/3", "4.50", "60.0")


def test_runs_on_other_data_are_named_and_not_ranked(tmp_path: Path) -> None:
    here = write_run_folder(tmp_path / "a", [5], reader="a")
    write_run_folder(tmp_path / "b", [4], reader="b")
    write_run_folder(tmp_path / "other", [4], data="another")
    ungraded = write_run_folder(tmp_path / "ungraded", [4])
    ungraded.metrics_file.unlink()
    (tmp_path / "notes").mkdir()
    (tmp_path / "file.txt").write_text("x")
    beside = runs_beside(read_figures(here))
    assert [run.name for run in beside.same] == ["a", "b"]
    assert (beside.others, beside.broken) == ((tmp_path / "other",), {})
    write(tmp_path / "results.md", [run.folder for run in beside.same], others=beside.others)
    assert "Not shown, because they answer other data or are broken (`ragaliq report RUN` tells): `other`" in (
        tmp_path / "results.md"
    ).read_text(encoding="utf-8")
    with pytest.raises(InputError, match="these runs answer different data"):
        write(tmp_path / "no.md", [here, RunFolder(tmp_path / "other")])
    assert not (tmp_path / "no.md").exists()


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    results = [write_run_folder(tmp_path / name, [5, 3, 0], reader=name) for name in ("a", "b")]
    write(tmp_path / "one.md", results)
    write(tmp_path / "two.md", results[::-1])
    assert (tmp_path / "one.md").read_bytes() == (tmp_path / "two.md").read_bytes()


def test_a_headline_in_one_line(tmp_path: Path) -> None:
    whole = read_figures(write_run_folder(tmp_path / "a", [5, 5])).summaries["en"]
    interval = whole.aggregates.weighted_score_ci
    assert interval is not None
    ends = f"{interval.low:.3f}–{interval.high:.3f}"
    assert headline(whole, 0.95) == (
        f"en  weighted_score 1.000 (mean weight 1.000, squared)  ci95 {ends}  mean grade 5.00 of 5 (2 above 0)"
        "  graded 2/2  judge offline"
    )
    half = read_figures(write_run_folder(tmp_path / "b", [5, None])).summaries["en"]
    assert headline(half, 0.95) == "en  weighted_score —  graded 1/2  judge offline"
    nothing = read_figures(write_run_folder(tmp_path / "c", [None])).summaries["en"]
    assert headline(nothing, 0.0) == "en  weighted_score —  graded 0/1  judge offline"


def test_results_that_cannot_be_written_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "results.md").mkdir()
    with pytest.raises(InputError, match=r"results\.md: cannot be written"):
        write(tmp_path / "results.md", [write_run_folder(tmp_path / "a", [5])])
    assert not list(tmp_path.glob(".*draft"))


@pytest.mark.parametrize("text", ["Notes on my thesis\n", "# Results on my thesis\n", "| a |\n"])
def test_results_of_another_hand_are_not_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.md").write_text(text)
    with pytest.raises(InputError, match=r"results\.md: would be replaced, but ragaliq did not write it; move it away"):
        results_file(tmp_path)


def test_our_own_results_and_a_blank_file_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "results.md"
    for text in ("", "\n"):
        path.write_text(text)
        assert results_file(tmp_path) == path
    write(path, [write_run_folder(tmp_path / "a", [5])])
    assert results_file(tmp_path) == path
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert results_file(tmp_path) == path


def test_another_rubric_makes_another_judge(tmp_path: Path) -> None:
    runs = [
        write_graded_run(tmp_path / name, {"en": [5, 4]}, prompt_hash=digest)
        for name, digest in (("a", "h1-and-more"), ("b", "h2"))
    ]
    text = written(tmp_path, runs)
    assert "graded by different judges (offline h1-and-m, offline h2): their order is not a ranking" in text
    assert [row["rank_ci"] for row in table(tmp_path / "results.md")] == ["—", "—"]


def test_two_judges_within_one_run_are_flagged(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "mixed", {"en": GOOD})
    other = write_graded_run(tmp_path / "else" / "x", {"en": GOOD}, judge="llm").verdicts()
    verdicts = folder.verdicts()
    rows = [(other if place < 3 else verdicts)[key] for place, key in enumerate(verdicts)]
    write_jsonl(folder.verdicts_file, map(verdict_to_row, rows))
    text = written(tmp_path, [folder, write_graded_run(tmp_path / "b", {"en": BAD})])
    assert "graded by different judges (llm, offline): their order is not a ranking" in text
    assert placed(tmp_path) == {"mixed": "—", "b": "—"}


def test_a_bar_in_a_name_does_not_break_the_table(tmp_path: Path) -> None:
    written(tmp_path, [write_graded_run(tmp_path / "a|b", {"en": GOOD})])
    assert r"| a\|b " in (tmp_path / "results.md").read_text(encoding="utf-8")


# Two systems that differ on every query, and one between them that is not told from either.
GOOD, BAD = [5] * 12, [1] * 11 + [5]
BETWEEN = [5] * 9 + [4] * 3


def placed(tmp_path: Path) -> dict[str, str]:
    return {row["run"]: row["rank_ci"] for row in table(tmp_path / "results.md")}


def test_ranks_that_the_data_cannot_tell_apart(tmp_path: Path) -> None:
    grades = {"good": GOOD, "between": BETWEEN, "bad": BAD}
    text = written(tmp_path, [write_graded_run(tmp_path / name, {"en": own}) for name, own in grades.items()])
    assert placed(tmp_path) == {"good": "1–2", "between": "1–2", "bad": "3"}
    assert "Ranks over the 12 of 12 queries that all 3 have graded." in text
    assert "between is better than bad; good is better than bad." in text
    # The test of one pair is finer than that of a whole table.
    assert re.search(r"Detectable difference between two compared alone: 0\.\d{3} in mean weight\.", text)
    two = written(tmp_path, [RunFolder(tmp_path / name) for name in ("good", "bad")])
    assert re.search(r"Detectable difference: 0\.\d{3} in mean weight\. good is better than bad\.", two)
    tied = written(tmp_path, [RunFolder(tmp_path / name) for name in ("good", "between")])
    assert "Detectable difference" not in tied
    unknown = "Too few queries on which they differ to tell what they could show: 3 of 12."
    assert f"{unknown} The two cannot be told apart." in tied


def test_the_median_pair_says_whether_enough_queries_differ(tmp_path: Path) -> None:
    grades = {"bad": BAD, "good": GOOD, "like": [4, *GOOD[1:]], "same": GOOD}
    folders = [write_graded_run(tmp_path / name, {"en": own}) for name, own in grades.items()]
    # On 11, 12, 11, 1, 0 and 1 of the queries.
    text = written(tmp_path, folders)
    assert "could show: 1 of 12 (the median pair)." in text and "Detectable difference" not in text
    assert "Detectable difference" in written(tmp_path, folders[:3])


def test_a_short_run_beside_leaves_the_others_their_ranks(tmp_path: Path) -> None:
    grades = {"good": GOOD, "between": BETWEEN, "bad": BAD, "short": GOOD[:10]}
    folders = [write_graded_run(tmp_path / name, {"zh": own}) for name, own in grades.items()]
    text = written(tmp_path, folders)
    assert placed(tmp_path) == {"good": "1–2", "between": "1–2", "bad": "3", "short": "—"}
    assert "Within the 3 runs graded by offline on 12 queries: Ranks over the 12 of 12 queries" in text
    assert "These rows answer different numbers of queries (see `n`): their order is not a ranking." in text


def test_runs_of_each_judge_are_ranked_by_themselves(tmp_path: Path) -> None:
    folders = [write_graded_run(tmp_path / name, {"zh": own}) for name, own in (("good", GOOD), ("bad", BAD))]
    folders += [
        write_graded_run(tmp_path / f"{name}2", {"zh": own}, prompt_hash="other")
        for name, own in (("good", BAD), ("bad", GOOD), ("between", BETWEEN))
    ]
    one = write_graded_run(tmp_path / "alone", {"zh": GOOD}, judge="llm")
    text = written(tmp_path, [*folders, one])
    assert placed(tmp_path) == {
        "good": "1", "bad": "2", "good2": "3", "bad2": "1–2", "between2": "1–2", "alone": "—",
    }  # fmt: skip
    first, second = (text.index(f"Within the {n} runs graded by offline {name} on 12") for n, name in
                     ((3, "other"), (2, "hash")))  # fmt: skip
    assert first < second and "Within the 1" not in text
    assert "graded by different judges (llm, offline hash, offline other): their order is not a ranking" in text


def test_a_run_without_grades_makes_no_groups(tmp_path: Path) -> None:
    grades: dict[str, list[int | None]] = {"good": [*GOOD], "bad": [*BAD], "none": [None] * 12}
    text = written(tmp_path, [write_graded_run(tmp_path / name, {"en": own}) for name, own in grades.items()])
    assert placed(tmp_path) == {"good": "1", "bad": "2", "none": "—"}
    assert "Within the" not in text


def test_runs_over_documents_in_another_language_are_told(tmp_path: Path) -> None:
    folders = [write_graded_run(tmp_path / name, {"hi": own}) for name, own in (("own", GOOD), ("mixed", BETWEEN))]
    told = "Runs over documents in other languages (`kb_lang`) are systems of their own in this table."
    assert told not in written(tmp_path, folders)
    config = folders[1].config()
    config["system"]["kb_lang"] = "all"
    write_json(folders[1].config_file, config)
    text = written(tmp_path, folders)
    assert told in text
    # Made from items in memory, the data have no folder.
    assert "No recall: the data set has no gold of this version at hand." in text


def test_the_ranks_are_those_of_the_test(tmp_path: Path) -> None:
    grades = {
        "a": [5, 4, 3, 0, 2, 5, 5, 4, 1, 5],
        "b": [4, 4, 3, 1, 2, 5, 3, 4, 1, 3],
        "c": [1, 0, 1, 1, 2, 3, 0, 1, 1, 2],
    }
    written(tmp_path, [write_graded_run(tmp_path / name, {"ru": own}) for name, own in grades.items()])
    weights = np.array([[WEIGHTS[grade] for grade in own] for own in grades.values()]).T
    ranks = [(found.low, found.high) for found in simultaneous(weights).ranks]
    shown = [str(low) if low == high else f"{low}–{high}" for low, high in ranks]
    assert placed(tmp_path) == dict(zip(grades, shown, strict=True))


def test_runs_with_the_same_grades_share_all_ranks(tmp_path: Path) -> None:
    text = written(tmp_path, [write_graded_run(tmp_path / name, {"zh": [5, 3, 0, 1]}) for name in "abc"])
    assert set(placed(tmp_path).values()) == {"1–3"}
    assert "No two of the 3 can be told apart." in text
    assert "Detectable difference" not in text


def test_many_pairs_are_counted_not_named(tmp_path: Path) -> None:
    runs = [write_graded_run(tmp_path / f"g{place}", {"en": GOOD}) for place in range(4)]
    runs += [write_graded_run(tmp_path / f"b{place}", {"en": BAD}) for place in range(4)]
    assert "16 of 28 pairs can be told apart." in written(tmp_path, runs)
    assert placed(tmp_path) == {f"{kind}{n}": at for kind, at in (("g", "1–4"), ("b", "5–8")) for n in range(4)}


def test_one_run_has_no_rank(tmp_path: Path) -> None:
    text = written(tmp_path, [write_graded_run(tmp_path / "a", {"en": GOOD})])
    assert placed(tmp_path) == {"a": "—"}
    assert "Ranks over" not in text


def test_a_withheld_run_is_not_ranked_and_the_others_are(tmp_path: Path) -> None:
    lost = [None] * 6 + [5] * 6
    folders = [
        write_graded_run(tmp_path / name, {"en": own}) for name, own in (("good", GOOD), ("bad", BAD), ("lost", lost))
    ]
    text = written(tmp_path, folders)
    assert placed(tmp_path) == {"good": "1", "bad": "2", "lost": "—"}
    assert "Ranks over the 12 of 12 queries that all 2 have graded." in text
    # With a lower demand the headline is shown, but half of the queries is no common ground.
    assert "Not ranked: too few of the 12 queries have a value in lost." in written(tmp_path, folders, 0.5)
    assert set(placed(tmp_path).values()) == {"—"}


def test_unequal_numbers_of_queries_are_not_ranked(tmp_path: Path) -> None:
    folders = [write_graded_run(tmp_path / name, {"en": own}) for name, own in (("all", GOOD), ("some", BAD[:10]))]
    text = written(tmp_path, folders)
    assert placed(tmp_path) == {"all": "—", "some": "—"}
    assert "These rows answer different numbers of queries (see `n`): their order is not a ranking." in text
    assert "Ranks over" not in text


def test_judges_are_cited_or_said_to_have_no_certificate(tmp_path: Path) -> None:
    text = written(tmp_path, [write_graded_run(tmp_path / "a", {"en": GOOD}, judge="x", prompt_hash="1a2b3c4d5e")])
    assert "- Judge `x` 1a2b3c4d: no certificate; `ragaliq agree --certificate` makes one." in text
    summary = {
        "labels": "verdicts of other models", "n": 842, "qwk": 0.84, "qwk_ci": [0.8, 0.88], "qwk_attempted": 0.75,
        "weight_kappa": None, "note": "in-domain",
    }  # fmt: skip
    says = {"certificate": summary}
    folder = write_graded_run(tmp_path / "a", {"en": GOOD}, judge="x", prompt_hash="1a2b", config=says)
    text = written(tmp_path, [folder])
    assert (
        "- Judge `x` 1a2b: QWK .84 [.80, .88], attempted .75 against 842 verdicts of other models (in-domain)."
    ) in text
    # A judge of one's own may say less.
    folder = write_graded_run(
        tmp_path / "a", {"en": GOOD}, judge="x", prompt_hash="1a2b", config={"certificate": {"labels": "my own"}}
    )
    assert "- Judge `x` 1a2b: against my own." in written(tmp_path, [folder])


def test_a_certificate_beside_the_results_is_cited(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "a", {"en": GOOD}, judge="x", prompt_hash="1a2b")
    (tmp_path / "certificates").mkdir()
    broken = tmp_path / "certificates" / "certificate.json"
    broken.write_text("{}")
    assert f"- Judge `x` 1a2b: {broken}" in written(tmp_path, [folder])
    agreement = {"qwk": 0.5, "qwk_attempted": 0.4, "ci": {"qwk": [0.4, 0.6]}, "n": 60}
    write_json(
        broken,
        {
            "format": "ragaliq-certificate-1", "judge": "x", "prompt_hash": "1a2b",
            "labels": {"source": "people", "n": 60, "raters": 2}, "agreement": agreement, "ppi": None, "note": "",
        },
    )  # fmt: skip
    cited = cite(read_certificates(tmp_path / "certificates"), "x", "1a2b")
    assert cited and f"- Judge `x` 1a2b: {cited}." in written(tmp_path, [folder])


def test_the_languages_of_a_run_are_compared(tmp_path: Path) -> None:
    grades = {"en": GOOD, "zh": BAD, "ru": [1] + [5] * 11}
    text = written(tmp_path, [write_graded_run(tmp_path / "run", grades)])
    assert "### Languages of run" in text
    part = tmp_path / "part.md"
    part.write_text(text.split("### Languages of run")[1], encoding="utf-8")
    rows = {row["lang"]: row for row in table(part, "mean_weight")}
    assert [rows[lang]["mean_weight"] for lang in grades] == ["1.000", "0.083", "0.917"]
    assert [rows[lang]["difference"].split(" ")[0] for lang in grades] == ["—", "-0.917", "-0.083"]
    assert (rows["zh"]["rank_ci"], rows["zh"]["fails only here"], rows["ru"]["fails only here"]) == ("3", "10", "0")
    assert "zh (10): q02, q03, q04, q05, q06, q07, q08, q09, q10, q11" in text
    # Section headings of languages stay what they were.
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## en", "## zh", "## ru"]
    assert "Languages of" not in written(tmp_path, [write_graded_run(tmp_path / "one", {"en": GOOD})])


def test_results_point_to_what_to_know_of_the_models_that_built_the_data(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "a", [5], reader="a")
    assert "warning[" not in written(tmp_path, [folder])
    config = read_json(folder.config_file)
    config["data"]["built_by"] = ["gpt-4o", "scripted"]
    config["system"]["reader"] = {"kind": "openai", "model": "gpt-5"}
    write_json(folder.config_file, config)
    head, _, notes = written(tmp_path, [folder]).partition("\n# Notes\n")
    assert "read the [notes](#notes) with their warnings." in head.split("\n\n")[1]
    assert "\n- warning[scripted]: the benchmark was built by rules" in notes
    assert "\n- warning[builder-family]: the benchmark was built with 'gpt-4o', and reader 'gpt-5'" in notes


def marked(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#")]


def test_hostile_names_add_no_row_and_no_tag(tmp_path: Path) -> None:
    name = "x\n| 1 | 2 |\n# <script>alert(1)</script> `a` | [t](javascript:x)"
    folders = [write_run_folder(tmp_path / f"r{number}\n|<b>`", [5, 4, 3, 0], reader=name) for number in (1, 2)]
    for folder in folders:
        manifest = folder.config()
        manifest["data"] |= {"name": name, "version": name, "knowledge_base": name}
        write_json(folder.config_file, manifest)
    write(tmp_path / "results.md", folders, others=[tmp_path / name.replace("/", "-")])
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    # The other run's name is one code span, which ends where the line does.
    before, _, others = text.partition("\n- Not shown")
    others, _, legend = others.partition("\n")
    # Our own links lead to headings.
    shown = re.sub(r"\[[\w ,]+\]\(#[a-z-]+\)", "", before + legend)
    assert "<script" not in shown and "<b>" not in shown and "](" not in shown
    assert others.count("`") == 4 and others.endswith("`")
    assert "# <script>alert(1)<-script> 'a' | [t](javascript:x)" in others
    headings = ["# Results", "## en", "# Systems", "# Time", "# Notes", "# Legend"]
    assert [line[: len(own)] for line, own in zip(marked(text), headings, strict=True)] == headings
    lines = [line for line in text.splitlines() if "| fake:x" in line]
    # In the table of the language, then in that of the systems.
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in lines] == [27, 27, 8, 8]


def test_a_public_data_set_says_that_it_may_be_contaminated(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "a", {"en": [5, 4, 0]})
    assert "Contamination" not in written(tmp_path, [folder])
    config = read_json(folder.config_file)
    write_json(folder.config_file, {**config, "data": {**config["data"], "name": "scifact"}})
    text = written(tmp_path, [folder])
    assert "# Notes\n\n- Contamination: scifact: questions and judgements of 20" in text
    assert "a high value may come from tuning on it" in text
