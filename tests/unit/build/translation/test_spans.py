"""Places of segments: sentences, cells, list items; never marks, fences or blanks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.translation.spans import is_unspaced, line_spans, sentence_spans

TEXT = """# Haus & Hof #

1. Erster Punkt. Noch ein Satz!
   - [x] Unterpunkt
> Zitat hier.

| Raum | Preis |
| --- | ---: |
| Küche | 45 € |

```python
print("nicht übersetzen")
```
早上八点开门。晚上关门。
***
2031
"""


def cut(text: str, fence: str = "") -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, fence)]


def test_marks_headings_tables_and_code_stay_outside() -> None:
    assert cut(TEXT) == [
        "Haus & Hof", "Erster Punkt.", "Noch ein Satz!", "Unterpunkt", "Zitat hier.", "Raum", "Preis", "Küche", "45 €",
        "早上八点开门。", "晚上关门。", "2031",
    ]  # fmt: skip


def test_a_line_is_one_segment_if_sentences_are_not_cut() -> None:
    text = "- Ich komme um 8. Wann öffnet ihr?\nВторая строка. Ещё одна."
    assert [text[start:end] for start, end in line_spans(text)] == [
        "Ich komme um 8. Wann öffnet ihr?",
        "Вторая строка. Ещё одна.",
    ]


def test_a_chunk_may_begin_inside_code() -> None:
    assert cut("x = 1\n```\nText danach.", "```") == ["Text danach."]


def test_languages_without_blanks_between_sentences() -> None:
    assert [is_unspaced(lang) for lang in ("zh", "zh-Hant", "ja", "th", "ko", "de", "ru")] == [True] * 4 + [False] * 3


@given(st.text(alphabet="ab.!? \n|#-*`1。é\u0301", max_size=60))
def test_segments_are_in_order_apart_trimmed_and_never_blank(text: str) -> None:
    end_before = 0
    for start, end in sentence_spans(text):
        assert end_before <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip() and any(map(str.isalnum, text[start:end]))
        assert "\n" not in text[start:end]
        end_before = end
