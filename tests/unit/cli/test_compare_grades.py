"""`ragaliq compare` on graded systems."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from graded_runs import write_graded_run
from ragaliq.cli import main
from ragaliq.metrics.statistics.differences import difference_interval
from ragaliq.metrics.statistics.equivalence import equivalence
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.power import detectable_difference, queries_needed
from ragaliq.metrics.statistics.ranks.rank_sets import simultaneous
from ragaliq.metrics.statistics.significance import paired_t, sign_flip
from ragaliq.storage.files import write_json, write_jsonl

WEIGHTS = {5: 1.0, 4: 0.8, 3: 0.6, 0: 0.4, 2: 0.2, 1: 0.0}
A = [5, 5, 4, 3, 5, 2, 5, 5, 4, 5, 0, 5]
B = [5, 3, 4, 1, 3, 2, 0, 5, 3, 4, 0, 3]
C = [5, 5, 4, 3, 5, 2, 5, 4, 4, 5, 0, 5]
Compare = Callable[..., str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three English runs of twelve queries: B mostly worse than A, C worse on one query."""
    monkeypatch.chdir(tmp_path)
    for name, grades in (("A", A), ("B", B), ("C", C)):
        write_graded_run(tmp_path / name, {"en": grades})
    return tmp_path


@pytest.fixture
def compare(here: Path, capsys: pytest.CaptureFixture[str]) -> Compare:
    def called(*options: str, code: int = 0) -> str:
        found = main(["compare", *options])
        told = capsys.readouterr()
        assert found == code, told.err
        return told.out if code != 2 else told.err

    return called


