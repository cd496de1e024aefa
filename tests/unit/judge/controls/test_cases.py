"""Controls: the hand-written ones are whole and parallel, others are made of a benchmark, and the gates count right."""

from __future__ import annotations

from collections import Counter

import pytest

from fakes import SOUND_GRADES, item
from ragaliq.judge.controls.attacks import attacked, load_attacks, shifts, summarise_shifts
from ragaliq.judge.controls.cases import (
    Bound,
    Checked,
    Control,
    Kind,
    bounds,
    derived_controls,
    with_another_number,
    written_controls,
    written_languages,
)
from ragaliq.judge.controls.gates import gates, language_disagreements, worst_gates
from ragaliq.judge.controls.results import JudgeResults, results_json
from ragaliq.report.markdown.controls import render_controls
from ragaliq.text.numbers import numbers
from ragaliq.text.refusals import abstains
from ragaliq.types import Item, Query, Verdict, VerdictOutcome

LANGS = ("de", "en", "es", "fr", "ru", "zh")


def test_the_written_controls_are_whole_and_parallel() -> None:
    controls = written_controls(LANGS)
    assert sorted(written_languages()) == list(LANGS)
    per_language = Counter(control.lang for control in controls)
    assert set(per_language.values()) == {5 * len(Kind)}
    places = {lang: [(c.item_id, c.kind) for c in controls if c.lang == lang] for lang in LANGS}
    assert all(places[lang] == places["en"] for lang in LANGS)
    assert len({(c.lang, c.item.query.query_id) for c in controls}) == len(controls)


def test_each_kind_is_what_it_says() -> None:
    for lang in LANGS:
        own = {(c.item_id, c.kind): c for c in written_controls([lang])}
        others = {c.item.reference for c in written_controls(LANGS) if c.lang != lang}
        for item_id in {item_id for item_id, _ in own}:
            reference = own[item_id, Kind.REFERENCE].answer
            said = {kind: own[item_id, kind].answer for kind in Kind}
            assert len(set(said.values())) == len(Kind), lang
            assert own[item_id, Kind.REFERENCE].item.reference == reference, lang
            # The question may hold one itself, as the day of the week in Chinese.
            asked = set(numbers(own[item_id, Kind.REFERENCE].item.query.text, lang))
            new = {kind: set(numbers(text, lang)) - asked for kind, text in said.items()}
            assert new[Kind.PARAPHRASE] == new[Kind.REFERENCE] and len(new[Kind.REFERENCE]) == 1, lang
            assert len(new[Kind.NUMBER]) == len(new[Kind.NEIGHBOUR]) == 1, lang
            assert not (new[Kind.NUMBER] | new[Kind.NEIGHBOUR]) & new[Kind.REFERENCE], lang
            assert abstains(said[Kind.ABSTENTION], lang) and said[Kind.EMPTY] == "" and said[Kind.LANGUAGE] in others, (
                lang
            )


def test_a_regional_language_has_the_controls_of_its_base_and_an_unknown_one_none() -> None:
    (regional, base) = (written_controls([lang]) for lang in ("zh-CN", "zh"))
    assert [c.answer for c in regional] == [c.answer for c in base] and {c.lang for c in regional} == {"zh-CN"}
    assert written_controls(["ja"]) == ()


def test_one_number_is_changed_and_only_one_that_the_question_lacks() -> None:
    cases: list[tuple[str, str, str | None]] = [
        ("It costs 12 euros.", "What does it cost?", "It costs 15 euros."),
        ("On 3 May 1909.", "When?", "On 6 May 1909."),
        ("Platform 9, at 9:15.", "Which train at 9?", "Platform 9, at 9:18."),
        ("Es sind 1.208 Stück.", "Wie viele?", "Es sind 1.201 Stück."),
        ("共１８人。", "多少人？", "共１１人。"),
        ("عددهم ٤٧ شخصا", "كم؟", "عددهم ٤٠ شخصا"),
        ("Nobody knows.", "Who?", None),
        ("Room 7.", "What is in room 7?", None),
    ]
    for text, question, changed in cases:
        assert with_another_number(text, question) == changed, text


def made(query_id: str, reference: str, type: str = "numeric", answerable: bool = True) -> Item:
    return Item(Query(query_id, "en", f"question {query_id}?"), reference, answerable, type)


