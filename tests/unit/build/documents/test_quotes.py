from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.documents.quotes import find_quote

TEXT = "Die Bibliothek ist von 09:00 bis 18:30 Uhr geöffnet – außer sonntags.\nSie heißt „Nordlicht“."


def test_a_quote_is_found_whatever_its_white_space_case_marks_and_forms() -> None:
    for quote, expected in [
        ("von 09:00 bis 18:30 Uhr", "von 09:00 bis 18:30 Uhr"),
        ("  von 09:00 bis 18:30 Uhr\n", "von 09:00 bis 18:30 Uhr"),
        ("VON 09:00\nBIS  18:30 uhr", "von 09:00 bis 18:30 Uhr"),
        ('geöffnet - außer sonntags. Sie heißt "Nordlicht".', "geöffnet – außer sonntags.\nSie heißt „Nordlicht“."),
        (unicodedata.normalize("NFD", "geöffnet – außer"), "geöffnet – außer"),
        ("０９：００", "09:00"),
        ("Die Bibliothek ist von 09:00 bis 18:30 Uhr geofnet", "Die Bibliothek ist von 09:00 bis 18:30 Uhr geöffnet"),
    ]:
        span = find_quote(quote, TEXT)
        assert span is not None and TEXT[span[0] : span[1]] == expected, quote


def test_what_does_not_stand_there_is_not_found() -> None:
    for quote in [
        "",
        " \n",
        "Die Mensa ist von 09:00 bis 18:30 Uhr geöffnet",
        "Die Bibliothek ist von 09:00 bis 19:30 Uhr geöffnet",
        "Die Bibliothek ist sonntags geöffnet",
        "Die Bibliothek heißt „Nordlicht“",
    ]:
        assert find_quote(quote, TEXT) is None, quote
    assert find_quote("a", "") is None


def test_offsets_are_code_points_in_every_script() -> None:
    for text, quote in [
        ("🚪 实验室每天早上八点开门，周末不开放。", "每天早上八点开门"),
        ("👩\u200d🔬 Лаборатория открыта с восьми.", "открыта с восьми"),
        ("प्रयोगशाला आठ बजे खुलती है।", "आठ बजे"),
    ]:
        start = text.index(quote)
        assert find_quote(quote, text) == (start, start + len(quote))


LETTERS = st.text("aÄß1文ё\u0308 \n“🇩\u200d.", min_size=1, max_size=60)


@given(LETTERS, st.data())
def test_each_part_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    span = find_quote(quote, text)
    assert (span is None) == (not quote.strip())
    assert span is None or text[span[0] : span[1]] == quote.strip()
