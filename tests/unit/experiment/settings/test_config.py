"""An experiment's file: keys, values, the grid (B13)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.config import Component
from ragaliq.errors import ConfigError
from ragaliq.experiment.settings.config import Experiment, load_experiment
from ragaliq.experiment.settings.queries import Mode, Source
from ragaliq.experiment.settings.system import System

ROOT = Path(__file__).resolve().parents[4]


def load(tmp_path: Path, text: str) -> Experiment:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return load_experiment(path)


def names(experiment: Experiment) -> list[str]:
    return [named.name for named in experiment.systems]


def test_a_short_file_has_defaults_and_a_baseline(tmp_path: Path) -> None:
    found = load(tmp_path, "data: d\nsystems: [hybrid]\n")
    assert (found.name, found.k, found.languages, found.measures, found.oracle) == ("mine", 100, None, (), False)
    assert names(found) == ["bm25", "hybrid"]
    assert found.baseline_name == "bm25"
    assert found.systems[0].system == System(Component("bm25"))


def test_every_key_is_taken(tmp_path: Path) -> None:
    text = """\
name: Größen
data: d
format: beir
split: dev
languages: [en, zh]
k: 20
measures: [nDCG@10, MAP, "nDCG(dcg='exp-log2')@10", MAP]
max_docs: 1000
baseline: false
oracle: true
seed: 3
systems:
  - name: one
    retriever: {kind: hybrid, fusion: rrf}
    embedder: sentence-transformers:m
    rerank: cross-encoder:c
    rerank_depth: 10
    chunk_tokens: 256
    title: false
    queries: closed-book:openai:m
    options: {depth: 50}
    keep_self_match: true
"""
    found = load(tmp_path, text)
    assert (found.name, found.format, found.split, found.languages) == ("Größen", "beir", "dev", ("en", "zh"))
    assert (found.k, found.max_docs, found.oracle, found.seed, found.baseline_name) == (20, 1000, True, 3, "")
    assert found.measures == ("nDCG@10", "AP", "nDCG(dcg='exp-log2')@10")
    (named,) = found.systems
    assert named.name == "one"
    assert named.system == System(
        Component("hybrid", "", {"fusion": "rrf", "depth": 50}),
        Component("sentence-transformers", "m"),
        Component("cross-encoder", "c"),
        rerank_depth=10,
        top_k=20,
        chunk_tokens=256,
        title=False,
        queries=Mode(Source.CLOSED_BOOK, model=Component("openai", "m")),
        keep_self_match=True,
        seed=3,
    )


def test_the_names_of_a_run_s_keys_and_of_the_options_are_taken_too(tmp_path: Path) -> None:
    old = load(tmp_path, "data: d\nformat: beir\nk: 7\nsystems: [{retriever: char, rerank: lexical}]\n")
    assert load(tmp_path, "data: d\nfrom: beir\ntop_k: 7\nsystems: [{retriever: char, reranker: lexical}]\n") == old
    assert (old.k, old.format, old.systems[1].system.reranks) == (7, "beir", True)
    with pytest.raises(ConfigError, match="'top_k' is another name of 'k'"):
        load(tmp_path, "data: d\nk: 5\ntop_k: 7\nsystems: [char]\n")


def test_lists_expand_to_every_combination(tmp_path: Path) -> None:
    text = """\
data: d
systems:
  - retriever: [bm25, hybrid]
    chunk_tokens: [null, 128, 256, 512, 1024]
    title: [true, false]
"""
    found = load(tmp_path, text)
    assert len(found.systems) == 2 * 5 * 2
    assert names(found)[:4] == ["bm25", "bm25-no-title", "bm25-128-tokens", "bm25-128-tokens-no-title"]
    assert {named.system.chunk_tokens for named in found.systems} == {None, 128, 256, 512, 1024}
    assert found.baseline_name == "bm25"


def test_a_named_grid_is_told_apart_by_what_varies(tmp_path: Path) -> None:
    text = """\
data: d
systems:
  - name: mine
    retriever: hybrid
    title: [true, false]
    chunk_tokens: [null, 64]
    rerank: [none, "lexical"]
    rerank_depth: [10]
    options: [{fusion: rrf}, {depth: 20}]
"""
    found = load(tmp_path, text)
    assert len(found.systems) == 1 + 2 * 2 * 2 * 2
    assert names(found)[1] == "mine-title-whole-none-options-1"
    assert names(found)[-1] == "mine-no-title-64-tokens-lexical-options-2"
    assert found.systems[-1].system.retriever == Component("hybrid", "", {"depth": 20})


def test_systems_without_a_name_are_called_by_their_parts(tmp_path: Path) -> None:
    text = """\
data: d
systems:
  - {retriever: {kind: bm25, k1: 1.2}}
  - {retriever: dense, embedder: sentence-transformers:intfloat/e5}
  - {retriever: bm25, rerank: lexical, rerank_depth: 10, queries: nuggets}
