from __future__ import annotations

import random
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.documents.chunking import Chunking, chunk_document
from ragaliq.llm.tokens import estimate_tokens
from ragaliq.types import Chunk

# What random documents are made of: scripts with and without spaces, marks, sequences, all kinds of line ends.
PIECES = [
    "a", "Word", "Straße", "Ёж", "это", "你好", "世界。", "नमस्ते", "สวัสดี", "مرحبا؟", "한국어", "e\u0301\u0302",
    "👩\u200d👩\u200d👧\u200d👦", "🇩🇪", "🇫🇷", " ", "  ", "\t", "\n", "\n\n", "\r\n", "\r", "\u2028", "\u0085",
    "\u00a0", "\u200b", "\ufeff", "\x0c", ". ", "! ", "? ", "。", "# ", "\n## ", "\n===\n", "\n---\n", "```\n",
    "~~~\n", "|", "- ", "1. ", "\n    ", "0", "\ud7ff", "\U0010ffff",
]  # fmt: skip
SUFFIXES = ["md", "txt", "py", "cpp", "rst", "json"]
WORDS = Chunking(6, lambda text: len(text.split()))


def cut(text: str, most: int, source_id: str = "s/a.md", *, by_section: bool = True) -> list[str]:
    return [one.text for one in chunk_document(text, source_id, "en", Chunking(most, estimate_tokens, by_section))]


def check(text: str, chunks: list[Chunk], most: int) -> None:
    """Spans are exact and ascending, what lies between is white space, and no chunk has too many tokens."""
    at = 0
    for one in chunks:
        assert text[one.start : one.end] == one.text
        assert at <= one.start < one.end
        assert not text[at : one.start].strip()
        assert estimate_tokens(one.text) <= most
        assert one.doc_id == f"{one.source_id}:{one.start}-{one.end}"
        at = one.end
    assert not text[at:].strip()
    assert len({one.doc_id for one in chunks}) == len(chunks)


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.sampled_from(SUFFIXES), st.integers(1, 40),
       st.booleans())  # fmt: skip
def test_spans_are_exact_and_nothing_but_white_space_is_lost(text: str, suffix: str, most: int, by: bool) -> None:
    chunking = Chunking(most, estimate_tokens, by)
    check(text, list(chunk_document(text, f"s/a.{suffix}", "en", chunking)), most)


@pytest.mark.slow
def test_spans_are_exact_in_ten_thousand_random_documents() -> None:
    draw = random.Random(0)
    cut_texts = 0
    for number in range(10_000):
        if number % 2:
            text = "".join(draw.choices(PIECES, k=draw.randrange(1, 80)))
        else:
            # All of Unicode but halves of surrogate pairs, which no file holds.
            codes = (draw.randrange(0x10F800) for _ in range(draw.randrange(1, 80)))
            text = "".join(chr(code if code < 0xD800 else code + 0x800) for code in codes)
        most = draw.randrange(1, 60)
        chunking = Chunking(most, estimate_tokens, draw.random() < 0.5)
        chunks = list(chunk_document(text, f"s/a.{draw.choice(SUFFIXES)}", "en", chunking))
        check(text, chunks, most)
        cut_texts += len(chunks) > 1
    assert cut_texts > 5_000


def test_the_maximum_holds_where_there_is_nowhere_to_cut() -> None:
    for text in [
        "a" * 5_000,
        "e" + "\u0301" * 1_000,
        "👩‍👩‍👧‍👦" * 100,
        "中" * 1_000,
        "สวัสดี" * 200,
        "line\r\n" * 300,
        "one\u2028" * 300,
        "1" * 999,
        "`" * 500,
    ]:
        for suffix in ("md", "py"):
            chunks = list(chunk_document(text, f"a.{suffix}", "en", Chunking(50, estimate_tokens)))
            check(text, chunks, 50)
            # A cut does not waste more than half of the maximum.
            assert len(chunks) <= 2 * estimate_tokens(text) / 50 + 1, text[:9]


