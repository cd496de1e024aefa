"""What other chunkers get wrong, read or reproduced in their releases: each once, as it must be here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragaliq.build.documents.chunking import Chunking, chunk_document
from ragaliq.build.documents.names import document_id
from ragaliq.build.documents.reading import read_files
from ragaliq.llm.tokens import estimate_tokens
from ragaliq.types import Chunk
from unit.build.folders import write_folder


def chunks(text: str, name: str, most: int = 40) -> list[Chunk]:
    return list(chunk_document(text, f"repo/{name}", "en", Chunking(most, estimate_tokens)))


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_freshstack_1_spans_of_code_are_characters_not_bytes() -> None:
    function = '\ndef größe_{0}():\n    """Größe der Übung «Ёлка» 文档 {0}."""\n    return "ä" * {0}\n'
    text = "".join(function.format(number) for number in range(40))
    parts = chunks(text, "maße.py", 60)
    assert len(parts) > 10
    assert all(one.text.startswith("def größe_") for one in parts)
    assert letters("".join(one.text for one in parts)) == letters(text)
    assert all(text[one.start : one.end] == one.text for one in parts)


def test_freshstack_1_spans_within_one_large_definition_count_from_the_file() -> None:
    text = "# Über\n" * 5 + "def f():\n" + "".join(f"    x{number} = 'ä'\n" for number in range(100))
    parts = chunks(text, "a.py", 30)
    assert parts[-1].end == len(text.rstrip()) and len(parts) > 10
    assert [one.start for one in parts] == sorted({one.start for one in parts})


def test_freshstack_2_no_language_of_programs_is_dropped(tmp_path: Path) -> None:
    names = "a.c++ b.cc c.cs d.rst e.jsx Dockerfile f.gd g.tscn h.zig broken.py CMakeLists.txt".split()  # noqa: SIM905
    text = "class A {\n  void f( {\n" + "  x = 1;\n" * 200
    documents = list(read_files(write_folder(tmp_path, dict.fromkeys(names, text))))
    assert {one.path for one in documents if not one.skipped} == set(names)
    for one in documents:
        assert letters("".join(part.text for part in chunks(one.text, one.path))) == letters(text), one.path


def test_freshstack_3_names_in_other_scripts_stay_and_do_not_collide(tmp_path: Path) -> None:
    names = ["文档.md", "概述.md", "Übersicht.md", "bersicht.md", "обзор.md", ".md", "a/LICENSE", "b/LICENSE"]
    documents = list(read_files(write_folder(tmp_path, dict.fromkeys(names, "Text."))))
    ids = {document_id("repo", one.path, False) for one in documents}
    assert ids == {f"repo/{name}" for name in names}


@pytest.mark.slow
def test_freshstack_3_long_files_and_json_are_kept(tmp_path: Path) -> None:
    long = "Ein Satz mit fünf Wörtern. " * 40_000
    documents = list(read_files(write_folder(tmp_path, {"long.md": long, "data.json": '{"größe": 1}'})))
    assert [(one.path, one.skipped) for one in documents] == [("data.json", ""), ("long.md", "")]
    parts = chunks(long, "long.md", 4096)
    assert len(long) > 1_000_000 and len(parts) > 50 and parts[-1].end == len(long.rstrip())
    assert len(chunks("Wort. " * 3_000, "a.md", 16)) > 100


def test_semantic_chunkers_take_a_chinese_text_for_one_sentence() -> None:
    text = "实验室早上八点开门。晚上十点关门！周末开放吗？不开放。" * 30
    parts = chunks(text, "概述.md", 60)
    assert len(parts) >= 15
    assert all(one.text[-1] in "。！？" for one in parts)
    # The rule of those chunkers: a full stop of an alphabet and white space.
    assert len(re.split(r"(?<=[.?!])\s+", text)) == 1


def test_semantic_chunkers_have_no_maximum() -> None:
    for text in ("wort " * 3_000, "字" * 3_000, "คำ" * 3_000):
        assert max(estimate_tokens(one.text) for one in chunks(text, "a.md", 100)) <= 100


def test_semantic_chunkers_lose_the_place_of_a_repeated_text() -> None:
    text = "Same words.  Same words.\n\nSame words.   Same words." * 20
    parts = chunks(text, "a.md", 8)
    assert [one.start for one in parts] == sorted({one.start for one in parts})
    assert all(text[one.start : one.end] == one.text for one in parts)


def test_sentences_without_a_latin_letter_are_kept() -> None:
    for text in ("Лаборатория открыта. Склад закрыт.", "实验室开放。仓库关闭。", "प्रयोगशाला खुली है। गोदाम बंद है।"):
        assert letters("".join(one.text for one in chunks(text, "a.md", 10))) == letters(text)


def test_ragaliq_keeps_the_last_section() -> None:
    text = "### One\n\nFirst.\n\n### Two\n\nSecond.\n\n### Three\n\nLast words"
    assert [one.text for one in chunks(text, "a.md", 1024)][-1] == "### Three\n\nLast words"
