from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.form.lines import Line, LineKind, lines_of


def test_lines_by_what_they_are() -> None:
    text = "# Title\n\n- one\n2) two\n* *three*\n| a | b \\| c |\n| --- | --- |\nplain - text\n---\n* ## head\n"
    assert lines_of(text) == [
        Line(LineKind.HEADING, "Title"),
        Line(LineKind.ITEM, "one"),
        Line(LineKind.ITEM, "two"),
        Line(LineKind.ITEM, "*three*"),
        Line(LineKind.ROW, "a | b \\| c", 2),
        Line(LineKind.PLAIN, "plain - text"),
        Line(LineKind.HEADING, "head"),
    ]
    assert lines_of(" \n--\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "1、打开窗户。", "12、打开窗户。", "1、 打开窗户。", "（1）打开窗户。", "(1)打开窗户。", "（十二）打开窗户。",
        "一、打开窗户。", "十一、打开窗户。", "1.打开窗户。", "1．打开窗户。", "1）打开窗户。", "a）打开窗户。",
        "-打开窗户。", "•打开窗户。", "  （一） 打开窗户。",
    ],
)  # fmt: skip
def test_a_chinese_list_mark_needs_no_blank(line: str) -> None:
    assert lines_of(line) == [Line(LineKind.ITEM, "打开窗户。")]


def test_an_item_may_begin_with_a_number() -> None:
    assert lines_of("1、20米长的绳子\n一、一般规定") == [
        Line(LineKind.ITEM, "20米长的绳子"),
        Line(LineKind.ITEM, "一般规定"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "一、二层设有洗手间。", "1、2号楼之间有通道。", "本馆一、三层开放。", "周一、周二闭馆。", "一楼开放。",
        "共有1、3、5三条线路。", "1.5米以下儿童免票。", "2024、2025年", "（见附件）", "*重要*", "3月1日开馆。",
        "1.5 m wide", "-5 °C", "2.Satz", "e.g. this", "(2024) was dry", "a)b",
    ],
)  # fmt: skip
def test_numbers_in_sentences_are_no_list_marks(line: str) -> None:
    assert lines_of(line) == [Line(LineKind.PLAIN, line)]
