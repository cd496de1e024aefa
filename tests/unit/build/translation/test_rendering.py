"""Texts put together from translated segments."""

from __future__ import annotations

from ragaliq.build.translation.memory import Translated
from ragaliq.build.translation.rendering import render
from ragaliq.build.translation.segment import SegmentStatus
from ragaliq.build.translation.spans import sentence_spans

TEXT = "## Opening\n\n- The shop opens at 8. The café stays closed! On Sundays too.\n| Price | 5 € |\n"


def known(pairs: dict[str, str]) -> dict[str, Translated]:
    return {source: Translated(target, SegmentStatus.TRANSLATED, f"<{source}>") for source, target in pairs.items()}


GERMAN = known({"Opening": "Öffnung", "The shop opens at 8. The café stays closed!": "Der Laden öffnet um 8. Zu!",
                "On Sundays too.": "Auch sonntags.", "Price": "Preis", "5 €": "5 €"})  # fmt: skip
CHINESE = known({"Opening": "营业", "The shop opens at 8. The café stays closed!": "商店8点开门。",
                 "On Sundays too.": "周日也是。", "Price": "价格", "5 €": "5欧元"})  # fmt: skip


def test_everything_between_the_segments_stays() -> None:
    rendered = render(TEXT, sentence_spans(TEXT), GERMAN, "de")
    assert rendered.text == "## Öffnung\n\n- Der Laden öffnet um 8. Zu! Auch sonntags.\n| Preis | 5 € |\n"
    assert rendered.whole and (rendered.back or "").startswith("## <Opening>\n\n- <The shop")


def test_what_was_not_translated_back_as_a_whole_has_no_way_back() -> None:
    spans = sentence_spans(TEXT)
    edited = {**GERMAN, "Price": Translated("Kosten", SegmentStatus.EDITED)}
    assert render(TEXT, spans, edited, "de").back is None
    same = {**GERMAN, "5 €": Translated("5 €", SegmentStatus.SAME)}
    assert (render(TEXT, spans, same, "de").back or "").endswith("| <Price> | 5 € |\n")
    assert render("5 €", sentence_spans("5 €"), same, "de").back is None


def test_sentences_are_joined_as_the_language_does_it() -> None:
    assert "商店8点开门。周日也是。\n| 价格 | 5欧元 |" in render(TEXT, sentence_spans(TEXT), CHINESE, "zh").text
    text = "今天开门。明天关门。"
    said = known({"今天开门。": "Offen heute.", "明天关门。": "Morgen zu."})
    assert render(text, sentence_spans(text), said, "de").text == "Offen heute. Morgen zu."


def test_what_lacks_a_translation_is_named() -> None:
    partial = {key: value for key, value in GERMAN.items() if key != "Price"}
    partial["5 €"] = Translated("5 €", SegmentStatus.UNTRANSLATED)
    rendered = render(TEXT, sentence_spans(TEXT), partial, "de")
    assert not rendered.whole
    assert (rendered.missing, rendered.untranslated) == (("Price",), ("5 €",))
    assert "| Price | 5 € |" in rendered.text


def test_a_whole_line_of_the_memory_stands_in_for_a_sentence_without_translation() -> None:
    line = {"The shop opens at 8. The café stays closed! On Sundays too.": "Alles zu."}
    only = known({"Opening": "Öffnung", "Price": "Preis", "5 €": "5 €", **line})
    assert "\n- Alles zu.\n" in render(TEXT, sentence_spans(TEXT), only, "de").text
    assert "Alles zu." not in render(TEXT, sentence_spans(TEXT), {**GERMAN, **only}, "de").text


def test_equal_letters_in_another_normal_form_are_one_segment() -> None:
    text = "cafe\u0301"
    assert render(text, sentence_spans(text), known({"café": "Kaffee"}), "de").text == "Kaffee"