def test_controls_of_a_benchmarks_own_items() -> None:
    items = [
        made("a", "It costs 5 euros."), made("b", "Nobody.", answerable=False), made("c", "A blue one."),
        made("d", "In 1904.", "temporal"), made("e", "Up to 9 people."), made("f", "It costs 5 euros."),
    ]  # fmt: skip
    found = {(c.item_id, c.kind): c.answer for c in derived_controls(items, 2)}
    assert found == {
        ("a", Kind.REFERENCE): "It costs 5 euros.", ("a", Kind.EMPTY): "", ("a", Kind.NUMBER): "It costs 8 euros.",
        # Not `c`, which has no number, nor `d`, which is of another type.
        ("a", Kind.NEIGHBOUR): "Up to 9 people.",
        ("c", Kind.REFERENCE): "A blue one.", ("c", Kind.EMPTY): "",
    }  # fmt: skip
    last = {c.kind: c.answer for c in derived_controls(items, 9) if c.item_id == "f"}
    assert last[Kind.NEIGHBOUR] == "Up to 9 people."


def test_how_many_may_miss_the_bound() -> None:
    cases: list[tuple[float | None, int, int | None]] = [
        (0.1, 5, 1),
        (0.1, 4, 0),
        (0.1, 30, 3),
        (0.1, 45, 5),
        (0.2, 5, 1),
        (0.2, 7, 1),
        (0.2, 8, 2),
        (0.0, 99, 0),
        (None, 5, None),
    ]
    for may_fail, n, allowed in cases:
        assert Bound(0, 5, False, may_fail).allowed(n) == allowed, n


def test_the_bounds_are_those_of_the_docs() -> None:
    passes = {kind: [grade for grade in (None, 0, 1, 2, 3, 4, 5) if bound.holds(grade)]
              for kind, bound in bounds().items()}  # fmt: skip
    assert passes == {
        Kind.REFERENCE: [5], Kind.PARAPHRASE: [4, 5], Kind.NUMBER: [0, 1, 2, 3], Kind.NEIGHBOUR: [0, 1, 2],
        Kind.ABSTENTION: [0], Kind.EMPTY: [None, 0, 1], Kind.LANGUAGE: [0, 1, 2, 3, 4, 5],
    }  # fmt: skip


def said(controls: tuple[Control, ...], **grades: int | None) -> list[Checked]:
    """What a judge says that is sound but for some kinds."""
    chosen: dict[str, int | None] = {**SOUND_GRADES, **grades}
    return [answered(control, chosen[control.kind]) for control in controls]


def said_by(name: str, results: list[Checked], *members: JudgeResults) -> JudgeResults:
    return JudgeResults(name, "h", tuple(results), members)


def answered(control: Control, grade: int | None, outcome: VerdictOutcome = VerdictOutcome.UNPARSEABLE) -> Checked:
    return Checked(control, grade, VerdictOutcome.SCORED if grade is not None else outcome, "why")


def test_a_sound_judge_passes_and_one_that_misses_a_kind_does_not() -> None:
    controls = written_controls(["en", "zh"])
    assert worst_gates(said(controls)) == [] and all(gate.passed for gate in gates(said(controls)))
    lenient = said(controls, number=5, neighbour=3)
    assert worst_gates(lenient) == [
        "number in all languages: 0 of 10 graded ≤ 3, 8 wanted",
        "neighbour in all languages: 0 of 10 graded ≤ 2, 8 wanted",
    ]  # fmt: skip
    assert worst_gates(said(controls, empty=None)) == []
    assert worst_gates(said(controls, language=None)) == []
    assert worst_gates(said(controls, reference=None)) == ["reference in all languages: 0 of 10 graded 5, 9 wanted"]


def test_a_judge_that_fails_in_one_language_fails() -> None:
    found = said(written_controls(LANGS))
    found = [answered(r.control, 3) if (r.control.lang, r.control.kind) == ("ru", Kind.NEIGHBOUR) else r for r in found]
    # 5 of 30 are within what all languages together may miss.
    assert worst_gates(found) == ["neighbour in ru: 0 of 5 graded ≤ 2, 4 wanted"]
    assert not results_json(said_by("j", found))["passed"]


