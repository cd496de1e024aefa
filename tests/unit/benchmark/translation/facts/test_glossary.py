from __future__ import annotations

from ragaliq.benchmark.translation.facts.glossary import glossary_check
from ragaliq.benchmark.translation.terms_kept import Terms
from unit.benchmark.translation.pair import pair, told

TERMS = Terms(frozenset({"Tarnholt"}), {"de": {"Wet Lab": "Nasslabor"}, "ru": {"Wet Lab": "Мокрая лаборатория"}})


def test_a_kept_term_must_stand_there_to_the_letter() -> None:
    check = glossary_check(TERMS)
    assert told(check([pair("The Tarnholt sails.", "Die Tarnhold fährt.")])) == [
        "glossary error: 'Tarnholt' must stay as it is"
    ]
    assert told(check([pair("The Tarnholt sails.", "Die Tarnholt fährt."), pair("Tarnholter", "Leute")])) == []


def test_a_term_of_the_glossary_has_its_translation_in_any_form() -> None:
    check = glossary_check(TERMS)
    assert told(check([pair("the wet lab", "im Labor")])) == ["glossary error: 'Wet Lab' should be 'Nasslabor'"]
    assert told(check([pair("the Wet Lab", "das Nasslabor"), pair("a dry lab", "ein Labor")])) == []
    inflected = pair("in the Wet Lab", "в мокрой лаборатории", "en>ru")
    assert told(check([inflected])) == ["glossary warning: 'Wet Lab' should be 'Мокрая лаборатория'"]


def test_without_terms_nothing_is_said() -> None:
    assert told(glossary_check(Terms())([pair("the Wet Lab", "im Labor")])) == []
