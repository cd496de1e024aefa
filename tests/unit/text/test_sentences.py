from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.text.sentences import sentences

PIECES = st.sampled_from([
    "Ab", "cd", "Ёж", "это", "你好", "नमस्ते", " ", "  ", "\t", ". ", ".", "! ", "? ", "。", "！", "।", "؟", "… ", "12",
    "e.g.", "“", "”", "»", ")",
])  # fmt: skip
# A letter in front keeps a line from being an item of a list, whose mark is taken off.
LINES = st.lists(PIECES, max_size=12).map(lambda pieces: "A" + "".join(pieces))


def test_a_blank_behind_a_full_stop_parts_sentences() -> None:
    for parts in [
        ["The boat leaves at nine.", "Is there another?", "No!", "Wait… There is."],
        ["Die Küche schließt um 9 Uhr.", "Älteres Essen wird entsorgt.", "Über Nacht ist zu."],
        ["Où est la clé ?", "À l’accueil.", "Élise la garde !"],
        ["¿Dónde está?", "¡Aquí!", "Él lo sabe."],
        ["Где ключ?", "Он здесь.", "Ёлка стоит!"],
        ["He said “No.”", "Then he left.", "(Nobody saw it.)", "**Really.**", "Yes."],
        ["It has 5 rooms.", "20 beds are free."],
        ["यह घर है।", "Water is here."],
    ]:
        expected = [half for part in parts for half in part.replace("… ", "…\n").split("\n")]
        assert sentences(" ".join(parts)) == expected, parts


def test_full_stops_of_other_scripts_need_no_blank() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("今天下雨。明天放晴！后天呢？", ["今天下雨。", "明天放晴！", "后天呢？"]),
        ("यह घर है। वह गया॥ठीक", ["यह घर है।", "वह गया॥", "ठीक"]),
        ("هل هذا بيت؟نعم", ["هل هذا بيت؟", "نعم"]),
        ("วันนี้ฝนตก พรุ่งนี้แดดออก", ["วันนี้ฝนตก พรุ่งนี้แดดออก"]),
    ]
    for text, expected in cases:
        assert sentences(text) == expected, text


def test_abbreviations_initials_and_numbers_end_nothing() -> None:
    for text in [
        "Ask Dr. Aldoveen, e.g. on Mondays.",
        "J. R. Smith is here.",
        "Am 3. Mai um 17. Uhr, z.B. Montag, bzw. Nr. Fünf.",
        "С 5. Мая, т.е. Завтра.",
        "It costs 3.5 credits, see www.velmora.example.com for more",
        "It is open. or so it seems",
    ]:
        assert sentences(text) == [text], text


def test_each_line_and_each_item_stands_alone() -> None:
    text = "Bring:\r\n- a torch\n* boots\n12. water. Much of it.\n\n • salt\n3) rope"
    assert sentences(text) == ["Bring:", "a torch", "boots", "water.", "Much of it.", "salt", "rope"]


def test_nothing_holds_no_sentence() -> None:
    for text in ["", " \n\t\n", "- \n"]:
        assert sentences(text) == [], text


@given(st.text())
def test_sentences_are_stripped_lines_and_never_empty(text: str) -> None:
    assert all(part and part == part.strip() and "\n" not in part for part in sentences(text))


@given(st.lists(LINES, max_size=4))
def test_only_white_space_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.lists(LINES, max_size=4))
def test_lines_are_split_each_on_its_own(lines: list[str]) -> None:
    assert sentences("\n".join(lines)) == [part for line in lines for part in sentences(line)]
