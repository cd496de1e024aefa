from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.metrics.answers.token_language import (
    UNKNOWN,
    TokenLanguages,
    token_consistency,
    token_counts,
)
from ragaliq.types import TokenChoice, TokenChoices

COUNTS = {
    "de": {"der": 3, "die": 5, "in": 2},
    "en": {"the": 6, "die": 1, "in": 3},
    "ru": {"в": 10},
    "zh": {"的": 1, "在": 1},
}


def silent(text: str, candidates: Iterable[str]) -> None:
    """A detector that knows no token."""


LANGUAGES = TokenLanguages(COUNTS, silent)


def choices(*places: list[tuple[str, float]]) -> TokenChoices:
    return tuple(tuple(TokenChoice(token, prob) for token, prob in place) for place in places)


def approx(value: float) -> object:
    return pytest.approx(value, abs=1e-8)


def test_a_token_belongs_where_its_share_is_greatest() -> None:
    cases = [
        ("the", "en"),
        ("der", "de"),
        ("в", "ru"),
        ("的", "zh"),
        ("die", "de"),
        ("in", "en"),
        ("?", UNKNOWN),
        ("", UNKNOWN),
    ]
    for token, lang in cases:
        # "die": 5/10 and 1/10; "in": 2/10 and 3/10.
        assert LANGUAGES.of(token) == lang, token


def test_shares_decide_and_not_counts_and_ties_go_by_the_alphabet() -> None:
    # "a": 3 of 30 against 1 of 2; "b": 3 of 30 against 1 of 10.
    uneven = TokenLanguages({"en": {"a": 3, "b": 3, "x": 24}, "de": {"a": 1, "y": 1}, "fr": {"b": 1, "z": 9}}, silent)
    assert uneven.of("a") == "de"
    assert uneven.of("b") == "en"
    assert TokenLanguages({"fr": {"b": 1, "z": 9}, "en": {"b": 3, "x": 27}}, silent).of("b") == "en"


def test_an_unseen_token_is_put_to_the_detector_once() -> None:
    asked: list[tuple[str, list[str]]] = []

    def detect(text: str, candidates: Iterable[str]) -> str | None:
        asked.append((text, list(candidates)))
        return {"boot": "de", "嗎": "yue"}.get(text)

    languages = TokenLanguages(COUNTS, detect)
    assert [languages.of(token) for token in ("boot", "嗎", "x", "boot", "the", "")] == [
        "de", "yue", UNKNOWN, "de", "en", UNKNOWN,
    ]  # fmt: skip
    assert asked == [(token, ["de", "en", "ru", "zh"]) for token in ("boot", "嗎", "x")]


def test_the_default_detector_chooses_among_the_corpora() -> None:
    languages = TokenLanguages(COUNTS)
    assert languages.of("порт") == "ru"
    assert languages.of("港口") == "zh"
    assert languages.of(" Versorgungsschiff") == "de"


def test_a_language_without_tokens_is_nobody_s() -> None:
    assert TokenLanguages({"de": {}, "en": {"a": 1}}, silent).of("a") == "en"
    assert TokenLanguages({}, silent).of("a") == UNKNOWN


def test_a_sure_token_of_the_reference_s_only_language_scores_its_probability() -> None:
    # D = {en: 1}; C = .9, I = .1: .9 / 1.0 * .9 * 1.
    found = token_consistency(choices([("the", 0.9), ("der", 0.1)]), ["the", "in"], LANGUAGES)
    assert found == approx(0.9 * 0.9)


def test_the_score_is_worked_by_hand() -> None:
    # D of the, the, der, в: en 1/2, de 1/4, ru 1/4.
    reference = ["the", "the", "der", "в"]
    places = choices(
        # C = .6 (de), I = .2 (zh); products .6/4 = .15, .1/2 = .05.
        [("die", 0.6), ("的", 0.2), ("the", 0.1)],
        # C = .3 (en), I = .5 (unknown); products .3/2 = .15, .2/4 = .05.
        [("?", 0.5), ("in", 0.3), ("в", 0.2)],
        # Nothing consistent.
        [("在", 0.7), ("的", 0.2)],
    )
    expected = (0.6 / 0.8 * 0.15 + 0.3 / 0.8 * 0.15 + 0) / 3
    assert token_consistency(places, reference, LANGUAGES) == approx(expected)


def test_an_unknown_token_is_consistent_with_a_reference_that_has_unknown_ones() -> None:
    # D = {unk: 1/2, zh: 1/2}: C = .8, no I, product .8/2.
    found = token_consistency(choices([("7", 0.8)]), ["。", "的"], LANGUAGES)
    assert found == approx(0.8 / 2)


def test_line_ends_do_not_count() -> None:
    # Without the line end C = .3 and I = .1; a place of line ends alone is left out.
    places = choices([("\n", 0.6), ("the", 0.3), ("в", 0.1)], [("\n", 1.0)], [("\n\n", 0.5)])
    # "\n\n" is a token like any other, here unknown: C = 0.
    expected = (0.3 / 0.4 * 0.3 + 0) / 2
    assert token_consistency(places, ["the"], LANGUAGES) == approx(expected)


def test_without_tokens_there_is_no_value() -> None:
    assert token_consistency((), ["the"], LANGUAGES) is None
    assert token_consistency(choices([("the", 1.0)]), [], LANGUAGES) is None
    assert token_consistency(choices([("\n", 1.0)], [("\n", 0.5)]), ["the"], LANGUAGES) is None


def test_probabilities_of_zero_give_zero() -> None:
    assert token_consistency(choices([("the", 0.0)]), ["the"], LANGUAGES) == 0.0


TOKENS = st.sampled_from(["der", "die", "in", "the", "в", "的", "在", "?", "\n"])
PLACES = st.lists(st.lists(st.tuples(TOKENS, st.floats(0, 1)), min_size=1, max_size=5), max_size=6)


@given(PLACES, st.lists(TOKENS, max_size=6))
def test_it_agrees_with_the_definition_written_out(places: list[list[tuple[str, float]]], reference: list[str]) -> None:
    """The sources' steps in their order: normalised shares, distribution, certainty, match, mean."""

    def classify(token: str) -> str:
        p = {lang: counts.get(token, 0) / sum(counts.values()) for lang, counts in COUNTS.items()}
        if sum(p.values()) == 0:
            return "unk"
        norm = {lang: value / sum(p.values()) for lang, value in p.items()}
        return sorted(norm, key=lambda lang: (-norm[lang], lang))[0]

    classes = Counter(map(classify, reference))
    scores = []
    for place in places:
        kept = [(prob, classes[classify(token)] / max(1, len(reference))) for token, prob in place if token != "\n"]
        if kept:
            consistent = max([prob for prob, share in kept if share > 0] + [0])
            inconsistent = max([prob for prob, share in kept if share == 0] + [0])
            scores.append(consistent / (consistent + inconsistent + 1e-9) * max(prob * share for prob, share in kept))
    found = token_consistency(choices(*places), reference, LANGUAGES)
    if scores and reference:
        assert found is not None and 0 <= found <= 1
        assert found == pytest.approx(sum(scores) / len(scores), abs=1e-12)
    else:
        assert found is None


def test_tokens_are_counted_by_language() -> None:
    corpora = {"de": ["das das", "Boot "], "zh": ["船"], "fr": []}
    counted = token_counts(corpora, lambda text: text.split(" "))
    assert counted == {"de": {"das": 2, "Boot": 1}, "zh": {"船": 1}, "fr": {}}
