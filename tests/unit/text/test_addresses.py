from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.text.addresses import addresses, codes


def test_mails_and_links_are_found_bare() -> None:
    cases: list[tuple[str, tuple[str, ...]]] = [
        ("write to anna@velmora.example.", ("anna@velmora.example",)),
        ("see https://www.box.example.org/s/abc, or box.example.org/s/abc", ("box.example.org/s/abc",)),
        ("[a@b.org](mailto:a@b.org)", ("a@b.org",)),
        ("邮箱是a@b.org。", ("a@b.org",)),
        ("version 2.5 costs 3.50", ()),
        ("no address", ()),
        ("", ()),
    ]
    for text, expected in cases:
        assert addresses(text) == expected, text


def test_codes_mix_letters_and_digits() -> None:
    assert codes("room e-r3-2030, line mcd-1, 3d, 36 beds, kto@a1.ru") == ("e-r3-2030", "mcd-1", "3d")


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert all("." in address for address in addresses(text))
    assert isinstance(codes(text), tuple)
