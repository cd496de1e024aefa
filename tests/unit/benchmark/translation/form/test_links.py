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
    ("Open http://localhost:8080/admin now", {"http://localhost:8080/admin": 1}),
    ("请打开http://localhost:8080/admin。", {"http://localhost:8080/admin": 1}),
    ("Откройте https://intranet", {"https://intranet": 1}),
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


FENCED = (
    "Run this:\n\n```sh\n# Install it first.\npip install orvella\norvella serve --port 80  # the port\n```\nThen wait."
)


@pytest.mark.parametrize("lang", ["de", "zh"])
def test_the_lines_of_fenced_code_stay_and_its_comments_need_not(lang: str) -> None:
    sound = {
        "de": FENCED.replace("Run this", "Führen Sie dies aus").replace("Install it first", "Zuerst installieren"),
        "zh": FENCED.replace("Run this", "请运行").replace("Install it first", "先安装").replace("the port", "端口"),
    }[lang]
    assert told(link_findings([pair(FENCED, sound, f"en>{lang}")])) == []
    for old, new in (("pip install orvella", "pip install orvela"), ("--port 80", "--port 81")):
        [finding] = told(link_findings([pair(FENCED, sound.replace(old, new), f"en>{lang}")]))
        assert finding.startswith("link error: code: '") and old in finding and new in finding
    [finding] = told(link_findings([pair(FENCED, sound.replace("pip install orvella\n", ""), f"en>{lang}")]))
    assert finding == "link error: code: 'pip install orvella' not in the translation"


def test_text_in_a_fence_may_be_translated() -> None:
    source, target = "~~~\nDear guests,\nwe are closed.\n~~~", "~~~\nLiebe Gäste,\nwir haben geschlossen.\n~~~"
    assert [finding.split(":")[0] for finding in told(link_findings([pair(source, target)]))] == ["link warning"]
