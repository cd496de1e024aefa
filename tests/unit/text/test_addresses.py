from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.text.addresses import addresses, codes, without_addresses, without_fences


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


def test_addresses_and_code_are_taken_out_and_the_words_beside_them_stay() -> None:
    cases = [
        ("Write to Archive@velmora.example, or `call x.y`.", "Write to ¦, or ¦."),
        ("请写信至archive@velmora.example。问题由档案员解答。", "请写信至¦。问题由档案员解答。"),
        ("访问www.velmora.example/form，或velmora.example。", "访问¦，或¦。"),
        ("The [site](https://velmora.example/a). End.Next 3.5, e.g. this", "The [site](¦). End.Next 3.5, e.g. this"),
        ("", ""),
    ]
    for text, expected in cases:
        assert without_addresses(text, "¦") == expected, text


def test_fenced_code_is_taken_out() -> None:
    cases: list[tuple[str, tuple[str, tuple[str, ...]]]] = [
        ("a\n```sh\n  x y\n\nz\n```\nb", ("a\nb", ("x y", "z"))),
        ("~~~\n```\n~~~\nb", ("b", ("```",))),
        ("````\n```\n````", ("", ("```",))),
        ("a\n```\nx", ("a", ("x",))),
        ("a `x` b", ("a `x` b", ())),
        ("", ("", ())),
    ]
    for text, expected in cases:
        assert without_fences(text) == expected, text


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert all("." in address for address in addresses(text))
    assert isinstance(codes(text), tuple)
    assert without_addresses(without_addresses(text)) == without_addresses(text)
