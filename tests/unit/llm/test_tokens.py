"""Tokens without a tokenizer: rough, rather too many than too few."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.llm.tokens import estimate_chat, estimate_tokens


def test_by_hand() -> None:
    cases: list[tuple[str, int]] = [
        ("", 0),
        ("a", 1),
        ("abcdefg", 2),  # 7 / 3.5
        ("straße", 2),  # 6 / 3.5, rounded up
        ("Где я?", 3),  # 4 / 2 + 1
        ("屋顶是蓝色的", 6),
        ("かな漢字", 4),
        ("屋顶 AB", 3),  # 2 + 2 / 3.5
        ("07:30–19:45", 11),
        ("a b\n", 2),  # 2 / 3.5 + 1
    ]
    for text, tokens in cases:
        assert estimate_tokens(text) == tokens, text


# How many tokens OpenAI's encoding `o200k_base` gives these texts.
def test_rather_too_many_than_too_few() -> None:
    cases: list[tuple[str, int]] = [
        ("The North Canteen opens at seven in the morning.", 12),
        ("Die Nordkantine öffnet um sieben Uhr morgens.", 11),
        ("La cantine nord ouvre à sept heures du matin.", 11),
        ("La cantina norte abre a las siete de la mañana.", 12),
        ("Северная столовая открывается в семь часов утра.", 12),
        ("北食堂早上七点开门。", 10),
        ("| Mon | 07:30–19:45 | EUR 1,250.50 |", 20),
    ]
    for text, tokens in cases:
        assert tokens <= estimate_tokens(text) <= 2 * tokens, text


@given(st.text(), st.text())
def test_longer_texts_have_more(one: str, two: str) -> None:
    whole = estimate_tokens(one + two)
    assert max(estimate_tokens(one), estimate_tokens(two)) <= whole <= estimate_tokens(one) + estimate_tokens(two)


def test_a_chat_has_its_texts_and_a_little_for_each_message() -> None:
    chat = [{"role": "system", "content": "abcdefg"}, {"role": "user", "content": "屋顶"}]
    assert estimate_chat(chat) == 2 + 2 + 2 * 8
    assert estimate_chat([]) == 0