def read(compare: Compare, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(compare(*options, "--format", "json"))
    return found


def weights(grades: Sequence[int]) -> list[float]:
    return [WEIGHTS[grade] for grade in grades]


def cells(text: str, number: int) -> list[dict[str, str]]:
    """Return the rows of the table with this number in what `--full` prints, below the short table."""
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    header, _, *lines = ([cell.strip() for cell in line.strip("|").split("|")] for line in blocks[number + 1])
    return [dict(zip(header, line, strict=True)) for line in lines]


def test_every_figure_is_that_of_its_function(compare: Compare) -> None:
    found = read(compare, "A", "B", "C", "--margin", ".03")
    a, b, c = weights(A), weights(B), weights(C)
    (section,) = found["sections"]
    assert (section["lang"], section["n"], section["n_queries"], section["n_asked"]) == ("en", 12, 12, 12)
    together = simultaneous(np.array([a, b, c]).T)
    assert [own["system"] for own in section["systems"]] == ["A", "B", "C"]
    assert [own["mean"] for own in section["systems"]] == pytest.approx([np.mean(own) for own in (a, b, c)])
    assert [own["rank_ci"] for own in section["systems"]] == [[own.low, own.high] for own in together.ranks]
    for row, other, pair in zip(section["comparisons"], (b, c), together.pairs[:2], strict=True):
        deltas = np.array(other) - a
        flip, student = sign_flip(a, other), stats.ttest_rel(other, a).pvalue
        assert flip is not None
        assert row["difference"] == pytest.approx(deltas.mean())
        assert row["ci"] == pytest.approx(difference_interval(deltas))
        assert (row["p_permutation"], row["p_t"]) == (flip, pytest.approx(student))
        assert (row["p_max_t"], row["ci_max_t"]) == (pair.p_max_t, pair.interval and list(pair.interval))
        assert (row["wins"], row["ties"], row["losses"]) == (
            (deltas > 0).sum(), (deltas == 0).sum(), (deltas < 0).sum(),
        )  # fmt: skip
        assert row["queries_untied"] == (deltas != 0).sum() < 10
        assert (row["detectable_difference"], row["queries_needed"]) == (None, None)
        equal = equivalence(a, other, 0.03)
        assert equal is not None
        assert row["equivalence"]["p"] == pytest.approx(equal.p)
        assert row["equivalence"]["equivalent"] == equal.equivalent
    ps = [row["p_permutation"] for row in section["comparisons"]]
    assert [row["holm_permutation"] for row in section["comparisons"]] == holm(ps)
    assert [row["outcome"] for row in section["comparisons"]] == ["worse", "undecided"]
    assert found["worse"] == [{"system": "B", "lang": "en"}]
    assert len(section["pairs"]) == 3


def test_the_verdict_comes_first_and_the_figures_of_one_run_stand_together(compare: Compare, here: Path) -> None:
    sentence, table, scale, *flipped = compare("A", "B").rstrip("\n").split("\n\n")
    row = read(compare, "A", "B")["sections"][0]["comparisons"][0]
    low, high = row["ci"]
    assert sentence == (
        f"B is worse than A: {row['difference']:+.3f} in mean weight (95 % interval {low:+.3f} … {high:+.3f}, "
        f"p {row['holm_permutation']:.4f}), on 12 queries."
    )
    assert table.splitlines()[0].replace(" ", "") == (
        "|lang|system|meanweight|weightedscore|meangrade(n)|n|difference(ci95)|detectable|outcome|"
    )
    mean, above = np.mean(weights(A)), [grade for grade in A if grade]
    cells = [cell.strip() for cell in table.splitlines()[2].strip("|").split("|")]
    assert cells[2:6] == [f"{mean:.3f}", f"{mean**2:.3f}", f"{np.mean(above):.2f} ({len(above)})", "12/12"]
    assert "its square is weighted_score" in scale and "--full" in scale
    assert flipped[:2] == [
        "Queries that flipped, greatest change first:", "<details><summary>B (en): 5 from good to bad</summary>"
    ]  # fmt: skip
    assert compare("A", "C").startswith("C and A cannot be told apart: -0.017 in mean weight (")
    assert compare("B", "A", "C").startswith("A is better than B: ")


def test_the_verdict_is_over_all_languages_together_where_queries_have_ids(compare: Compare, here: Path) -> None:
    for name, grades in (("D", A), ("E", B)):
        write_graded_run(here / name, {"en": grades, "ru": grades})
    text = compare("D", "E", "--margin", ".9")
    assert text.startswith("E is worse than D: -0.233 in mean weight (") and ", on 12 queries in 2 languages.\n" in text
    together = [cell.strip() for cell in text.splitlines()[8].strip("|").split("|")]
    assert (together[0], together[1], together[3], together[5]) == ("all", "D", "0.667", "24/24")
    for name, grades in (("x", A), ("y", C)):
        rows = [{"question": f"{lang} {number}", "lang": lang, "grade": grade}
                for lang in ("en", "zh") for number, grade in enumerate(grades)]  # fmt: skip
        write_jsonl(here / f"{name}.jsonl", rows)
    text = compare("x.jsonl", "y.jsonl", "--margin", ".5")
    assert text.startswith("en: y and x cannot be told apart and are equal within ±0.5: -0.017 in mean weight (")
    assert "), on 12 queries; zh: y and x cannot be told apart" in text


def test_the_tables_say_the_same(compare: Compare) -> None:
    text = compare("--full", "A", "B", "C", "--margin", "0.03")
    versus, standings = cells(text, 0), cells(text, 1)
    assert list(versus[0]) == [
        "system", "mean", "difference", "ci95", "p", "p (t)", "Holm", "p (max-t)", "equal within ±0.03",
        "win/tie/loss", "outcome",
    ]  # fmt: skip
    assert [(row["system"], row["difference"], row["outcome"]) for row in versus] == [
        ("A", "—", "baseline"), ("B", f"{np.mean(weights(B)) - np.mean(weights(A)):+.3f}", "worse"),
        ("C", f"{-0.2 / 12:+.3f}", "undecided"),
    ]  # fmt: skip
    assert versus[2]["win/tie/loss"] == "0/11/1"
    assert [(row["system"], row["n"], row["coverage"]) for row in standings] == [
        ("A", "12/12", "1"), ("C", "12/12", "1"), ("B", "12/12", "1"),
    ]  # fmt: skip
    assert "- n = 12 (of 12) queries: those for which all systems have a value." in text
    assert "undecided is not equal. rank_ci allows for every pair" in text
    assert "it may hold 0 where p is below .05" in text
    alone = compare("--full", "A", "B")
    assert "Holm" not in alone and "equal within" not in alone


def test_what_queries_can_show_is_told_from_ten_that_differ(compare: Compare, here: Path) -> None:
    # Nine and ten queries of 46 on which the second is now better, now worse.
    for name, untied in (("nine", 9), ("ten", 10)):
        write_graded_run(here / name, {"zh": [4 if n % 3 else 2 for n in range(untied)] + [3] * (46 - untied)})
    write_graded_run(here / "threes", {"zh": [3] * 46})
    found = read(compare, "threes", "nine", "ten")["sections"][0]["comparisons"]
    assert [row["queries_untied"] for row in found] == [9, 10]
    assert (found[0]["detectable_difference"], found[0]["queries_needed"]) == (None, None)
    deltas = np.array([0.2 if n % 3 else -0.4 for n in range(10)] + [0.0] * 36)
    spread = float(deltas.std(ddof=1))
    assert found[1]["detectable_difference"] == pytest.approx(detectable_difference(spread, 46))
    assert found[1]["queries_needed"] == queries_needed(spread, float(deltas.mean()))
    text = compare("--full", "threes", "nine", "ten")
    assert "- nine: too few queries on which they differ to tell what they could show: 9 of 46." in text
    assert "nine: a difference" not in text and "- ten: a difference of " in text
    assert "80 % chance: of p (t) < 0.05 for this difference alone" in text
    alone = compare("--full", "threes", "nine")
    assert "80 % chance" not in alone


def test_languages_of_a_query_count_once_among_those_that_differ(compare: Compare, here: Path) -> None:
    changed = [4] * 5 + [3] * 7
    write_graded_run(here / "D", {lang: [3] * 12 for lang in ("en", "ru", "zh")})
    write_graded_run(here / "E", dict.fromkeys(("en", "ru", "zh"), changed))
    together = read(compare, "D", "E")["sections"][-1]
    assert (together["lang"], together["comparisons"][0]["queries_untied"]) == ("all", 5)
    assert together["comparisons"][0]["detectable_difference"] is None
    text = compare("--full", "D", "E")
    assert "- n = 36 answers (of 36) to 12 different queries: those for which all systems have a value." in text
    assert "what they could show: 5 of 12." in text


def test_where_ranks_and_outcome_part_a_line_says_why(compare: Compare, here: Path) -> None:
    # Six of six one way: mid-p 1/64, which is under .05 alone and not five times.
    worse = [4] * 6 + [5] * 20
    langs = ("de", "en", "fr", "ru", "zh")
    write_graded_run(here / "D", {lang: [5] * 26 for lang in langs})
    write_graded_run(here / "E", dict.fromkeys(langs, worse))
    section = read(compare, "D", "E")["sections"][1]
    row = section["comparisons"][0]
    assert row["p_max_t"] < 0.05 <= row["holm_permutation"] and row["outcome"] == "undecided"
    assert [own["rank_ci"] for own in section["systems"]] == [[1, 1], [2, 2]]
    text = compare("--full", "D", "E").split("## en")[1].split("## fr")[0]
    assert (
        f"- E: rank_ci tells it from the baseline and the outcome does not: p (max-t) {row['p_max_t']:.4f} steps down "
        f"over all pairs, Holm's p {row['holm_permutation']:.4f} is for 5 comparisons with the baseline in 5 languages."
    ) in text
    assert "the outcome does not" not in compare("--full", "D", "E", "--lang", "en")


def test_both_corrections_are_described(compare: Compare) -> None:
    found = read(compare, "A", "B", "C")["correction"]
    assert found["comparisons"].startswith("holm_permutation: Holm, over the systems, and the languages")
    assert "all pairs of systems of all languages together; `all` for itself" in found["pairs"]
    assert "holm_permutation: Holm over the pairs of the section" in found["pairs"]


def test_a_run_against_a_copy_of_itself_does_not_differ(compare: Compare, here: Path) -> None:
    write_graded_run(here / "copy", {"en": A})
    found = read(compare, "A", "copy", "--fail-if-worse", "--margin", ".03")
    (row,) = found["sections"][0]["comparisons"]
    assert (row["difference"], row["p_permutation"], row["p_t"], row["p_max_t"]) == (0, 1, 1, 1)
    # Twelve ties: a query that differs by 1 is seen with a chance of 97.5 % where more than this share differs.
    assert row["ci"] == pytest.approx([0.025 ** (1 / 12) - 1, 1 - 0.025 ** (1 / 12)])
    assert (row["detectable_difference"], row["queries_needed"], row["outcome"]) == (None, None, "undecided")
    # Twelve queries say little about the rest, even if all of them agree.
    assert not row["equivalence"]["equivalent"]
    assert [own["rank_ci"] for own in found["sections"][0]["systems"]] == [[1, 2], [1, 2]]


def test_where_all_queries_differ_by_the_same_little_is_known(compare: Compare, here: Path) -> None:
    write_graded_run(here / "fives", {"en": [5] * 2})
    write_graded_run(here / "fours", {"en": [4] * 2})
    row = read(compare, "fives", "fours")["sections"][0]["comparisons"][0]
    assert (row["difference"], row["p_permutation"]) == (pytest.approx(-0.2), 0.25)
    # Two queries that agree are no proof: √.025 = .158 of their weight is certain.
    assert row["ci"] == pytest.approx([-1 + 0.8 * 0.025**0.5, 1 - 1.2 * 0.025**0.5])
    assert (row["p_t"], row["detectable_difference"], row["queries_needed"]) == (None,) * 3
    assert "is seen with 80 % chance" not in compare("--full", "fives", "fours")


def test_equal_only_by_the_test(compare: Compare, here: Path) -> None:
    grades = [5] * 130
    write_graded_run(here / "long", {"en": grades})
    write_graded_run(here / "like", {"en": [4, *grades[1:]]})
    yes = cells(compare("--full", "long", "like", "--margin", ".03"), 0)[1]
    assert yes["equal within ±0.03"].startswith("yes (p ")
    assert yes["outcome"] == "undecided"
    # Twelve queries tie but for one, and still do not show it.
    assert cells(compare("--full", "A", "C", "--margin", ".03"), 0)[1]["equal within ±0.03"].startswith("not shown")


def test_languages_of_a_query_are_one_cluster(compare: Compare, here: Path) -> None:
    write_graded_run(here / "D", {"en": A, "ru": A, "zh": [5, *A[1:]]})
    write_graded_run(here / "E", {"en": B, "ru": B, "de": B, "zh": B})
    found = read(compare, "D", "E")
    assert [(own["lang"], own["n"], own["n_queries"]) for own in found["sections"]] == [
        ("en", 12, 12), ("ru", 12, 12), ("zh", 12, 12), ("all", 36, 12),
    ]  # fmt: skip
    assert found["languages_left_out"] == ["de"]
    told = "Left out, because not all systems have a value for the same two queries there: de."
    assert told in compare("D", "E") and told in compare("--full", "D", "E")
    together = found["sections"][-1]["comparisons"][0]
    first, second, clusters = weights(A) * 3, weights(B) * 3, [str(number) for number in range(12)] * 3
    flip, student = sign_flip(first, second, clusters=clusters), paired_t(first, second, clusters=clusters)
    assert flip is not None and student is not None
    assert (together["p_permutation"], together["p_t"]) == (flip, pytest.approx(student))
    # The same answers three times show no more than once: three times the queries would.
    alone = sign_flip(weights(A), weights(B))
    assert alone is not None
    assert together["p_permutation"] == alone
    languages = [own["comparisons"][0] for own in found["sections"][:-1]]
    assert [row["holm_permutation"] for row in languages] == holm([row["p_permutation"] for row in languages])
    assert "all: the languages of a query change sign together" in compare("--full", "D", "E")
    assert [own["lang"] for own in read(compare, "D", "E", "--lang", "ru")["sections"]] == ["ru"]


def test_a_language_that_is_left_out_is_told_where_a_gate_is_read(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_graded_run(here / "F", {"en": A, "hi": A})
    write_graded_run(here / "G", {"en": A, "hi": [None] * 12})
    assert main(["compare", "F", "G"]) == 0
    told = "warning: hi: left out, not all systems have a value for the same two queries\n"
    assert capsys.readouterr().err.endswith(told)
    # What cannot be checked does not hold.
    assert main(["compare", "F", "G", "--fail-if-worse"]) == 1
    assert capsys.readouterr().err.endswith(
        told + "hi: not checked, so --fail-if-worse does not hold; grade what is missing, or give --lang for one "
        "language\n"
    )
    assert main(["compare", "F", "G", "--fail-if-worse", "--lang", "en"]) == 0


def test_only_queries_that_all_have_are_compared(compare: Compare, here: Path) -> None:
    write_graded_run(here / "part", {"en": [None, *B[1:]]})
    found = read(compare, "A", "part")["sections"][0]
    assert (found["n"], found["n_asked"]) == (11, 12)
    assert found["systems"][0]["mean"] == pytest.approx(np.mean(weights(A[1:])))
    assert [(own["n_valued"], own["coverage"]) for own in found["systems"]] == [(12, 1), (11, 11 / 12)]
    # A twentieth of the queries may be missing, not more.
    assert [own["rank_ci"] for own in found["systems"]] == [None, None]


def test_unequal_numbers_of_queries_are_flagged_and_not_ranked(compare: Compare, here: Path) -> None:
    write_graded_run(here / "short", {"en": B[:10]})
    found = read(compare, "A", "short")
    assert found["warnings"] == ["en: they answer different numbers of queries (10, 12)"]
    assert [own["rank_ci"] for own in found["sections"][0]["systems"]] == [None, None]
    assert "- **en: they answer different numbers of queries (10, 12)**" in compare("--full", "A", "short")


def test_different_judges_or_data_are_refused_unless_mixed(compare: Compare, here: Path) -> None:
    write_graded_run(here / "other", {"en": B}, judge="llm")
    write_graded_run(here / "rubric", {"en": B}, prompt_hash="another hash")
    write_graded_run(here / "elsewhere", {"en": B}, data="other data")
    told = compare("A", "other", code=2)
    assert told == (
        "ragaliq: graded by different judges (A: offline, other: llm); grade again with "
        "`ragaliq judge RUN --judge KIND:MODEL`; --mixed takes them all the same\n"
    )
    assert "(A: offline hash, rubric: offline another )" in compare("A", "rubric", code=2)
    assert "the systems answer different data (A: data, elsewhere: other data)" in compare("A", "elsewhere", code=2)
    mixed = read(compare, "A", "other", "--mixed")
    assert mixed["warnings"] == ["en: graded by different judges (A: offline, other: llm)"]
    assert [own["rank_ci"] for own in mixed["sections"][0]["systems"]] == [None, None]
    assert cells(compare("--full", "A", "elsewhere", "--mixed"), 1)[0]["rank_ci"] == "—"


def test_fail_if_worse_is_a_gate(compare: Compare, capsys: pytest.CaptureFixture[str]) -> None:
    compare("A", "B", code=0)
    compare("A", "B", "--fail-if-worse", code=1)
    compare("A", "C", "--fail-if-worse")
    compare("B", "A", "C", "--fail-if-worse")
    assert main(["compare", "A", "B", "--fail-if-worse"]) == 1
    assert capsys.readouterr().err == "B: worse than the baseline on mean_weight (en)\n"


def test_less_is_better_for_some_metrics(compare: Compare, here: Path) -> None:
    write_graded_run(here / "full", {"de": [5] * 10})
    write_graded_run(here / "empty", {"de": [0] * 9 + [5]})
    found = read(compare, "full", "empty", "--metric", "zeros")
    (section,) = found["sections"]
    (row,) = section["comparisons"]
    assert (row["difference"], row["outcome"], row["wins"], row["losses"]) == (pytest.approx(0.9), "worse", 0, 9)
    assert row["ci_max_t"][0] < 0.9 <= row["ci_max_t"][1]
    assert section["pairs"][0]["difference"] == pytest.approx(0.9)
    assert [own["rank_ci"] for own in section["systems"]] == [[1, 1], [2, 2]]
    text = compare("--full", "empty", "full", "--metric", "zeros")
    assert [line["system"] for line in cells(text, 1)] == ["full", "empty"]
    assert cells(text, 0)[1]["outcome"] == "better"
    assert text.startswith("full is better than empty: -0.900 in the share of zeros (95 % interval ")
    assert read(compare, "empty", "full", "--metric", "grade")["sections"][0]["comparisons"][0][
        "difference"
    ] == pytest.approx(5 - 0.5)


def test_reference_logs_are_joined_by_question(compare: Compare, here: Path) -> None:
    for name, grades in (("a_e_r", A), ("b_e_r", B)):
        rows = [{"question": f"问题{number} \n", "score": grade} for number, grade in enumerate(grades)]
        write_json(here / "eval" / f"eval_res_questions_zh_{name}_zh.json", rows if name == "a_e_r" else rows[::-1])
    paths = sorted(map(str, (here / "eval").glob("*.json")))
    found = read(compare, *paths)
    assert [own["system"] for own in found["sections"][0]["systems"]] == ["a_e_r", "b_e_r"]
    assert found["sections"][0]["comparisons"][0]["difference"] == pytest.approx(
        np.mean(weights(B)) - np.mean(weights(A))
    )


def test_rows_of_one_question_are_one_query(compare: Compare, here: Path) -> None:
    for name, grades in (("x", [5, 5, 4, 3]), ("y", [3, 4, 4, 1])):
        rows = [{"question": question, "lang": "fr", "grade": grade}
                for question, grade in zip(("un", "un", "deux", "trois"), grades, strict=True)]  # fmt: skip
        write_jsonl(here / f"{name}.jsonl", rows)
    (section,) = read(compare, "x.jsonl", "y.jsonl")["sections"]
    assert (section["n"], section["n_queries"]) == (4, 3)
    assert "to 3 different queries" in compare("--full", "x.jsonl", "y.jsonl")
    flip = sign_flip(weights([5, 5, 4, 3]), weights([3, 4, 4, 1]), clusters=["un", "un", "deux", "trois"])
    assert flip is not None
    assert section["comparisons"][0]["p_permutation"] == flip


def test_without_ids_languages_are_not_put_together(compare: Compare, here: Path) -> None:
    for name, grades in (("x", A), ("y", B)):
        rows = [{"question": f"{lang} {number}", "lang": lang, "grade": grade}
                for lang in ("en", "zh") for number, grade in enumerate(grades)]  # fmt: skip
        write_jsonl(here / f"{name}.jsonl", rows)
    assert [own["lang"] for own in read(compare, "x.jsonl", "y.jsonl")["sections"]] == ["en", "zh"]


def test_the_same_input_gives_the_same_bytes(compare: Compare) -> None:
    for form in ("md", "json"):
        assert compare("A", "B", "C", "--format", form) == compare("A", "B", "C", "--format", form)


def test_wrong_input_is_one_line_and_exit_code_2(compare: Compare, here: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("A none", "none: no such file or folder"),
        ("A B --metric mean_wieght", "unknown metric 'mean_wieght' of graded systems; did you mean 'mean_weight'?"),
        ("A B --metric nDCG@10", "TREC runs need --qrels or --data"),
        ("A B --metric grade,fives", "--metric: unknown metric 'grade,fives' of graded systems"),
        ("A B --metric grade --metric fives", "--metric: one at a time"),
        ("A B --lang fr", "A: no graded answers in 'fr' (known: en)"),
        ("A de", "no language in which all of these have mean_weight for the same two queries"),
        ("A rows.jsonl --metric abstained", "no language in which all of these have abstained"),
    ]  # fmt: skip
    write_graded_run(here / "de", {"de": A})
    judge = {"judge": "offline", "prompt_hash": "hash"}
    write_jsonl(
        here / "rows.jsonl", [{"query_id": f"q{n:02}", "lang": "en", "grade": 5, **judge} for n in range(1, 13)]
    )
    for options, says in cases:
        told = compare(*options.split(), code=2)
        assert says in told and told.count("\n") == 1, options


def test_a_margin_is_above_0_and_below_1(compare: Compare) -> None:
    for margin in ("0", "-1", "x", "inf", "nan", "1", "2"):
        with pytest.raises(SystemExit, match="2"):
            main(["compare", "A", "B", f"--margin={margin}"])
