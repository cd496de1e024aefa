from __future__ import annotations

import os
from urllib.parse import unquote_to_bytes

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.documents.names import document_id, too_long

# Names as file systems hold them: bytes that are no UTF-8 come as halves of surrogate pairs.
NAMES = st.binary(min_size=1, max_size=12).map(os.fsdecode).filter(lambda name: "/" not in name and "\0" not in name)


def test_ids_keep_every_script_and_escape_what_tables_and_ids_use() -> None:
    for path, expected in [
        ("guide/intro.md", "docs/guide/intro.md"),
        ("文档/概述.md", "docs/文档/概述.md"),
        ("Größe und Maß.md", "docs/Größe%20und%20Maß.md"),
        ("a:1-2.md", "docs/a%3A1-2.md"),
        ("100%.md", "docs/100%25.md"),
        ("tab\there\u2028.md", "docs/tab%09here%E2%80%A8.md"),
        ("\udcff.md", "docs/%FF.md"),
        ("e\u0301👩\u200d👧.md", "docs/e\u0301👩\u200d👧.md"),
    ]:
        assert document_id("docs", path, False) == expected
        assert os.fsdecode(unquote_to_bytes(expected.removeprefix("docs/"))) == path


def test_a_single_file_says_its_name_once() -> None:
    assert document_id("orientation_de.md", "orientation_de.md", True) == "orientation_de.md"
    assert document_id("handbook", "orientation_de.md", True) == "handbook/orientation_de.md"
    assert document_id("orientation.md", "orientation.md", False) == "orientation.md/orientation.md"


@given(st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=2, max_size=6, unique=True))
def test_ids_differ_where_source_or_path_do_and_hold_no_white_space(parts: list[tuple[str, str, str]]) -> None:
    ids = [document_id(label, f"{folder}/{name}", False) for label, folder, name in parts]
    assert len(set(ids)) == len(ids)
    for source_id, names in zip(ids, parts, strict=True):
        assert source_id.split() == [source_id]
        assert ":" not in source_id
        assert tuple(os.fsdecode(unquote_to_bytes(part)) for part in source_id.split("/")) == names


def test_a_label_with_a_slash_is_one_part() -> None:
    assert document_id("a/b", "c.md", False) == "a%2Fb/c.md"


def test_names_that_no_file_system_takes_are_told() -> None:
    assert not too_long("s/" + "a" * 220) and not too_long("/".join(["a" * 100] * 5))
    assert too_long("s/" + "a" * 221) and too_long("s/" + "文" * 74)
