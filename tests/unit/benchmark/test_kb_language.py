"""Which corpora a benchmark is loaded with, and what a ranking names."""

from __future__ import annotations

from pathlib import Path

import pytest

from parallel import TEXTS, write_parallel
from ragaliq import Benchmark, load_benchmark
from ragaliq.benchmark.kb_language import corpus_name, knowledge_base, mixed_language, retrieval_units
from ragaliq.errors import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_parallel(tmp_path / "hall")


def corpora(benchmark: Benchmark) -> dict[str, set[str]]:
    return {lang: {chunk.text for chunk in chunks} for lang, chunks in benchmark.chunks.items()}


def of(*langs: str) -> dict[str, set[str]]:
    return {lang: set(TEXTS[lang].values()) for lang in langs}


def test_the_corpora_that_answer_the_queries_are_loaded(folder: Path) -> None:
    cases = [
        (None, "same", ("de", "en", "zh"), ("de", "en", "zh")),
        (["zh"], "same", ("zh",), ("zh",)),
        (["zh"], "en", ("zh",), ("en", "zh")),
        (["en", "zh"], "en", ("en", "zh"), ("en", "zh")),
        (None, "en", ("de", "en", "zh"), ("de", "en", "zh")),
        (["zh"], "all", ("zh",), ("de", "en", "zh")),
    ]
    for langs, kb_lang, queries, loaded in cases:
        benchmark = load_benchmark(folder, langs, kb_lang=kb_lang)
        assert benchmark.languages == queries == tuple(benchmark.items) == tuple(benchmark.nuggets), langs
        assert corpora(benchmark) == of(*loaded), langs
        assert benchmark.hash == load_benchmark(folder).hash, langs


def test_the_corpus_of_a_query(folder: Path) -> None:
    benchmark = load_benchmark(folder, kb_lang="all")
    chosen = {kb_lang: [chunk.lang for chunk in knowledge_base(benchmark, kb_lang, "zh")] for kb_lang in ("same", "en")}
    assert chosen == {"same": ["zh"] * 3, "en": ["en"] * 3}
    assert [chunk.lang for chunk in knowledge_base(benchmark, "all", "zh")] == ["de"] * 3 + ["en"] * 3 + ["zh"] * 3
    assert [corpus_name(kb_lang, "zh") for kb_lang in ("same", "en", "all")] == ["zh", "en", "all"]


def test_a_corpus_that_is_not_loaded_is_named(folder: Path) -> None:
    with pytest.raises(InputError, match="hall: the knowledge base for 'en' is not loaded; load it with kb_lang"):
        knowledge_base(load_benchmark(folder, ["zh"]), "en", "zh")
    with pytest.raises(InputError, match="the knowledge base for 'all' is not loaded"):
        knowledge_base(load_benchmark(folder, ["zh", "en"]), "all", "zh")
    assert len(knowledge_base(load_benchmark(folder), "all", "zh")) == 9


def test_units_are_named_by_document_and_language_where_languages_are_mixed(folder: Path) -> None:
    benchmark = load_benchmark(folder)
    chunks = knowledge_base(benchmark, "all", "de")
    assert list(retrieval_units(chunks, "en")) == list(chunks)
    mixed = retrieval_units(chunks, "all")
    assert {chunk.doc_id for chunk in mixed} == {f"{doc}@{lang}" for lang, texts in TEXTS.items() for doc in texts}
    assert {chunk.doc_id: chunk.text for chunk in mixed}["lost@zh"] == "失物在B12柜台保存90天，之后出售。"
    assert [chunk.lang for chunk in mixed] == [chunk.lang for chunk in chunks]
    assert mixed_language(reversed(mixed)) == "de+en+zh"


def test_an_unknown_language_is_one_line(folder: Path) -> None:
    for langs in [None, ["de"]]:
        with pytest.raises(InputError) as caught:
            load_benchmark(folder, langs, kb_lang="sp")
        assert str(caught.value).startswith("--kb_lang: unknown language 'sp'; ") and "same" in str(caught.value), langs
        with pytest.raises(InputError, match="--lang: unknown language 'sp'"):
            load_benchmark(folder, ["sp"], kb_lang="en")


def test_a_knowledge_base_of_ones_own_is_in_the_language_that_is_named(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "handbook.md"
    file.write_text("The canteen closes at eight.\n", encoding="utf-8")
    benchmark = load_benchmark(folder, None, str(file), kb_lang="en")
    assert benchmark.languages == ("de", "en", "zh")
    assert [(chunk.lang, chunk.text.strip()) for chunk in knowledge_base(benchmark, "en", "zh")] == [
        ("en", "The canteen closes at eight.")
    ]
    with pytest.raises(InputError, match="one file serves one language"):
        load_benchmark(folder, ["zh"], str(file), kb_lang="all")


def test_a_folder_of_documents_is_a_knowledge_base(folder: Path, tmp_path: Path) -> None:
    documents = tmp_path / "handbook"
    (documents / "more").mkdir(parents=True)
    (documents / "b.md").write_text("The canteen closes at eight.\n", encoding="utf-8")
    (documents / "more" / "a.TXT").write_text("The library is shut.\n", encoding="utf-8")
    (documents / "logo.png").write_bytes(b"\x89PNG")
    benchmark = load_benchmark(folder, ["en"], str(documents))
    assert [(chunk.doc_id, chunk.text) for chunk in benchmark.chunks["en"]] == [
        ("b.md:1", "The canteen closes at eight."),
        ("more/a.TXT:1", "The library is shut."),
    ]
    (documents / "more" / "a.TXT").write_text("The library is open.\n", encoding="utf-8")
    assert load_benchmark(folder, ["en"], str(documents)).hash != benchmark.hash
    (tmp_path / "images").mkdir()
    with pytest.raises(InputError, match="images: the knowledge base for 'en' holds no text"):
        load_benchmark(folder, ["en"], str(tmp_path / "images"))


def test_files_of_ones_own_in_all_languages_are_mixed(folder: Path, tmp_path: Path) -> None:
    for lang, text in (("de", "Um acht."), ("en", "At eight."), ("zh", "八点。")):
        (tmp_path / f"own_{lang}.md").write_text(f"{text}\n", encoding="utf-8")
    pattern = str(tmp_path / "own_{lang}.md")
    mixed = load_benchmark(folder, ["zh"], pattern, kb_lang="all")
    assert [chunk.text.strip() for chunk in knowledge_base(mixed, "all", "zh")] == ["Um acht.", "At eight.", "八点。"]
    # The same data whichever language is asked: its runs stand in one table.
    others = [load_benchmark(folder, None, pattern, kb_lang=kb_lang) for kb_lang in ("same", "de")]
    assert [other.hash for other in others] == [mixed.hash] * 2


def test_the_language_of_the_corpus_needs_no_queries(folder: Path) -> None:
    (folder / "queries" / "en.jsonl").write_text("", encoding="utf-8")
    assert load_benchmark(folder, ["de"], kb_lang="en").languages == ("de",)
    with pytest.raises(InputError, match="no queries for 'en'"):
        load_benchmark(folder, ["de", "en"], kb_lang="en")
