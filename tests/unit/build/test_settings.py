from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.build.settings import TYPES, BuildSettings
from ragaliq.build.settings_file import load_settings
from ragaliq.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "build.yaml"


def load(file: Path, *lines: str) -> BuildSettings:
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load_settings(file)


def test_an_empty_file_takes_every_default(file: Path) -> None:
    assert load(file) == load(file, "# nothing") == load(file, "seed: 0") == BuildSettings()
    assert (BuildSettings().chunk.max_tokens, BuildSettings().unanswerable) == (512, 0.15)


def test_c33_presets_fill_up_what_the_file_leaves_open(file: Path) -> None:
    for preset, most, by_section, least, per_chunk, reply in [
        ("v1-4096", 4096, False, 1, 3, 1024),
        ("v2-2048", 2048, False, 1, 3, 1024),
        ("ragaliq", 1024, True, 100, 6, 512),
    ]:
        settings = load(file, f"preset: {preset}")
        chunk, generate = settings.chunk, settings.generate
        assert (chunk.max_tokens, chunk.sections, chunk.min_chars) == (most, by_section, least)
        assert (generate.per_chunk, generate.temperature, generate.max_tokens) == (per_chunk, 0.7, reply)
    mixed = load(file, "preset: ragaliq", "chunk: {max_tokens: 300}", "generate: {per_chunk: 2}")
    assert (mixed.chunk.max_tokens, mixed.chunk.min_chars) == (300, 100)
    assert (mixed.generate.per_chunk, mixed.generate.max_tokens) == (2, 512)


def test_several_sources_keep_what_the_card_tells_of_them(file: Path) -> None:
    settings = load(
        file,
        "sources:",
        "  - {path: ../repos/langchain, commit: 0012345, url: 'https://l.example', licence: MIT, date: 2024-10-01}",
        "  - {path: ../repos/chroma, name: vectors, sha256: " + "ab" * 32 + "}",
    )
    one, two = settings.sources
    assert (one.label, one.commit, one.url, one.licence, one.date) == (
        "langchain", "0012345", "https://l.example", "MIT", "2024-10-01",
    )  # fmt: skip
    assert (two.label, two.path, two.sha256) == ("vectors", "../repos/chroma", "ab" * 32)


def test_the_order_of_sources_does_not_count(file: Path) -> None:
    lines = ["  - {path: b}", "  - {path: a}", "  - {path: c, name: 0}"]
    assert load(file, "sources:", *lines) == load(file, "sources:", *reversed(lines))


def test_texts_need_no_quotes(file: Path) -> None:
    settings = load(file, "version: 1.10", "name: on", "languages: [no, de]")
    assert (settings.version, settings.name, settings.languages) == ("1.10", "on", ("no", "de"))


def test_errors_name_the_line_and_what_would_be_right(file: Path) -> None:
    for lines, expected in [
        (["seed: 1", "sed: 2"], ":2: unknown key 'sed'; did you mean 'seed'?"),
        (["chunk:", "  max_token: 5"], ":2: unknown key 'chunk.max_token'; did you mean 'max_tokens'?"),
        (["chunk:", "  max_tokens: 5"], ":2: 'chunk.max_tokens' must be at least 8, not 5"),
        (["chunk: 5"], ":1: 'chunk' must be a mapping of keys"),
        (["chunk:", "  sections: 1"], ":2: 'chunk.sections' must be of type bool, not 1"),
        (["seed: true"], ":1: 'seed' must be of type int, not True"),
        (["seed: 1.5"], ":1: 'seed' must be of type int, not 1.5"),
        (["name:"], ":1: 'name' must be of type str, not None"),
        (["", "unanswerable: 1"], ":2: 'unanswerable' must be at least 0, at most 0.9, not 1"),
        (["near_duplicate: .nan"], ":1: 'near_duplicate' must be at least 0.1, at most 1, not nan"),
        (["sources: docs"], ":1: 'sources' must be a list, as in [a, b]"),
        (["sources:", "  - {name: a}"], ":2: 'sources.path' is needed"),
        (["sources:", "  - {path: a}", "  - {path: b/a/}"], ":3: two sources are called 'a'"),
        (["sources:", "  - {path: ..}"], ":2: the source '..' needs a 'name'"),
        (["sources:", "  - {path: a, name: ..}"], ":2: the source 'a' needs a 'name'"),
        (["sources:", "  - {path: a, sha256: xyz}"], ":2: 'sha256' must be 64 hex digits"),
        (["languages: [de, '../x']"], ":1: '../x' is not a language code"),
        (["preset: v3"], ":1: unknown preset 'v3'"),
        (["generate:", "  types:", "    single: 1", "    trick: 1"], ":4: unknown type 'trick' of questions"),
        (["generate:", "  types: {single: 0}"], ":2: 'generate.types' must map names to shares of at least 0"),
        (["generate:", "  types: {single: .inf}"], ":2: 'generate.types' must map names to shares"),
        (["generate:", "  types: [single]"], ":2: 'generate.types' must map names to shares"),
        (["pool:", "  retrievers:", "    - bm25", "    - bm52"], ":4: retriever 'bm52': unknown kind 'bm52'"),
        (["pool: {retrievers: []}"], ":1: 'pool.retrievers' needs at least one"),
        (["pool: {embedder: nope}"], ":1: embedder 'nope': unknown kind 'nope'"),
        (["- a"], ":1: 'build.yaml' must be a mapping of keys"),
        (["a: [b"], ":2: not valid YAML"),
    ]:  # fmt: skip
        with pytest.raises(ConfigError) as caught:
            load(file, *lines)
        assert str(caught.value).startswith(f"{file}{expected}"), (lines, str(caught.value))


def test_every_type_is_a_kind_of_question_that_can_be_asked() -> None:
    from ragaliq.build.stages.generate import _KINDS

    assert set(TYPES) == set(_KINDS)
