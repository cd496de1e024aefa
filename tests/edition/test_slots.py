from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from ragaliq.edition.slots import read_slots, suits_every_language
from ragaliq.edition.wording import locale
from ragaliq.errors import InputError


def read(tmp_path: Path, text: str) -> object:
    (tmp_path / "slots").mkdir()
    (tmp_path / "slots" / "a.yaml").write_text(text, encoding="utf-8")
    return read_slots(tmp_path)


@pytest.mark.parametrize("number", range(1, 400))
def test_suits_every_language_is_the_many_of_russian_from_5_on(number: int) -> None:
    assert suits_every_language(Decimal(number)) is (number >= 5 and locale("ru").plural_form(number) == "many")


def test_decimals_suit() -> None:
    assert suits_every_language(Decimal("2.5"))
    assert not suits_every_language(Decimal("22.0"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x: {type: numbr, value: 5}", "'x': unknown type 'numbr'; known: code"),
        ("x: {type: number, value: 5, frm: 5, to: 9}", "unknown key 'frm'; did you mean 'from'"),
        ("x: {type: number, value: 22, from: 5, to: 30}", "22 is none of the"),
        ("x: {type: time, value: 17:40, from: '06:00', to: '19:00'}", '"HH:MM" in quotes is expected'),
        ("x: {type: date, value: '02-30', from: '02-02', to: '02-20'}", '"MM-DD" is expected'),
        ("x: {type: code, value: '417', pattern: '5##'}", "does not fit the pattern '5##'"),
        ("x: {type: weekday, value: monday, differs: [y]}", "'x' names 'y', no slot"),
        ("x: {type: sum, of: [1, 2]}", "names no slot"),
        ("x: {type: later, of: [x]}", "'of' is a list of two"),
        ("X: {type: weekday, value: monday}", "small letters"),
        ("[1]", "a mapping of names is expected"),
        ("x: [", "not valid YAML"),
    ],
)
def test_a_bad_slot_is_named_with_file_and_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert said in str(error.value) and "a.yaml" in str(error.value)


def test_days_begin_with_the_second_and_times_with_two(tmp_path: Path) -> None:
    slots = read_slots(tmp_path)
    assert slots == {}
    text = "d: {type: date, value: '02-02', from: '01-30', to: '02-03'}\n"
    text += "t: {type: time, value: '02:00', from: '00:00', to: '02:10'}\n"
    found = read(tmp_path, text)
    assert found["d"].choices == ((1, 30), (1, 31), (2, 2), (2, 3))  # type: ignore[index]
    assert found["t"].choices == (120, 125, 130)  # type: ignore[index]