"""
    assert names(load(tmp_path, text)) == [
        "bm25", "bm25-k1-1.2", "dense-sentence-transformers-intfloat-e5", "bm25-nuggets-lexical-depth-10",
    ]  # fmt: skip


def test_a_system_that_is_plain_bm25_is_the_baseline_under_its_own_name(tmp_path: Path) -> None:
    found = load(tmp_path, "data: d\nsystems: [{name: words, retriever: bm25}, char]\n")
    assert names(found) == ["words", "char"]
    assert found.baseline_name == "words"


def test_keys_that_a_yaml_merge_brings_are_taken(tmp_path: Path) -> None:
    text = "data: d\nsystems:\n  - &a {retriever: char, name: a}\n  - {<<: *a, name: b, title: false}\n"
    assert names(load(tmp_path, text)) == ["bm25", "a", "b"]


def test_what_cannot_be_is_told_with_its_line(tmp_path: Path) -> None:
    cases = [
        ("data: d\nsystem: [bm25]\n", r"mine.yaml:2: unknown key 'system'; did you mean 'systems'"),
        ("data: d\nsystems: [none]\n", r"retriever 'none' is no system to compare"),
        ("data: d\nsystems:\n  - retriever: [bm25, none]\n", r"mine.yaml:3: retriever 'none' is no system"),
        ("data: d\nsystems:\n  - retriever: bm25\n    chunk_size: 3\n", r"mine.yaml:4: unknown key 'chunk_size'"),
        ("data: d\nsystems:\n  - embedder: x\n", r"mine.yaml:3: a system needs 'retriever'"),
        ("data: d\nsystems:\n  - 7\n", r"mine.yaml:3: a system is a retriever or a mapping"),
        ("data: d\nsystems: []\n", r"mine.yaml:2: 'systems' must list at least one"),
        ("data: d\n", r"mine.yaml:1: 'systems' must list at least one"),
        ("systems: [bm25]\n", r"mine.yaml:1: 'data' is needed"),
        ("- a\n", r"mine.yaml: a mapping of keys is expected"),
        ("data: [\n", r"mine.yaml:2: not valid YAML"),
        ("data: d\nk: 0\nsystems: [bm25]\n", r"mine.yaml:2: 'k' must be at least 1, not 0"),
        ("data: d\nk: many\nsystems: [bm25]\n", r"mine.yaml:2: 'k' must be of type int, not 'many'"),
        ("data: d\nk: true\nsystems: [bm25]\n", r"mine.yaml:2: 'k' must be of type int, not True"),
        ("data: d\nseed: -1\nsystems: [bm25]\n", r"mine.yaml:2: 'seed' must be at least 0"),
        ("data: ''\nsystems: [bm25]\n", r"mine.yaml:1: 'data' is empty"),
        ("data: d\nmeasures: [nDGC@10]\nsystems: [bm25]\n", r"mine.yaml:2: 'measures': .*did you mean 'nDCG'"),
        ("data: d\nmeasures: {a: b}\nsystems: [bm25]\n", r"mine.yaml:2: 'measures' must list measures"),
        ("data: d\nlanguages: [no]\nsystems: [bm25]\n", r"mine.yaml:2: 'languages': write the code of Norwegian"),
        ("data: d\nlanguages: 3\nsystems: [bm25]\n", r"mine.yaml:2: 'languages' must be 'all' or a list"),
        ("data: d\nsystems:\n  - retriever: bm25\n    title: []\n", r"mine.yaml:4: 'title' is an empty list"),
        ("data: d\nsystems:\n  - retriever: bm25\n    title: maybe\n", r"mine.yaml:4: 'title' must be of type bool"),
        ("data: d\nsystems:\n  - retriever: bm25\n    queries: qestion\n", r"mine.yaml:4: 'queries'.*did you mean"),
        ("data: d\nsystems:\n  - retriever: bm25\n    rerank_depth: 0\n", r"mine.yaml:4: 'rerank_depth' must be at l"),
        ("data: d\nsystems:\n  - char\n  - char\n", r"mine.yaml:4: a system named 'char' stands .*mine.yaml:3"),
        ("data: d\nsystems:\n  - {name: bm25, retriever: char}\n", r"mine.yaml:3: .*'bm25'.*rename it"),
    ]
    for number, (text, says) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(ConfigError, match=says):
            load(folder, text)


def test_languages_may_be_one_text(tmp_path: Path) -> None:
    assert load(tmp_path, "data: d\nlanguages: en, zh en\nsystems: [bm25]\n").languages == ("en", "zh")
    assert load(tmp_path, "data: d\nlanguages: all\nsystems: [bm25]\n").languages is None


def test_the_shipped_experiments_can_be_read() -> None:
    for path in sorted((ROOT / "cfg" / "experiments").glob("*.yaml")):
        assert load_experiment(path).systems, path
