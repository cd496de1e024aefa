from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.judge.offline.features import features
from ragaliq.judge.offline.text_features import body, read, segments

BED = ("What does a bed cost?", "A bed costs 40 credits.")


def of(answer: str, question: str = BED[0], reference: str = BED[1], lang: str = "en") -> dict[str, float]:
    return features(read(question, lang), read(reference, lang), read(answer, lang), lang)


def test_new_terms_are_those_that_the_question_does_not_hold() -> None:
    # New in the reference: 40 (weight 2) and the stem "credit" (6 letters, 0.2 each: 1.2).
    found = of("40 zlotys")
    assert found["new_recall"] == pytest.approx(2 / 3.2, abs=1e-6)
    # New in the answer: 40, and "zloti" with 5 letters: 1.0.
    assert found["new_precision"] == pytest.approx(2 / 3, abs=1e-6)
    assert of("A bed costs 40 credits.")["new_recall"] == of("credits: forty")["new_recall"] == 1


def test_an_answer_that_holds_the_reference_does_not_abstain() -> None:
    bus = ("Which bus goes to the hospital?", "Bus 17 goes to the hospital.")
    guess = "I don't really know. If I had to guess, I'd say bus 17."
    assert of(guess, *bus)["abstains"] == 0
    assert of("I don't really know. Try the timetable.", *bus)["abstains"] == 1
    # A refusal may repeat what it was asked about.
    assert of("I do not know whether bus 17 goes there.", *bus)["abstains"] == 1
    assert of("It is not stated. I cannot confirm that bus 17 goes there.", *bus)["abstains"] == 1
    # What is new in a reference that refuses is the refusal.
    assert of("Nobody knows, the documents do not say.", bus[0], "The documents do not say.")["abstains"] == 1


def test_a_reference_that_repeats_the_question_counts_whole() -> None:
    assert of("a bed", "a bed?", "a bed")["new_recall"] == 1


def test_numbers_are_compared_in_one_spelling() -> None:
    assert of("forty")["number_recall"] == of("４０")["number_recall"] == 1
    wrong = of("It costs 50 credits.")
    assert (wrong["number_recall"], wrong["number_clash"], wrong["wrong_numbers"]) == (0, 1, 1)
    assert of("Room 12 is free.", "Is room 12 free?", "Room 12 is free.")["number_recall"] == -1


def test_addresses_are_right_to_the_last_character() -> None:
    mail = ("Whom do I write to?", "To kto@example.org.")
    assert of("kto@example.org", *mail)["address_recall"] == 1
    near = of("ktoo@example.org", *mail)
    assert (near["address_recall"], near["wrong_address"]) == (0, 1)
    # New in the reference are "to" (2 letters of a function word: .1, asked for already) and the address.
    assert near["new_recall"] == near["part_least"] == 0


def test_each_part_of_an_enumeration_is_looked_for() -> None:
    listing = ("What is there?", "A gym, a library and a pool.")
    found = of("A library and a gym.", *listing)
    assert found["parts_found"] == pytest.approx(2 / 3, abs=1e-6)
    assert found["part_least"] < 0.5
    assert segments(read("健身房、图书馆和游泳池", "zh")) == [("健身房",), ("图书馆",), ("游泳池",)]


def test_yes_against_no() -> None:
    cases: list[tuple[str, str, str]] = [
        ("en", "No, it is closed.", "Yes, it is open."),
        ("de", "Nein, sie ist zu.", "Ja, sie ist offen."),
        ("fr", "Non, elle est fermée.", "Oui."),
        ("es", "No, está cerrada.", "Sí, está abierta."),
        ("ru", "Нет, закрыта.", "Да, открыта."),
        ("zh", "不，关闭。", "是的，开放。"),
    ]
    for lang, reference, answer in cases:
        assert of(answer, "?", reference, lang)["opening_agrees"] == -1, lang
        assert of(reference, "?", reference, lang)["opening_agrees"] == 1, lang


def test_chat_residue_is_cut_off() -> None:
    cases: list[tuple[str, str]] = [
        ("40 credits.<|eot_id|><|eot_id|>user<|eot_id|> And towels?", "40 credits."),
        ("<s> 40 credits. </s>", "40 credits."),
        ("40 credits.<end_of_turn>", "40 credits."),
        ("40 credits [see here](a.org)", "40 credits [see here](a.org)"),
        ("<|eot_id|>", ""),
        ("", ""),
    ]
    for text, kept in cases:
        assert body(text)[0] == kept, text
        assert (of(text)["tail"] > 0) == (kept != text), text


def test_another_script_is_seen_where_there_are_letters_of_both() -> None:
    assert of("图书馆")["script"] == 0
    assert of("40")["script"] == of("The library")["script"] == 1


@settings(max_examples=60)
@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(["en", "de", "fr", "es", "ru", "zh", "ja", "hi"]))
def test_any_texts_are_compared(reference: str, answer: str, lang: str) -> None:
    found = of(answer, "?", reference, lang)
    assert tuple(found) == tuple(of("x"))
    assert all(value == value and abs(value) < 1000 for value in found.values())


def test_texts_made_to_be_slow_or_to_overflow_are_read() -> None:
    cases: list[str] = ["a." * 3000, "1" * 6000, "万" * 6000, "1-" * 3000, "[a " * 2000, "x@" * 3000]
    for text in cases:
        assert read(text, "zh").words, text
