from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from ragaliq.build.edition.ranges import suits_every_language
from ragaliq.build.edition.slots import read_slots
from ragaliq.build.edition.wording import locale
from ragaliq.errors import InputError


def read(tmp_path: Path, text: str) -> object:
    (tmp_path / "slots").mkdir(exist_ok=True)
    (tmp_path / "slots" / "a.yaml").write_text(text, encoding="utf-8")
    return read_slots(tmp_path)


WEEK = "w: {type: weekday, value: monday}\n"
TIME = "t: {type: time, value: '22:40', from: '21:05', to: '22:55'}\n"


def test_suits_every_language_is_the_many_of_russian_from_5_on() -> None:
    plural = locale("ru").plural_form
    for number in range(1, 400):
        assert suits_every_language(Decimal(number)) is (number >= 5 and plural(number) == "many"), number


def test_decimals_suit() -> None:
    assert suits_every_language(Decimal("2.5"))
    assert not suits_every_language(Decimal("22.0"))


def test_a_bad_slot_is_named_with_file_and_key(tmp_path: Path) -> None:
    for number, (text, said) in enumerate(
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
            ("x: {type: [a], value: 5}", "unknown type ['a']"),
            ("x: {type: number, value: 10, from: 5, to: 20, step: 0}", "'step' is a number above 0"),
            ("x: {type: number, value: 10, from: 5, to: 20, step: abc}", "'step' is a number above 0"),
            ("x: {type: number, value: 10, from: 5, to: .inf}", "a number is expected, not inf"),
            ("x: {type: number, value: 10, from: 5, to: 9999999}", "100000 are the most"),
            ("x: {type: number, value: 2.05, from: 1.05, to: 1.06, step: 0.0001}", "more than 3 decimals"),
            (
                "x: {type: time, value: '07:40', from: '06:00', to: '08:00', step: 7.5}",
                "the step of a time is a whole number",
            ),
            ("x: {type: weekday, value: monday, among: [monday, friday]}", "fewer than three words"),
            ("x: {type: weekday, value: monday, differs: [x]}", "names itself"),
            (WEEK + "x: {type: sum, of: [w, 2]}", "'sum' is of numbers"),
            (WEEK + "x: {type: number, value: 10, from: 5, to: 20, above: w}", "'w' is a weekday, no number"),
            (TIME + "x: {type: later, of: [5, t]}", "'later' is of a time and a number of minutes"),
            (TIME + "x: {type: later, of: [t, 2.5]}", "by whole minutes"),
            # 22:55 and 65 minutes are midnight.
            (TIME + "x: {type: later, of: [t, 65]}", "past midnight in some edition"),
            ("X: {type: weekday, value: monday}", "small letters"),
            ("[1]", "a mapping of names is expected"),
            ("x: [", "not valid YAML"),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(InputError) as error:
            read(folder, text)
        assert said in str(error.value) and "a.yaml" in str(error.value), text


def test_days_begin_with_the_second_and_times_with_two(tmp_path: Path) -> None:
    slots = read_slots(tmp_path)
    assert slots == {}
    text = "d: {type: date, value: '02-02', from: '01-30', to: '02-03'}\n"
    text += "t: {type: time, value: '02:00', from: '00:00', to: '02:10'}\n"
    found = read(tmp_path, text)
    assert found["d"].choices == ((1, 30), (1, 31), (2, 2), (2, 3))  # type: ignore[index]
    assert found["t"].choices == (120, 125, 130)  # type: ignore[index]


def test_a_value_is_kept_as_its_range_writes_it(tmp_path: Path) -> None:
    found = read(tmp_path, "x: {type: number, value: 1e3, from: 500, to: 2000, step: 100}")
    assert str(found["x"].value) == "1000"  # type: ignore[index]


def test_the_last_minute_of_a_day_is_reached(tmp_path: Path) -> None:
    assert len(read(tmp_path, TIME + "x: {type: later, of: [t, 64]}")) == 2  # type: ignore[arg-type]
