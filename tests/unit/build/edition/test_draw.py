from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.edition.draw import Facts, draw_facts
from ragaliq.build.edition.ranges import SlotType
from ragaliq.build.edition.slots import Slot, read_slots
from ragaliq.build.edition.template import Template
from ragaliq.build.edition.template_reader import read_template
from ragaliq.errors import InputError
from unit.build.edition.small_template import Make

POOLS = {
    "weekday": ("monday", "tuesday", "wednesday"),
    "colour": ("red", "green"),
    "woman": ("Mira", "Katla"),
    "man": ("Torben", "Milo"),
    "surname": ("Brandvik", "Norlin", "Tervin", "Karsund"),
}


def slots_of(tmp_path: Path, text: str) -> dict[str, Slot]:
    (tmp_path / "slots").mkdir(exist_ok=True)
    (tmp_path / "slots" / "a.yaml").write_text(text, encoding="utf-8")
    return read_slots(tmp_path)


def facts(template: Template, seed: int) -> Facts:
    return draw_facts(template.slots, template.pools, seed, frozenset())


@pytest.fixture
def template(make_template: Make) -> Template:
    return read_template(make_template(), ["en"])


def test_edition_0_holds_the_values_of_the_template(template: Template) -> None:
    right = facts(template, 0).right
    assert right["pier_open"] == 7 * 60 + 40
    assert right["pier_day"] == (11, 15)
    assert right["pier_crew_two"] == Decimal(32)
    # 08:50 and 12 minutes.
    assert right["pier_end"] == 9 * 60 + 2


def test_another_edition_has_none_of_them(template: Template) -> None:
    first = facts(template, 0).right
    for seed in (1, 2, 3, 10**40):
        other = facts(template, seed).right
        assert not [name for name in first if first[name] == other[name] and name not in ("pier_crew_two", "pier_end")]


def test_a_wrong_value_is_never_right_and_what_is_above_stays_above(template: Template) -> None:
    for seed in range(30):
        edition = facts(template, seed)
        assert not [name for name in edition.right if edition.right[name] == edition.wrong[name]], seed
        assert edition.right["pier_close"] > edition.right["pier_open"], seed  # type: ignore[operator]


def test_slots_that_differ_differ_and_a_wrong_value_is_not_the_rivals(tmp_path: Path) -> None:
    slots = slots_of(
        tmp_path,
        "one: {type: weekday, value: monday, differs: [two]}\ntwo: {type: weekday, value: tuesday}\n",
    )
    for seed in range(40):
        edition = draw_facts(
            slots, {**POOLS, "weekday": ("monday", "tuesday", "wednesday", "friday")}, seed, frozenset()
        )
        assert edition.right["one"] != edition.right["two"]
        assert edition.wrong["one"] not in edition.right.values()
        assert edition.wrong["two"] not in edition.right.values()


def test_people_and_codes_never_repeat(tmp_path: Path) -> None:
    text = "".join(f"p{i}: {{type: woman, value: Mira X{i}}}\n" for i in range(3))
    text += "".join(f'c{i}: {{type: code, value: "41{i}", pattern: "4##"}}\n' for i in range(9))
    slots = slots_of(tmp_path, text)
    taken = frozenset(f"4{n}{m}" for n in range(1, 9) for m in range(10))
    for seed in range(1, 20):
        right = draw_facts(slots, POOLS, seed, taken).right
        assert len({str(right[f"p{i}"]).split()[1] for i in range(3)}) == 3
        codes = {str(right[f"c{i}"]) for i in range(9)}
        assert len(codes) == 9 and not codes & taken


def test_another_slot_moves_no_value(tmp_path: Path) -> None:
    text = 'one: {type: time, value: "07:40", from: "06:05", to: "08:55"}\n'
    before = draw_facts(slots_of(tmp_path, text), POOLS, 5, frozenset()).right["one"]
    more = slots_of(tmp_path, text + "also: {type: number, value: 12, from: 5, to: 90}\n")
    assert draw_facts(more, POOLS, 5, frozenset()).right["one"] == before


def test_a_slot_without_a_value_left_is_refused(tmp_path: Path) -> None:
    text = "".join(
        f"w{i}: {{type: weekday, value: monday, differs: {[f'w{j}' for j in range(i)]}}}\n" for i in range(4)
    )
    with pytest.raises(InputError, match="'w2' of 'a': no value is left"):
        draw_facts(slots_of(tmp_path, text.replace("'", "")), POOLS, 1, frozenset())


def test_a_circle_is_refused(tmp_path: Path) -> None:
    slots = slots_of(tmp_path, "a: {type: sum, of: [b, 1]}\nb: {type: sum, of: [a, 1]}\n")
    with pytest.raises(InputError, match="in a circle"):
        draw_facts(slots, POOLS, 1, frozenset())


@given(st.integers(min_value=0, max_value=2**130))
def test_every_drawn_number_suits_every_language(seed: int) -> None:
    slot = Slot("n", "a", SlotType.NUMBER, Decimal(5), tuple(Decimal(n) for n in (5, 20, 25, 111, 135, 1450)))
    value = draw_facts({"n": slot}, POOLS, seed, frozenset()).right["n"]
    # Russian: the last two digits are 5–20, or the last is 0 or 5–9.
    assert 5 <= int(str(value)) % 100 <= 20 or int(str(value)) % 10 in (0, 5, 6, 7, 8, 9)


def test_a_wrong_difference_is_never_as_far_on_the_other_side(tmp_path: Path) -> None:
    text = "n: {type: number, value: 10, from: 5, to: 20}\nd: {type: difference, of: [n, 12]}\n"
    slots = slots_of(tmp_path, text)
    for seed in (*range(150), 10**40):
        edition = draw_facts(slots, POOLS, seed, frozenset())
        assert edition.wrong["d"] != edition.right["d"], seed


def test_edition_0_keeps_the_rules_too(tmp_path: Path) -> None:
    for number, second in enumerate(
        [
            "{type: weekday, value: monday, differs: [one]}",
            "{type: weekday, value: monday}\nx: {type: time, value: '07:00', from: '06:00', to: '09:00', above: y}\n"
            "y: {type: time, value: '07:00', from: '06:00', to: '09:00'}",
            "{type: code, value: K-1, pattern: 'K-#'}\nx: {type: code, value: K-1, pattern: 'K-#'}",
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        slots = slots_of(folder, f"one: {{type: weekday, value: monday}}\ntwo: {second}\n")
        with pytest.raises(InputError, match="its value of edition 0 breaks"):
            draw_facts(slots, POOLS, 0, frozenset())


def test_a_time_worked_out_in_two_steps_does_not_pass_midnight(tmp_path: Path) -> None:
    text = "t: {type: time, value: '22:00', from: '21:05', to: '22:55'}\nn: {type: sum, of: [m, 55]}\n"
    text += "m: {type: number, value: 70, from: 65, to: 90}\nl: {type: later, of: [t, n]}\n"
    with pytest.raises(InputError, match="'l' of 'a': falls before 02:00 or past midnight"):
        draw_facts(slots_of(tmp_path, text), POOLS, 1, frozenset())
