"""How near two questions are."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.benchmark.checks.near_duplicates import THRESHOLD, jaccard, near_duplicates, ngrams
from ragaliq.benchmark.located import Located
from ragaliq.types import Item, Query


def near(*texts: str, lang: str = "en") -> list[str]:
    items = {f"q{i}": Located(Item(Query(f"q{i}", lang, text), "r"), f"f:{i}") for i, text in enumerate(texts)}
    return list(near_duplicates(items))


def test_a_word_has_its_ngrams_with_blanks_at_its_ends() -> None:
    assert ngrams("Ab!") == {" ab", "ab ", " ab "}
    assert ngrams("船") == {" ", "船", " 船", "船 "}


def test_the_coefficient_is_the_common_share() -> None:
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 0.5
    assert jaccard(frozenset(), frozenset()) == 0.0


def test_a_small_change_is_found() -> None:
    cases = [("When does the supply ship sail in January?", "When does the supply ship sail in january", "en"),
     ("Wann fährt das Versorgungsschiff im Januar ab?", "Wann fährt das Versorgungsschiffe im Januar ab?", "de"),
     ("布兰尼克的补给船在一月份的什么时候启航？", "布兰尼克的补给船在一月份什么时候启航？", "zh")]  # fmt: skip
    for one, two, lang in cases:
        if one.rstrip("?").casefold() == two.casefold():
            # Case and punctuation aside they are the same: words apart are told elsewhere.
            assert near(one, two, lang=lang) == ["f:1: the text of 'q1' is nearly that of 'q0' (1.00)"], one
        else:
            (found,) = near(one, two, lang=lang)
            assert found.startswith("f:1: the text of 'q1' is nearly that of 'q0' (0."), one


def test_equal_texts_and_other_questions_are_not_told() -> None:
    assert near("When does the ship sail?", "when  does the SHIP sail?") == []
    assert near("When does the ship sail?", "What does the sauna cost on Sunday?", "", "?") == []
    assert near("冰实验室几点开门？", "桑拿房周末免费吗？", lang="zh") == []


def test_an_equal_text_does_not_hide_a_near_one() -> None:
    texts = ("When does the ship sail from Brannick?", "When does the ships sail from Brannick?")
    (_, line) = near(*texts, texts[0].upper())
    assert line.startswith("f:2: the text of 'q2' is nearly that of 'q1' (0.")


@given(st.lists(st.text(alphabet="ab c", max_size=40), max_size=12))
@settings(max_examples=100, deadline=None)
def test_all_that_are_near_and_no_others_are_told(texts: list[str]) -> None:
    sets = [ngrams(text) for text in texts]
    told = {int(line.split(":")[1]) for line in near(*texts)}
    for place, own in enumerate(sets):
        others = [
            other for other, text in zip(sets[:place], texts, strict=False) if text.split() != texts[place].split()
        ]
        assert (place in told) == any(jaccard(own, other) >= THRESHOLD for other in others)
