"""The documents of the RAGaliq sources, cut by the builder: rows C6, C7 and D3."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragaliq.build.documents.chunking import Chunking, chunk_document
from ragaliq.build.documents.language import document_language
from ragaliq.llm.tokens import estimate_tokens
from ragaliq.text.language import in_language

LANGS = ("de", "en", "es", "fr", "ru", "zh")


@pytest.mark.shared
@pytest.mark.slow
def test_the_handbook_is_cut_whole_in_every_language(shared_data: Path) -> None:
    for lang in LANGS:
        text = (shared_data / "ragaliq" / "data" / f"orientation_{lang}.md").read_text(encoding="utf-8")
        assert document_language(text, ()) == lang
        chunks = list(chunk_document(text, f"orientation_{lang}.md", lang, Chunking(512, estimate_tokens)))
        assert all(text[one.start : one.end] == one.text and estimate_tokens(one.text) <= 512 for one in chunks)
        joined = "".join(one.text for one in chunks)
        assert re.sub(r"\s", "", joined) == re.sub(r"\s", "", text)
        # One list of addresses in each translation stayed English.
        assert sum(in_language(one.text, lang) is False for one in chunks) <= 1
        assert 120 < len(chunks) < 220 and sum(bool(one.title) for one in chunks) > 0.9 * len(chunks)
