from __future__ import annotations

from ragaliq.benchmark.translation.check import check_pairs
from ragaliq.benchmark.translation.terms_kept import Terms
from unit.benchmark.translation.pair import pair


def test_findings_of_all_checks_are_sorted_and_do_not_depend_on_the_order() -> None:
    pairs = [
        pair("It costs 45 credits.", "它要54点。", "en>zh"),
        pair("It costs 45 credits.", "", "en>de"),
        pair("The Tarnholt sails.", "Das Schiff fährt.", "en>de", id="c0"),
    ]
    findings = check_pairs(pairs, Terms(frozenset({"Tarnholt"})))
    assert [(one.lang, one.id, one.kind) for one in findings if one.kind != "name"] == [
        ("de", "c0", "glossary"),
        ("de", "c1", "missing"),
        ("zh", "c1", "number"),
    ]
    assert check_pairs(pairs[::-1], Terms(frozenset({"Tarnholt"}))) == findings
    assert check_pairs([]) == []
