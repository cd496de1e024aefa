"""XML that would harm is refused before it is read; every text can be written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.translation.exchange.xml_text import XmlRoot, from_xml_text, to_xml_text, xml_root
from ragaliq.errors import InputError

# All code points, halves of surrogate pairs among them; and what looks like an escape.
TEXTS = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=())),
        st.sampled_from(
            ["\\", "\\u{", "\\u{41}", "u{5C}", "\\u{110000}", "}", "\x00", "\x1f", "\ud800", "\uffff", "\r\n"]
        ),
    )
).map("".join)
FILE = Path("de.xlf")


@given(TEXTS)
def test_what_is_escaped_comes_back(text: str) -> None:
    assert from_xml_text(to_xml_text(text)) == text


def test_only_what_xml_cannot_hold_is_escaped() -> None:
    assert to_xml_text("a\x01b\ud83dc\uffff") == r"a\u{1}b\u{D83D}c\u{FFFF}"
    assert to_xml_text(r"C:\users \u0041 {x}") == r"C:\users \u0041 {x}"
    assert to_xml_text(r"\u{41}") == r"\u{5C}u{41}"
    kept = "Öffnung\t8:00\r\nчас 開門 \u0085\u2028\U0001f600\U000e0001"
    assert to_xml_text(kept) == kept


def test_an_escape_that_names_no_code_point_stays() -> None:
    assert from_xml_text(r"\u{110000} \u{} \u{41") == r"\u{110000} \u{} \u{41"
    assert from_xml_text(r"\u{10ffff}") == "\U0010ffff"


def test_the_root_is_found_in_any_encoding() -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?><tmx version="1.4"><body>8 часов</body></tmx>'
    assert xml_root(text.encode("utf-16"), FILE) == XmlRoot("tmx", "1.4")
    namespaced = b'\xef\xbb\xbf<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0" version="2.0"/>'
    assert xml_root(namespaced, FILE) == XmlRoot("xliff", "2.0")


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{LAUGHS}]><x>&i;</x>", 1),
        (f"{LAUGHS}]>\n<x a='&i;'/>", 1),
        ('<!DOCTYPE x [\n<!ENTITY f SYSTEM "file:///etc/hostname">]><x>&f;</x>', 2),
        ('<!DOCTYPE x [<!ENTITY % f SYSTEM "http://127.0.0.1:9/e.dtd"> %f;]><x/>', 1),
        ('<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<x>&nbsp;</x>', 2),
    ],
)
def test_entities_are_refused_with_their_line(text: str, line: int) -> None:
    with pytest.raises(InputError, match=rf"^de\.xlf:{line}: uses the entity '\w+'"):
        xml_root(text.encode(), FILE)


def test_a_damaged_file_says_which_line_to_correct() -> None:
    with pytest.raises(InputError, match=r"^de\.xlf:2: not XML \([^()]+\); correct this line, or save"):
        xml_root(b"<a>\n<b></a>", FILE)


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00", b"source,target\n", b"<a>\n<b></a>", b"<a/><b/>", b"<a>\x01</a>", b"<a>\xff</a>", b"<a>&nbsp;</a>",
     b'<?xml version="1.0" encoding="gb18030"?><a/>', b'<?xml version="1.0" encoding="nope"?><a/>'],
)  # fmt: skip
def test_what_is_not_xml_is_told_in_one_line(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^de\.xlf(:\d+)?: not XML \([^\n]+\); "):
        xml_root(data, FILE)
