"""Dumps of Stack Exchange sites."""

from __future__ import annotations

import tracemalloc
from html import escape
from pathlib import Path

import pytest

from ragaliq.build.questions.reading import read_questions
from ragaliq.build.questions.stack_exchange import html_text, split_tags
from ragaliq.build.settings import Questions
from ragaliq.errors import InputError

CODE = 'if (a < b && "ä") {\n\treturn;\n}'
HTML = (
    f"<p>Why does\nthis <code>a &lt; b</code> fail?</p>\n\n<pre><code>{escape(CODE)}\n</code></pre>\n"
    "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"
)
TEXT = f"Why does this `a < b` fail?\n\n```\n{CODE}\n```\n\n- one\n- two"


def post(number: int, kind: int, body: str, **more: str) -> str:
    values = {"Id": str(number), "PostTypeId": str(kind), "Body": body, **more}
    # As the dumps do: bare line ends in an attribute would be read as blanks.
    cells = {key: escape(value).replace("\n", "&#xA;").replace("\t", "&#x9;") for key, value in values.items()}
    return "  <row " + " ".join(f'{key}="{value}"' for key, value in cells.items()) + " />"


def dump(folder: Path, *posts: str) -> Path:
    path = folder / "Posts.xml"
    path.write_text('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n' + "\n".join(posts) + "\n</posts>\n")
    return path


def test_c29_questions_of_a_dump_have_their_accepted_answers_with_program_text(tmp_path: Path) -> None:
    path = dump(
        tmp_path,
        post(1, 1, HTML, Title="Comparing", AcceptedAnswerId="4", Tags="<c++><performance>"),
        post(2, 1, "<p>Nobody knows.</p>", Title="Почему?", Tags="|c++|"),
        post(3, 2, "<p>Another answer.</p>", ParentId="1"),
        post(4, 2, f"<pre><code>{escape(CODE)}</code></pre>", ParentId="1"),
        post(5, 1, "<p>Its answer was deleted.</p>", Title="Gone", AcceptedAnswerId="99", Tags="<c>"),
    )
    rows = read_questions(path, Questions(""))
    assert {row.text: row.answer for row in rows} == {
        f"Comparing\n\n{TEXT}": f"```\n{CODE}\n```",
        "Почему?\n\nNobody knows.": "",
        "Gone\n\nIts answer was deleted.": "",
    }
    # Tags are whole names: neither `c` nor `performance` is part of another.
    for tags, n in ((("c++",), 2), (("c",), 1), (("perform",), 0), (("performance", "c"), 2)):
        assert len(read_questions(path, Questions("", tags=tags))) == n, tags


def test_both_forms_of_tags_are_read() -> None:
    assert split_tags("<a><b-c>") == split_tags("|a|b-c|") == ["a", "b-c"] and split_tags("") == []


def test_the_text_of_a_post() -> None:
    assert html_text(HTML) == TEXT
    assert html_text("a<br>b &amp; <b>c</b><hr/><h2>D</h2>e") == "a\nb & c\n\nD\n\ne"
    assert html_text("") == html_text("<p>  </p>") == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<posts><row Id=1/></posts>", "not XML"),
        ("<posts></posts>", "has no question"),
        ("", "not XML"),
        ('<?xml version="1.0" encoding="qtf-8"?><posts></posts>', "not XML"),
        ('<?xml version="1.0" encoding="utf-7"?><posts></posts>', "not XML"),
    ],
)
def test_what_is_no_dump_is_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "Posts.xml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_questions(tmp_path / "Posts.xml", Questions(""))


def test_a_long_dump_is_read_without_keeping_it(tmp_path: Path) -> None:
    # The upstream reader stopped with an error at the hundredth question.
    path = dump(tmp_path, *(post(number, 1, "<p>Why?</p>", Title=f"Number {number}") for number in range(5000)))
    assert len(read_questions(path, Questions(""))) == 5000
    tracemalloc.start()
    assert read_questions(path, Questions("", tags=("none",))) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The rows as a tree would take ten times as much.
    assert peak < 500_000
