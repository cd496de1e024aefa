from __future__ import annotations

from ragaliq.build.documents.markdown import has_sections, markdown_sections, paragraph_starts


def parts(text: str) -> list[tuple[str, str]]:
    sections = markdown_sections(text)
    ends = [start for start, _ in sections[1:]] + [len(text)]
    return [(title, text[start:end]) for (start, title), end in zip(sections, ends, strict=True)]


def test_headings_of_both_forms_begin_sections() -> None:
    for text, expected in [
        ("a\n# B\nc", [("", "a\n"), ("B", "# B\nc")]),
        ("a\n\nB\n===\nc\n\nD\n---\ne", [("", "a\n\n"), ("B", "B\n===\nc\n\n"), ("B › D", "D\n---\ne")]),
        ("# A\nx\n### B\ny\n## C\nz\n# D", [
            ("A", "# A\nx\n"), ("A › B", "### B\ny\n"), ("A › C", "## C\nz\n"), ("D", "# D"),
        ]),
        ("# A #\nx\n# C#\ny\n# F # #\nz\n#\nw", [
            ("A", "# A #\nx\n"), ("C#", "# C#\ny\n"), ("F #", "# F # #\nz\n"), ("", "#\nw"),
        ]),
        ("#tag\n####### no\n    # code\nx", [("", "#tag\n####### no\n    # code\nx")]),
        ("# 概述\r\n正文\r\n## 细节\r\n正文", [("概述", "# 概述\r\n正文\r\n"), ("概述 › 细节", "## 细节\r\n正文")]),
        ("a\r\n\r\nB\r\n===\r\nc", [("", "a\r\n\r\n"), ("B", "B\r\n===\r\nc")]),
    ]:  # fmt: skip
        assert parts(text) == expected, text


def test_a_heading_followed_by_a_heading_begins_one_section() -> None:
    assert parts("# A\n\n## B\n\nx") == [("A › B", "# A\n\n## B\n\nx")]
    assert parts("A\n===\n\nB\n---\nx") == [("A › B", "A\n===\n\nB\n---\nx")]
    assert parts("x\n# A\n## B\ny\n# C") == [("", "x\n"), ("A › B", "# A\n## B\ny\n"), ("C", "# C")]


def test_what_only_looks_like_a_heading_begins_nothing() -> None:
    for text in [
        "```\n# a\n```\nb",
        "~~~ sh\n# a\n```\n# b\n~~~",
        "````\n```\n# a\n````\nb",
        "```\n# never closed\n",
        "```\n``` sh\n# a\n```\nb",
        "```\na\n```\n---\nb",
        "x\n\n---\n\ny",
        "| a |\n---\nb",
        "> a\n---\nb",
        "- a\n---\nb",
        "one\u2028# two\x0c# three\x85# four",
        "---\ntitle: a\nlang: b\n---\ntext",
    ]:
        assert [title for title, _ in parts(text)] == [""], text


def test_code_within_a_line_opens_no_fence() -> None:
    assert [title for title, _ in parts("```a``` b\n# C\nd")] == ["", "C"]


def test_front_matter_stays_with_what_follows() -> None:
    assert parts("---\ntitle: a\n---\n# B\nc") == [("", "---\ntitle: a\n---\n"), ("B", "# B\nc")]


def test_paragraphs_begin_behind_blank_lines() -> None:
    for text, expected in [
        ("a\nb\n\nc\n \t\n\n  d\n\n", [5, 11]),
        ("\n\na", [2]),
        ("a\r\n\r\nb", [5]),
        ("a", []),
        ("", []),
    ]:
        assert list(paragraph_starts(text)) == expected, text
    fenced = "a\n\n```\nb\n\nc\n```\n\nd"
    assert [fenced[start] for start in paragraph_starts(fenced)] == ["`", "c", "d"]
    assert [fenced[start] for start in paragraph_starts(fenced, fences=False)] == ["`", "d"]


def test_prose_has_sections_and_programs_have_none() -> None:
    for name, expected in {"a.md": True, "A.MD": True, "b.txt": True, "c.py": False, "d.rst": False,
                           "CMakeLists.txt": False, "e": False}.items():  # fmt: skip
        assert has_sections(name) == expected, name
