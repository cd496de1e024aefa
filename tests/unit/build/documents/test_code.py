from __future__ import annotations

from ragaliq.build.documents.code import _LANGUAGES, code_separators, is_program


def test_every_language_has_separators_that_are_texts() -> None:
    for suffix in _LANGUAGES:
        separators = code_separators(f"s/a.{suffix.upper()}")
        assert separators and all(one.strip() and "\\" not in one and "(?" not in one for one in separators), suffix


def test_programs_and_settings_are_told_by_their_names() -> None:
    for name in ("a.c++", "b.cs", "c.jsx", "d.hpp", "e.gd", "f.yaml", "g.json", "x/Dockerfile", "Makefile", "h.sh"):
        assert is_program(name), name
    for name in ("a.md", "b.rst", "c.txt", "README", "LICENSE", "d.v2.md", "文档"):
        assert not is_program(name) and not code_separators(name), name
