"""Two sources of grades: what joins, what is left out, and the object that programs read."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from fakes import answered, verdict, write_run_folder
from ragaliq.aggregate.grades.graded import load_graded, of_judge
from ragaliq.compare.agreement.labels import LabelComparison, compare_with_labels
from ragaliq.compare.agreement.pairs import pair_up
from ragaliq.errors import InputError
from ragaliq.metrics.agreement.coefficients import agreement
from ragaliq.report.markdown.agreement import render_agreement
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import run_answer_to_row, verdict_to_row
from ragaliq.storage.files import write_json, write_jsonl

LANGS = ("en", "de", "fr", "es", "ru", "zh")
KEYS = {
    "n", "n_dropped", "qwk", "qwk_attempted", "weight_kappa", "refusal", "krippendorff_alpha", "cohen_kappa",
    "gwet_ac2", "spearman", "auc_5_vs_34", "exact", "mae", "bias", "confusion", "ci", "by",
}  # fmt: skip


def rows_file(path: Path, *rows: dict[str, Any]) -> Path:
    write_jsonl(path, rows)
    return path


def row(query_id: str, grade: int | None, lang: str = "en", **more: Any) -> dict[str, Any]:
    return {"query_id": query_id, "lang": lang, "grade": grade, **more}


def compared(verdicts: Path, labels: Path, *population: Path) -> LabelComparison:
    return compare_with_labels(load_graded(verdicts), load_graded(labels), [load_graded(path) for path in population])


def joined(verdicts: Path, labels: Path) -> list[tuple[int, int]]:
    return [(pair.verdict, pair.label) for pair in pair_up(load_graded(verdicts), load_graded(labels)).pairs]


def graded_file(path: Path, n: int, seed: int, judge: str = "j", **more: Any) -> Path:
    """Grades of n queries in six languages by a judge that is wrong now and then."""
    noise = random.Random(seed)
    rows = []
    for lang in LANGS:
        for number in range(n):
            true = random.Random(f"{lang} {number}").choice((0, 1, 2, 3, 4, 5, 5, 5))
            grade = min(5, true + 1) if seed and noise.random() < 0.3 else true
            who = {"judge": judge, "prompt_hash": "h"} if seed else {}
            rows.append(row(f"q{number}", grade, lang, **who, **more))
    return rows_file(path, *rows)


def test_items_join_on_query_id_and_language(tmp_path: Path) -> None:
    verdicts = rows_file(tmp_path / "v.jsonl", row("q1", 5), row("q1", 3, "ru"), row("q2", 1), row("q4", None))
    labels = rows_file(tmp_path / "l.jsonl", row("q1", 4, "ru"), row("q1", 5), row("q3", 0), row("q4", 2))
    pairing = pair_up(load_graded(verdicts), load_graded(labels))
    assert [(p.lang, p.cluster, p.verdict, p.label) for p in pairing.pairs] == [("en", "q1", 5, 5), ("ru", "q1", 3, 4)]
    assert [(drop.lang, drop.reason) for drop in pairing.drops] == [
        ("en", "only_in_verdicts"), ("en", "only_in_labels"), ("en", "ungraded"),
    ]  # fmt: skip
    assert [unlabelled.query_id for unlabelled in pairing.unlabelled] == ["q2"]


def test_without_ids_items_join_on_language_question_and_answer(tmp_path: Path) -> None:
    composed, decomposed = "Où est-il né ?", "Ou\u0300 est-il ne\u0301  ?\n"
    verdicts = rows_file(tmp_path / "v.jsonl",
        {"lang": "fr", "question": composed, "answer": "Ici", "score": 4},
        {"lang": "fr", "question": composed, "answer": "Là", "score": 1},
        {"lang": "zh", "question": "谁?", "answer": "", "score": 0},
    )  # fmt: skip
    labels = rows_file(tmp_path / "l.jsonl",
        {"query_id": "q1", "lang": "fr", "question": decomposed, "answer": " Ici", "grade": 5},
        {"query_id": "q2", "lang": "zh", "question": "谁?", "answer": "", "grade": 0},
        {"query_id": "q2", "lang": "de", "question": "谁?", "answer": "", "grade": 3},
    )  # fmt: skip
    assert joined(verdicts, labels) == [(4, 5), (0, 0)]


def test_a_later_row_replaces_an_earlier_and_a_changed_label_is_told(tmp_path: Path) -> None:
    verdicts = rows_file(tmp_path / "v.jsonl", row("q1", 1), row("q2", 2), row("q1", 5))
    labels = rows_file(tmp_path / "l.jsonl", row("q1", 4, rater="ana"), row("q2", 2, rater="ana"),
        row("q2", 2, rater="ana"), row("q1", 5, rater="ana"))  # fmt: skip
    assert joined(verdicts, labels) == [(5, 5), (2, 2)]
    found = compared(verdicts, labels)
    assert found.figures["labels"]["n_replaced"] == 1
    assert "1 labels were replaced by a later, different one of the same rater" in found.figures["warnings"]


def test_raters_are_compared_among_themselves(tmp_path: Path) -> None:
    verdicts = rows_file(tmp_path / "v.jsonl", row("q1", 5), row("q2", 0), row("q3", 1))
    labels = rows_file(tmp_path / "l.jsonl", row("q1", 5, rater="a"), row("q1", 5, rater="b"), row("q2", 0, rater="a"),
        row("q2", 3, rater="b"), row("q3", 1, rater="b"))  # fmt: skip
    assert joined(verdicts, labels) == [(5, 5), (0, 0), (1, 1)]
    found = compared(verdicts, labels).figures["labels"]
    assert (found["raters"], found["n_rated_twice"]) == (2, 2)
    # Coincidences: (5, 5) twice, (0, 3) and (3, 0); places of 0, 3 and 5 among the four values: .5, 1.5, 3.
    expected = 2 * (1 * 1 * 1 + 1 * 2 * 2.5**2 + 1 * 2 * 1.5**2)
    assert found["inter_rater_alpha"] == pytest.approx(1 - 3 * (2 * 1) / expected)


def test_the_run_joins_where_there_are_several(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    write_run_folder(runs / "A", [5, 4, 3])
    write_run_folder(runs / "B", [1, 2, 0])
    both = [row(f"q{n}", grade, run=run, rater="ana") for run, grades in (("A", (5, 5, 3)), ("B", (1, 1, 0)))
            for n, grade in enumerate(grades, start=1)]  # fmt: skip
    labels = rows_file(tmp_path / "l.jsonl", *both)
    assert joined(runs / "A", labels) == [(5, 5), (4, 5), (3, 3)]
    assert joined(runs / "B" / "verdicts.jsonl", labels) == [(1, 1), (2, 1), (0, 0)]
    assert len(joined(runs, labels)) == 6
    elsewhere = rows_file(tmp_path / "x.jsonl", *({**label, "run": label["run"] + "2"} for label in both))
    with pytest.raises(
        InputError, match=r"no item has a grade in both; their runs differ \(known: A / known: A2, B2\)"
    ):
        joined(runs / "A", elsewhere)


def test_several_answers_to_a_query_join_on_the_answer_or_are_refused(tmp_path: Path) -> None:
    verdicts = rows_file(tmp_path / "v.jsonl", row("q1", 5, answer="yes"), row("q1", 1, answer="no"))
    named = rows_file(tmp_path / "l.jsonl", row("q1", 2, answer="no"), row("q1", 4, answer=" yes "))
    assert joined(verdicts, named) == [(1, 2), (5, 4)]
    silent = rows_file(tmp_path / "s.jsonl", row("q1", 2))
    with pytest.raises(InputError, match=r"s\.jsonl: query 'q1' is graded for several answers \(.*v\.jsonl:2\); name"):
        joined(verdicts, silent)


@pytest.mark.parametrize("turned", [False, True])
def test_runs_that_nothing_tells_apart_are_refused(tmp_path: Path, turned: bool) -> None:
    several = rows_file(tmp_path / "v.jsonl", *(row("q1", grade, run=run) for grade, run in ((5, "a"), (1, "b"))))
    one = rows_file(tmp_path / "l.jsonl", row("q1", 4))
    with pytest.raises(InputError, match=r"v\.jsonl:2: query 'q1' is graded for several runs .*l\.jsonl does not say"):
        joined(*((one, several) if turned else (several, one)))


def test_grades_of_other_answers_are_left_out_and_told(tmp_path: Path) -> None:
    verdicts = rows_file(tmp_path / "v.jsonl", row("q1", 5, answer="yes"), row("q2", 1, answer="no"))
    labels = rows_file(tmp_path / "l.jsonl", row("q1", 5, answer="yes"), row("q2", 5, answer="of course"))
    found = compared(verdicts, labels)
    assert found.figures["n"] == 1 and found.figures["dropped"]["other_answer"] == 1
    assert "1 items left out: the two sides quote different answers" in found.figures["warnings"]


def test_a_side_without_languages(tmp_path: Path) -> None:
    verdicts = rows_file(tmp_path / "v.jsonl", row("q1", 5), row("q2", 4))
    (tmp_path / "l.csv").write_text("query_id,grade\nq1,5\nq2,3\n")
    assert joined(verdicts, tmp_path / "l.csv") == [(5, 5), (4, 3)]
    several = rows_file(tmp_path / "w.jsonl", row("q1", 5), row("q1", 4, "zh"))
    with pytest.raises(InputError, match=r"l\.csv: no row names its 'lang', and w\.jsonl holds several"):
        joined(several, tmp_path / "l.csv")


def test_what_cannot_be_joined_is_refused(tmp_path: Path) -> None:
    labels = rows_file(tmp_path / "l.jsonl", row("q1", 5))
    with pytest.raises(InputError, match=r"v\.jsonl and l\.jsonl: no item has a grade in both; check"):
        joined(rows_file(tmp_path / "v.jsonl", row("q2", 5)), labels)
    with pytest.raises(InputError, match=r"v\.jsonl:1: 'question' and 'answer' are needed"):
        joined(rows_file(tmp_path / "v.jsonl", {"lang": "en", "grade": 3}), labels)
    with pytest.raises(InputError, match="neither a graded run nor a folder of graded runs"):
        load_graded(tmp_path)


def test_the_object_has_the_keys_of_the_interface_and_figures_by_language(tmp_path: Path) -> None:
    verdicts, labels = graded_file(tmp_path / "v.jsonl", 12, 1), graded_file(tmp_path / "l.jsonl", 11, 0)
    found = compared(verdicts, labels).figures
    assert found.keys() >= KEYS
    assert (found["n"], found["n_dropped"], found["n_queries"]) == (66, 6, 11)
    assert list(found["by"]) == sorted(LANGS)
    pairing = pair_up(load_graded(verdicts), load_graded(labels))
    own = [pair for pair in pairing.pairs if pair.lang == "zh"]
    alone = agreement([pair.verdict for pair in own], [pair.label for pair in own])
    section = found["by"]["zh"]
    assert (section["qwk"], section["bias"], section["n"]) == (alone.qwk, alone.bias, 11)
    assert KEYS - {"by"} <= section.keys()
    assert sum(map(sum, found["confusion"])) == 66
    assert found["bias"] == sum(p.verdict - p.label for p in pairing.pairs) / 66 > 0
    low, high = found["ci"]["qwk"]
    assert low < found["qwk"] < high
    assert set(found["ci"]["refusal"]) == {"precision", "recall", "f1"}
    assert json.loads(json.dumps(found, allow_nan=False)) == json.loads(json.dumps(compared(verdicts, labels).figures))


def test_the_queries_of_all_languages_are_one_cluster(tmp_path: Path) -> None:
    verdicts, labels = graded_file(tmp_path / "v.jsonl", 12, 1), graded_file(tmp_path / "l.jsonl", 12, 0)
    as_one = compared(verdicts, labels).figures
    names = [json.loads(line) for path in (verdicts, labels) for line in path.read_text().splitlines()]
    apart = [{**entry, "query_id": entry["query_id"] + entry["lang"]} for entry in names]
    split = compared(
        rows_file(tmp_path / "v2.jsonl", *apart[:72]), rows_file(tmp_path / "l2.jsonl", *apart[72:])
    ).figures
    assert as_one["qwk"] == split["qwk"]
    assert (as_one["n_queries"], split["n_queries"]) == (12, 72)
    assert as_one["ci"]["qwk"] != split["ci"]["qwk"]


def test_the_mean_that_the_labels_imply_comes_from_verdicts_without_a_label(tmp_path: Path) -> None:
    verdicts, labels = graded_file(tmp_path / "v.jsonl", 200, 1), graded_file(tmp_path / "l.jsonl", 40, 0)
    found = compared(verdicts, labels).figures["ppi"]
    assert (found["n_labelled"], found["n_unlabelled"], found["n_queries_labelled"]) == (240, 960, 40)
    low, high = found["prediction_powered"]["ci"]
    narrow, wide = high - low, found["classical"]["ci"][1] - found["classical"]["ci"][0]
    assert narrow < wide and 0 < found["lambda"] <= 1
    assert found["judge_only"]["mean_weight"] > found["prediction_powered"]["mean_weight"]
    assert found["notes"] == ["40 labelled queries; label 60 or more to rely on the intervals"]


def test_unanswerable_queries_enter_neither_the_agreement_nor_the_mean(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 3, 1, 2, 4] * 12)
    closed = [run_answer_to_row(answered(f"u{n}", "none", answerable=False)) for n in range(30)]
    write_jsonl(folder.answers_file, [*map(json.loads, folder.answers_file.read_text().splitlines()), *closed])
    extra = [verdict_to_row(verdict(f"u{n}", 0)) for n in range(30)]
    write_jsonl(folder.verdicts_file, [*map(json.loads, folder.verdicts_file.read_text().splitlines()), *extra])
    labels = [row(f"q{n}", (5, 3, 1, 2, 4)[(n - 1) % 5]) for n in range(1, 21)] + [row(f"u{n}", 0) for n in range(10)]
    found = compared(folder.path, rows_file(tmp_path / "l.jsonl", *labels)).figures
    assert (found["n"], found["dropped"]["unanswerable"], found["dropped"]["only_in_verdicts"]) == (20, 10, 40 + 20)
    assert found["n_dropped"] == sum(found["dropped"].values()) == 70
    # The ten refusals would else be the only zeros.
    assert found["confusion"][0][0] == 0 and found["qwk_attempted"] == found["qwk"]
    assert "70 left out (60 only in VERDICTS, 10 of unanswerable queries)" in render_agreement(found)
    assert (found["ppi"]["n_labelled"], found["ppi"]["n_unlabelled"]) == (20, 40)
    assert found["ppi"]["classical"]["mean_weight"] == pytest.approx((1 + 0.6 + 0 + 0.2 + 0.8) / 5)


@pytest.mark.parametrize("knows", ["verdicts", "labels"])
def test_either_side_may_know_that_a_query_is_unanswerable(tmp_path: Path, knows: str) -> None:
    def side(name: str, *grades: int) -> Path:
        closed: dict[str, Any] = {"answerable": False} if name == knows else {}
        return rows_file(tmp_path / f"{name}.jsonl", row("q1", grades[0]), row("q2", grades[1], **closed))

    verdicts, labels = side("verdicts", 5, 0), side("labels", 4, 0)
    pairing = pair_up(load_graded(verdicts), load_graded(labels))
    assert [(pair.verdict, pair.label) for pair in pairing.pairs] == [(5, 4)]
    assert [drop.reason for drop in pairing.drops] == ["unanswerable"] and pairing.unlabelled == ()
    only = rows_file(tmp_path / "only.jsonl", row("q2", 0, answerable=False))
    with pytest.raises(InputError, match="no item has a grade in both; 1 are of unanswerable queries"):
        pair_up(load_graded(only), load_graded(labels))


def test_both_sides_from_one_hand_are_told(tmp_path: Path) -> None:
    who = {"judge": "offline", "prompt_hash": "h1"}
    verdicts = rows_file(tmp_path / "v.jsonl", *(row(f"q{n}", n % 6, **who) for n in range(12)))
    told = compared(verdicts, verdicts).figures["warnings"]
    assert told[0] == "VERDICTS and LABELS are the same file: what agrees with itself shows nothing"
    again = rows_file(tmp_path / "again.jsonl", *(row(f"q{n}", n % 5, **who) for n in range(12)))
    told = compared(verdicts, again).figures["warnings"]
    assert told[0] == (
        "both sides hold grades by the same judge (offline h1): they show how steady it is, not how right"
    )
    other = rows_file(tmp_path / "o.jsonl", *(row(f"q{n}", n % 5, **{**who, "prompt_hash": "h2"}) for n in range(12)))
    assert compared(verdicts, other).same == "" and "no validity" in compared(verdicts, other).figures["warnings"][0]


def test_the_verdicts_of_one_judge(tmp_path: Path) -> None:
    rows = [row(f"q{n}", n, judge=judge, prompt_hash=digest)
            for n, (judge, digest) in enumerate((("a", "1a"), ("a", "2b"), ("a 1", "3c"), ("b", "")))]  # fmt: skip
    graded = load_graded(rows_file(tmp_path / "v.jsonl", *rows))
    found = {name: [one.grade for one in of_judge(graded, name).rows] for name in ("a", "a 2", "a 1", "a 1 3", "b")}
    assert found == {"a": [0, 1], "a 2": [1], "a 1": [0, 2], "a 1 3": [2], "b": [3]}
    with pytest.raises(InputError, match=r"v\.jsonl: no verdict by the judge 'c'; known: a 1 3c, a 1a, a 2b, b"):
        of_judge(graded, "c")


def test_languages_and_systems_without_labels_are_told(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for name in "AB":
        write_run_folder(runs / name, [5, 3, 1, 2, 4] * 8)
    labels = rows_file(tmp_path / "l.jsonl", *(row(f"q{n}", 1 + n % 5, run="A", rater="x") for n in range(1, 16)))
    write_jsonl(tmp_path / "l2.jsonl", [row("q1", 5, run="B", rater="x")])
    one_system = rows_file(
        tmp_path / "l3.jsonl", *map(json.loads, labels.read_text().splitlines()), row("q99", 5, run="B")
    )
    found = compared(runs, one_system).figures["ppi"]
    assert found["notes"] == ["no label for 1 of 2 systems (known: B), so there is no mean over all of them"]
    assert found["prediction_powered"] is None and found["by_system"]["B"] is None
    assert (found["by_system"]["A"]["n_labelled"], found["by_system"]["A"]["n_unlabelled"]) == (15, 25)
    verdicts = graded_file(tmp_path / "v.jsonl", 40, 1)
    english = rows_file(tmp_path / "e.jsonl", *(row(f"q{n}", n % 6) for n in range(20)))
    found = compared(verdicts, english).figures["ppi"]
    assert "languages without a label are left out: de, es, fr, ru, zh" in found["notes"]
    assert found["n_unlabelled"] == 20


def test_a_population_of_other_runs_by_the_same_judge(tmp_path: Path) -> None:
    verdicts, labels = graded_file(tmp_path / "v.jsonl", 15, 1), graded_file(tmp_path / "l.jsonl", 15, 0)
    assert compared(verdicts, labels).figures["ppi"] is None
    more = graded_file(tmp_path / "m.jsonl", 100, 1)
    found = compared(verdicts, labels, more).figures["ppi"]
    # The labelled items stand in the population too, and are taken out.
    assert (found["n_labelled"], found["n_unlabelled"]) == (90, 510)
    with pytest.raises(InputError, match=r"o\.jsonl: not graded by the judge of VERDICTS alone \(known: j h, o"):
        compared(verdicts, labels, graded_file(tmp_path / "o.jsonl", 20, 1, "other"))


def test_labels_of_a_judge_and_mixed_judges_are_told(tmp_path: Path) -> None:
    verdicts = rows_file(tmp_path / "v.jsonl", row("q1", 5, judge="a"), row("q2", 4, judge="b"))
    labels = rows_file(tmp_path / "l.jsonl", row("q1", 5, judge="c"), row("q2", 4, judge="c"))
    told = compared(verdicts, labels).figures["warnings"]
    assert "VERDICTS hold 2 judges; the figures are of their mixture" in told
    assert "LABELS are a judge's (c): agreement of judges is no validity" in told


def test_the_text_explains_every_figure_and_warns_of_qwk(tmp_path: Path) -> None:
    verdicts, labels = graded_file(tmp_path / "v.jsonl", 60, 1), graded_file(tmp_path / "l.jsonl", 20, 0)
    found = compared(verdicts, labels).figures
    text = render_agreement(found)
    assert "# Agreement of v.jsonl with l.jsonl" in text
    assert "120 items of 20 queries; 240 left out (240 only in VERDICTS)." in text
    assert "QWK alone flatters" in text and "flatters" in text.split("| QWK ")[1].splitlines()[0]
    assert f"| {found['qwk']:.3f}" in text and f"{found['bias']:+.3f}" in text
    assert "prediction-powered" in text and "λ = " in text
    assert "fewer than 30 items: de, en, es, fr, ru, zh" in text
    assert "## Languages" in text and "## Languages" not in render_agreement(found, by_lang=False)
    counts = [line for line in text.splitlines() if line.startswith("| verdict 5")]
    assert counts[0].split("|")[2].strip() == str(found["confusion"][5][5])


def test_what_is_undefined_is_a_dash_and_null(tmp_path: Path) -> None:
    verdicts = rows_file(tmp_path / "v.jsonl", row("q1", 4))
    found = compared(verdicts, rows_file(tmp_path / "l.jsonl", row("q1", 4))).figures
    assert found["qwk"] is None and found["ci"]["qwk"] is None and found["ppi"] is None
    line = next(line for line in render_agreement(found).splitlines() if line.startswith("| QWK  "))
    assert [cell.strip() for cell in line.split("|")[2:4]] == ["—", "—"]


@pytest.mark.shared
def test_judged_logs_of_the_reference_agree_with_themselves(shared_data: Path, tmp_path: Path) -> None:
    log = sorted((shared_data / "ragaliq" / "logs" / "eval").glob("eval_res_*_en.json"))[0]
    rows = json.loads(log.read_text())
    changed = [{**entry, "score": max(0, entry["score"] - (n % 7 == 0))} for n, entry in enumerate(rows)]
    write_json(tmp_path / log.name, changed)
    found = compared(log, tmp_path / log.name).figures
    assert found["n"] == 70 and found["n_dropped"] == 0
    shifted = sum(old["score"] - new["score"] for old, new in zip(rows, changed, strict=True))
    assert found["bias"] == pytest.approx(shifted / 70)


@pytest.mark.shared
def test_qwk_flatters_a_coarse_judge_and_the_other_figures_do_not(shared_data: Path) -> None:
    logs = sorted((shared_data / "ragaliq" / "logs" / "eval").glob("eval_res_*.json"))
    labels = [entry.grade for log in logs for entry in load_graded(log).rows if entry.grade is not None]
    for coarse, qwk, attempted in (
        ({0: 0, 1: 1, 2: 1, 3: 4, 4: 4, 5: 4}, 0.854, 0.716),
        ({0: 0, 1: 4, 2: 4, 3: 4, 4: 4, 5: 4}, 0.637, 0.0),
    ):
        found = agreement([coarse[grade] for grade in labels], labels)
        assert (found.n, found.auc_5_vs_34) == (842, 0.5)
        assert found.qwk == pytest.approx(qwk, abs=5e-4)
        assert found.qwk_attempted == pytest.approx(attempted, abs=5e-4)


def test_a_run_that_is_not_graded_says_what_to_do(tmp_path: Path) -> None:
    folder = RunFolder(write_run_folder(tmp_path / "run", [5]).path)
    folder.verdicts_file.unlink()
    with pytest.raises(InputError, match="not graded yet; `ragaliq judge"):
        load_graded(folder.path)
