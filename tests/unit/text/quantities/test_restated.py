"""One text with the values as another writes them."""

from __future__ import annotations

import time

from ragaliq.text.quantities.restated import restated


def test_equal_values_are_said_as_the_other_text_says_them() -> None:
    cases: list[tuple[str, str, str, str]] = [
        ("en", "it is 1500 metres long.", "1.5 km", "it is 1.5 km long."),
        ("de", "es dauert 1 stunde und 30 minuten.", "90 minuten", "es dauert 90 minuten."),
        ("fr", "le 03/07/2026", "le 3 juillet 2026", "le 3 juillet 2026"),
        ("es", "1 hora y 30 minutos", "dura 90 minutos", "90 minutos"),
        ("ru", "03.07.2026", "3 июля 2026 года", "3 июля 2026 года"),
        ("zh", "水温68°f", "20°c", "水温20°c"),
        ("en", "on july 3rd", "3 july 2026", "on 3 july  "),
    ]
    for lang, text, like, said in cases:
        assert restated(text, like, lang) == said, text


def test_other_values_are_converted_so_that_they_clash() -> None:
    cases: list[tuple[str, str, str, str]] = [
        ("en", "1.5 m", "1.5 km", "0.0015 km"),
        ("de", "120 minuten", "1,5 stunden", "2 stunden"),
        ("ru", "20 °f", "20 °c", "-6.667 °c"),
        ("en", "on 2026-03-07", "on 3 july 2026", "on 20260307"),
    ]
    for lang, text, like, said in cases:
        assert restated(text, like, lang) == said, text


def test_a_text_beside_itself_stays_as_it_is() -> None:
    for text in ("from 3 july to 3 july 2026, 60 minutes or 1 hour", "1 km, 1000 m", "07/03/2026"):
        assert restated(text, text, "en") == text


def test_all_else_stays_as_it_is() -> None:
    for text in ("two beds", "an hour", "5 kg of apples", "9:30 uhr"):
        assert restated(text, "seven beds and 3 km", "en") == text
    assert restated("an hour", "10 hours", "en") == "an hour"


def test_a_long_list_is_said_to_its_end() -> None:
    metres = " and ".join(f"{n} m" for n in range(1, 500))
    km = " and ".join(f"{n / 1000:.3f} km" for n in range(1, 500))
    assert restated(metres, km, "en") == km


def test_many_measures_are_compared_in_time() -> None:
    for unit, numbers in (("ft", range(1, 1000)), ("ft", [5] * 1000), ("° f", range(1, 1000))):
        text = " and ".join(f"{number} {unit}" for number in numbers)
        start = time.process_time()
        restated(text, text.replace(unit, "m" if unit == "ft" else "° c"), "en")
        assert time.process_time() - start < 1.5, unit