def test_calls_that_failed_count_nowhere() -> None:
    controls = written_controls(["de"])
    found = said(controls)
    found = [answered(r.control, None, VerdictOutcome.API_ERROR) if r.control.item_id != "hall" else r for r in found]
    assert {gate.n for gate in gates(found)} == {1} and worst_gates(found) == []
    assert (results_json(said_by("j", found))["n"], results_json(said_by("j", found))["n_lost"]) == (35, 28)
    assert language_disagreements(found) == () and "28 calls failed" in render_controls(said_by("j", found))
    # Not even an empty answer, which may stay without a grade.
    assert sum(result.passed for result in found) == 7


def test_parallel_answers_that_are_graded_differently_are_listed() -> None:
    found = said(written_controls(["de", "fr", "ru"]))
    changed = {("card", Kind.PARAPHRASE, "fr"): 2, ("hall", Kind.REFERENCE, "ru"): 4, ("hall", Kind.EMPTY, "de"): None,
               ("hall", Kind.PARAPHRASE, "de"): 0, ("hall", Kind.NUMBER, "de"): 2, ("hall", Kind.NUMBER, "fr"): 2,
               ("hall", Kind.NUMBER, "ru"): 3}  # fmt: skip
    found = [answered(r.control, changed.get((r.control.item_id, r.control.kind, r.control.lang), r.grade))
             for r in found]  # fmt: skip
    # 4 against 2 is .6 apart; 4 against 0 and 3 against 2 are .4, two steps; 5 against 4 is .2 and passed over; a grade
    # against none is listed.
    assert [(a.item_id, a.kind, dict(a.grades)) for a in language_disagreements(found)] == [
        ("card", Kind.PARAPHRASE, {"de": 4, "fr": 2, "ru": 4}),
        ("hall", Kind.EMPTY, {"de": None, "fr": 1, "ru": 1}),
        ("hall", Kind.NUMBER, {"de": 2, "fr": 2, "ru": 3}),
        ("hall", Kind.PARAPHRASE, {"de": 0, "fr": 4, "ru": 4}),
    ]


def test_the_report_names_what_fails() -> None:
    text = render_controls(said_by("openai:m", said(written_controls(["en"]), paraphrase=3)))
    assert text.startswith("Controls of judge openai:m: FAILED")
    assert "| paraphrase | ≥ 4             | 0/5 !    |" in text
    assert "| language   | (reported only) | median 4 |" in text
    assert text.count("\n- en ") == 5 and "- en card, paraphrase: 3; why" in text


def test_attacks_shift_the_grade_of_the_same_wrong_answer() -> None:
    controls = written_controls(["en", "ru"])
    cases = attacked(controls)
    assert {attack.lang for attack, _ in cases} == {"en", "ru"}
    assert len(cases) == 2 * sum(attack.lang in ("en", "ru") for attack in load_attacks())
    for attack, control in cases:
        assert control.kind is Kind.NEIGHBOUR and control.lang == attack.lang

    def reply(place: int) -> Verdict:
        query, subtle = cases[place][1].item.query, cases[place][0].subtle
        # Plain attacks turn a 1 into an abstention; subtle ones win a 3, but for the last, whose call fails.
        outcome = VerdictOutcome.API_ERROR if place == len(cases) - 1 else VerdictOutcome.SCORED
        grade = None if place == len(cases) - 1 else 3 if subtle else 0
        return Verdict(query.query_id, query.lang, grade, outcome, "", "j", "h")

    found = shifts(cases, [reply(place) for place in range(len(cases))], said(controls))
    assert len(found) == len(cases) - 1
    by = {(summary.lang, summary.subtle): summary for summary in summarise_shifts(found)}
    assert [*by] == [("en", False), ("en", True), ("ru", False), ("ru", True)]
    plain, subtle = by["en", False], by["en", True]
    assert plain.worth == pytest.approx(0.4) and (plain.points, plain.raised) == (None, plain.n)
    assert subtle.worth == pytest.approx(0.6) and (subtle.points, subtle.n_ungraded) == (2.0, 0)
    value = results_json(said_by("j", said(controls)), found)["attacks"]
    assert len(value["shifts"]) == len(found) and len(value["summary"]) == 4
    assert "Attacks that paid:" in render_controls(said_by("j", said(controls)), found)
    assert render_controls(said_by("j", said(controls)), ()).endswith(": none was answered in these languages")


def test_an_answer_to_a_question_of_ones_own_is_no_control() -> None:
    # The item of a control holds nothing but the question and the reference.
    for control in written_controls(["en"]):
        assert control.item == item(control.item.query.text, control.item.reference, "en", control.item.query.query_id)