def test_characters_as_readers_see_them_stay_whole() -> None:
    family = "👩‍👩‍👧‍👦"
    for text in (family * 20, "e\u0301\u0302" * 20, "🇩🇪" * 20, "नि" * 30):
        size = len(text) // (30 if text[0] == "न" else 20)
        for one in cut(text, 12):
            assert len(one) % size == 0, one


def test_a_text_within_the_maximum_stays_whole() -> None:
    assert cut("One. Two.\n\nThree.", 20) == ["One. Two.\n\nThree."]
    assert cut(" \n\n ", 20) == cut("", 20) == []


def test_sections_are_cut_apart_and_know_the_headings_above() -> None:
    text = "Before.\n\n# Station\n\n## Meals\n\nAt eight.\n\n### Drinks ###\n\nTea.\n\n## Labs\n\nOpen.\n"
    chunks = list(chunk_document(text, "a.md", "en", Chunking(500, estimate_tokens)))
    assert [(one.title, one.text) for one in chunks] == [
        ("", "Before."),
        ("Station › Meals", "# Station\n\n## Meals\n\nAt eight."),
        ("Station › Meals › Drinks", "### Drinks ###\n\nTea."),
        ("Station › Labs", "## Labs\n\nOpen."),
    ]
    whole = list(chunk_document(text, "a.md", "en", Chunking(500, estimate_tokens, sections=False)))
    assert [(one.title, one.text) for one in whole] == [("", text.strip())]


def test_a_chunk_of_a_joined_text_has_the_title_that_it_starts_under() -> None:
    text = "# One\n\na b c\n\n# Two\n\nd e\n\n# Three\n\nf g"
    joined = Chunking(9, lambda text: len(text.split()), sections=False)
    assert [(one.title, one.text.split()[-1]) for one in chunk_document(text, "a.md", "en", joined)] == [
        ("One", "e"), ("Three", "g"),
    ]  # fmt: skip


def test_a_long_section_is_cut_at_paragraphs_before_sentences() -> None:
    text = "One two three. Four.\n\nFive six. Seven eight nine ten eleven. Twelve."
    assert [one.text for one in chunk_document(text, "a.md", "en", WORDS)] == [
        "One two three. Four.\n\nFive six.",
        "Seven eight nine ten eleven. Twelve.",
    ]


def test_sentences_stay_whole_in_every_language() -> None:
    for parts in [
        ["The boat leaves at nine.", " Is there another one today?", " No, there is none!"],
        ["Die Küche schließt um 9 Uhr.", " Älteres Essen wird entsorgt.", " Über Nacht ist zu."],
        ["Où est la clé de la salle ?", " À l’accueil, comme toujours.", " Élise la garde !"],
        ["¿Dónde está la llave?", " ¡Aquí está la llave!", " Él ya lo sabe todo."],
        ["Где ключ от лаборатории?", " Он лежит в ящике.", " Ёлка стоит в зале!"],
        ["实验室几点开门？", "每天早上八点开门。", "周末不开放！"],
        ["متى يفتح المختبر؟", " يفتح في الثامنة.", " لا يفتح يوم الجمعة!"],
        ["प्रयोगशाला कब खुलती है?", " यह आठ बजे खुलती है।", "रविवार को बंद रहती है।"],
        ["ห้องทดลองเปิดกี่โมง", " เปิดแปดโมงเช้าทุกวัน", " วันอาทิตย์ปิดทำการ"],
    ]:
        most = max(estimate_tokens(part) for part in parts)
        expected = [part.strip() for part in parts]
        assert cut("".join(parts), most) == expected, parts


def test_lines_of_crlf_and_of_lf_are_cut_alike() -> None:
    text = "# One\n\nFirst line here\nsecond line here\n\nThird.\n\n# Two\n\nFourth.\n"
    for most in (5, 8, 20):
        # The carriage return is one more token of the estimate, so the comparison counts words.
        chunking = Chunking(most, lambda text: len(text.split()))
        plain, dos = (
            [one.text for one in chunk_document(version, "a.md", "en", chunking)]
            for version in (text, text.replace("\n", "\r\n"))
        )
        assert [one.replace("\r\n", "\n") for one in dos] == plain


