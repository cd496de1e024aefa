from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.benchmark.translation.form.links import link_findings, links
from unit.benchmark.translation.pair import pair, told

TEXTS = [
    ("Siehe https://a.example/x(1).html, dann www.B.de/Pfad.", {"https://a.example/x(1).html": 1, "www.b.de/Pfad": 1}),
    ("请写信至office@velmora.example。", {"office@velmora.example": 1}),
    ("[portal](https://h.com/21)for, `git log`", {"https://h.com/21": 1, "`git log`": 1}),
    ("Details on example.com; it ends.The next begins, e.g. here....well", {"example.com": 1}),
    ("Version 3.5 of 10.05.2024", {}),
]


@pytest.mark.parametrize(("text", "known"), TEXTS)
def test_addresses_are_read_to_the_last_character(text: str, known: dict[str, int]) -> None:
    assert links(text) == Counter(known)


@pytest.mark.parametrize("broken", ["offce@velmora.example", "office@velmora.com", "office @ velmora.example"])
@pytest.mark.parametrize("lang", ["de", "fr", "es", "ru", "zh"])
def test_a_changed_character_is_an_error(lang: str, broken: str) -> None:
    findings = told(link_findings([pair("Write to office@velmora.example.", f"{broken}。", f"en>{lang}")]))
    assert len(findings) == 1
    assert findings[0].startswith("link error: 'office@velmora.example' not in the translation")


def test_a_repeated_link_is_a_warning_and_an_empty_translation_another_findings() -> None:
    assert told(link_findings([pair("`a` and `a`", "`a`")])) == [
        "link warning: '`a`' 2 and 1 times in source and translation"
    ]
    assert told(link_findings([pair("`a`", "")])) == []


@given(st.text(alphabet="ab./:@`*()-h tps中я", max_size=60))
def test_a_text_against_itself_is_fine(text: str) -> None:
    assert told(link_findings([pair(text, text)])) == []