PYTHON = '''"""Größen: Länge und Höhe."""

class Maß:
    """Ein Maß."""

    def höhe(self):
        return "hö" * 2

    def länge(self):
        return "läng" * 3

def größe():
    return "größer"
'''


def test_code_is_cut_before_definitions_and_keeps_its_indentation() -> None:
    chunks = list(chunk_document(PYTHON, "s/maß.py", "de", WORDS))
    assert [one.text.split("\n")[0] for one in chunks] == [
        '"""Größen: Länge und Höhe."""', "class Maß:", "    def höhe(self):", "    def länge(self):", "def größe():",
    ]  # fmt: skip
    assert "".join(re.sub(r"\s", "", one.text) for one in chunks) == re.sub(r"\s", "", PYTHON)
    assert [one.title for one in chunks] == [""] * len(chunks)


def test_definitions_come_before_lines_and_lines_before_sentences() -> None:
    tight = "def one():\n    a = 1\ndef two():\n    b = 2\n    c = 3\n"
    assert [one.text for one in chunk_document(tight, "a.py", "en", Chunking(9, lambda text: len(text.split())))] == [
        "def one():\n    a = 1", "def two():\n    b = 2\n    c = 3",
    ]  # fmt: skip
    lines = 'print("One. Two three four. Five")\nprint("Six. Seven")'
    assert [one.text for one in chunk_document(lines, "a.py", "en", WORDS)] == lines.split("\n")


def test_a_chunk_holds_as_much_as_fits() -> None:
    for most in (1, 6, 11, 16, 37):
        chunking = Chunking(most, lambda text: len(text.split()))
        sizes = [len(one.text.split()) for one in chunk_document("word " * 100, "a.md", "en", chunking)]
        assert sizes[:-1] == [most] * (100 // most - (100 % most == 0)) and sum(sizes) == 100


def test_a_number_sign_in_code_is_no_heading() -> None:
    for name in ("a.py", "Dockerfile", "CMakeLists.txt", "a.sh"):
        (whole,) = chunk_document("# comment\nrun\n\n# comment\nrun\n", name, "en", Chunking(100, estimate_tokens))
        assert whole.title == "", name


def test_fenced_code_stays_whole_if_it_can() -> None:
    text = "Intro one two.\n\n```\na b\n\nc d\n```\n\nAfter one two three."
    assert [one.text for one in chunk_document(text, "a.md", "en", Chunking(7, lambda text: len(text.split())))] == [
        "Intro one two.", "```\na b\n\nc d\n```", "After one two three.",
    ]  # fmt: skip


def test_a_tokenizer_that_counts_more_for_the_whole_keeps_the_maximum() -> None:
    # Two texts joined may have more tokens than both alone: a token for each boundary of lines.
    def count(text: str) -> int:
        return len(text.split()) + 3 * text.count("\n")

    text = "a b.\nc d.\ne f.\ng h."
    assert [one.text for one in chunk_document(text, "a.md", "en", Chunking(6, count))] == [
        "a b.",
        "c d.",
        "e f.",
        "g h.",
    ]
    assert len(list(chunk_document(text, "a.md", "en", Chunking(7, count)))) == 2


def test_long_texts_take_linear_time() -> None:
    def steps(text: str, most: int = 100) -> int:
        lengths: list[int] = []

        def count(part: str) -> int:
            lengths.append(len(part))
            return len(part)

        list(chunk_document(text, "a.md", "en", Chunking(most, count)))
        return sum(lengths)

    for unit in ("a", "中", "# ", "\n\n", "| "):
        short, long = steps(unit * 2_000), steps(unit * 8_000)
        assert long <= 5 * short + 1000, unit
    # Neither does a chunk of many words count each prefix of itself.
    assert steps("a " * 4_000, 4_000) < 50 * 8_000


def test_neighbours_in_unicode_do_not_change_where_a_text_is_cut() -> None:
    composed = "Größe für Äpfel. Über Öl. " * 10
    decomposed = unicodedata.normalize("NFD", composed)
    spans = [
        [one.text.split()[0] for one in chunk_document(text, "a.md", "de", WORDS)] for text in (composed, decomposed)
    ]
    assert [unicodedata.normalize("NFC", word) for word in spans[1]] == spans[0]
