"""YAML as plain values: what would be lost, multiplied or nested without end is refused with its line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
import yaml

from ragaliq.build.settings_file import load_settings
from ragaliq.config import load_config
from ragaliq.errors import ConfigError
from ragaliq.experiment.settings.config import load_experiment
from ragaliq.llm.prices import load_prices
from ragaliq.llm.prompts import load_prompt
from ragaliq.storage.yaml_files import _loader, parse_yaml, read_mapping, read_yaml, scalar_text

SHIPPED = sorted(Path(__file__).parents[3].glob("src/ragaliq/**/*.yaml"))
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
REFUSED = [
    ("a: [1, 2\n", "f.yaml:2: not valid YAML ("),
    ("a: 1\n---\nb: 2\n", "f.yaml:2: not valid YAML ("),
    ("a: 1\nb:\n  c: 1\n  c: 2\n", "f.yaml:4: not valid YAML ('c' occurs twice)"),
    ("a: 1\n'a': 2\n", "f.yaml:2: not valid YAML ('a' occurs twice)"),
    ("a: 1\nb: !!python/object:os.system {}\n", "f.yaml:2: not valid YAML ("),
    ("a: !mine 1\n", "f.yaml:1: not valid YAML ("),
    ("\nday: 2024-13-45\n", "f.yaml:2: not valid YAML ('2024-13-45' is no timestamp: "),
    ("a: !!bool maybe\n", "f.yaml:1: not valid YAML ('maybe' is no bool)"),
    ("a: !!int ''\n", "f.yaml:1: not valid YAML ('' is no int)"),
    ("a: !!timestamp noon\n", "f.yaml:1: not valid YAML ('noon' is no timestamp)"),
    ("? [a]\n: b\n", "f.yaml:1: not valid YAML ("),
    ("a: &a [*a]\n", "f.yaml:1: not valid YAML (an alias within what it names)"),
    (BOMB, "f.yaml:5: not valid YAML (aliases of aliases multiply)"),
    ("\n" + "[" * 65 + "]" * 65, "f.yaml:2: not valid YAML (nested more than 64 deep)"),
    # A parser that calls itself would end the process here.
    ("[" * 100_000, "f.yaml:1: not valid YAML (nested more than 64 deep)"),
    ("".join(f"{' ' * depth}a:\n" for depth in range(70)), "f.yaml:65: not valid YAML (nested more than 64 deep)"),
    ("a: 1\nb: \x07\n", "f.yaml:2: not valid YAML (the character '\\x07')"),
    ("a: é\nb: \ud800\n", "f.yaml:2: not valid YAML (half a surrogate pair)"),
    # Lines are counted in characters, not in bytes.
    ("a: éééé\nb: \x00\n\n\n", "f.yaml:2: not valid YAML (the character '\\x00')"),
    ('a: 1\nb: "x\\0"\n', "f.yaml:2: not valid YAML (a null character or half a surrogate pair)"),
    ('"\\0": 1\n', "f.yaml:1: not valid YAML (a null character or half a surrogate pair)"),
    # PyYAML's reader in C refuses this escape, in words of its own.
    ('a: "\\ud83d"\n', "f.yaml:1: not valid YAML ("),
]


@pytest.fixture(params=["in C", "in Python"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each of PyYAML's readers in turn; the one in C may be missing."""
    if request.param == "in Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    _loader.cache_clear()
    yield
    _loader.cache_clear()


@pytest.mark.usefixtures("reader")
def test_what_is_refused_is_one_line_with_its_place() -> None:
    for text, message in REFUSED:
        with pytest.raises(ConfigError) as error:
            parse_yaml(text, "f.yaml")
        told = str(error.value)
        assert told.startswith(message) and told.endswith("); fix it") and "\n" not in told, text[:60]


@pytest.mark.usefixtures("reader")
def test_plain_values_are_what_they_are_elsewhere() -> None:
    text = "a: &a [1, 2.5, yes, ~, 'é', 2024-01-02]\nb: *a\nc: {<<: {d: 1}, e: .inf}\n"
    assert parse_yaml(text, "f.yaml").value == yaml.safe_load(text)
    deep = "[" * 64 + "]" * 64
    assert parse_yaml(deep, "f.yaml").value == yaml.safe_load(deep)


@pytest.mark.usefixtures("reader")
def test_the_node_knows_the_lines() -> None:
    node = parse_yaml("a: 1\n\nb: 2\n", "f.yaml").node
    assert [(key.value, key.start_mark.line) for key, _ in node.value] == [("a", 0), ("b", 2)]


def test_an_empty_file_is_nothing_and_an_empty_mapping(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_text("# nothing\n", encoding="utf-8")
    assert read_yaml(file) is None and read_mapping(file) == {}
    for text in ("[1]", "1: a", "word"):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match="a mapping of names is expected"):
            read_mapping(file)


def test_shipped_files_are_read() -> None:
    assert len(SHIPPED) > 20
    for file in SHIPPED:
        assert read_yaml(file), file


NINE_LEVELS = "\n  - &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"  - &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
# Files of users: reader, what stands before, and the keys whose values are attacked.
USER_FILES: list[tuple[Callable[[Path], object], str, tuple[str, ...]]] = [
    (load_config, "seed: 1\n", ("name", "sampling", "retriever", "top_k")),
    (load_prompt, "user: x\n", ("version",)),
    (load_prompt, "version: 1\n", ("user",)),
    (load_prices, "models: {}\n", ("date",)),
    (load_prices, "date: 1\n", ("models",)),
    (load_experiment, "data: x\n", ("systems", "measures", "k")),
    (load_experiment, "data: x\nsystems: [bm25]\n", ("systems", "name")),
    (load_settings, "languages: [en]\n", ("name", "sources", "seed")),
]
ATTACKS = [
    "!!bool x", "!!timestamp x", "!!int ''", "!!float x", "[" * 1000, "[" * 1000 + "]" * 1000, NINE_LEVELS, "9" * 5000,
    "{a: 1, a: 2}", '!!binary "é"', "0x" + "f" * 5000, "&a [*a]", "*a",
]  # fmt: skip


def test_attacks_on_every_file_of_a_user_end_at_once_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    for load, before, keys in USER_FILES:
        for key in keys:
            for attack in ATTACKS:
                file.write_text(f"{before}{key}: {attack}\n", encoding="utf-8")
                start = time.process_time()
                with pytest.raises(ConfigError) as error:
                    load(file)
                    pytest.fail(f"{load.__name__}: {key}: {attack[:20]}")
                assert time.process_time() - start < 1 and "\n" not in str(error.value)
                assert len(str(error.value)) < 500, (key, attack[:20])


def test_a_scalar_is_text_and_nothing_else_is() -> None:
    for value, text in (("1", "1"), (1, "1"), (0.5, "0.5"), (date(2026, 1, 2), "2026-01-02"), ("", "")):
        assert scalar_text(value, "f") == text
    for wrong in (None, True, ["x"], {"a": 1}, b"x", {1, 2}):
        with pytest.raises(ConfigError, match=r"^f: 'date' must be a text"):
            scalar_text(wrong, "f: 'date'")


def test_values_of_the_wrong_type(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    for load, text, message in (
        (load_prices, f"date: 1\nmodels: {{m: {{prompt: 1{'0' * 400}, completion: 1}}}}\n", "this many digits"),
        (load_prices, "date: [1]\nmodels: {}\n", "'date' must be a text, not list"),
        (load_prompt, "version: {a: 1}\nuser: x\n", "'version' must be a text, not dict"),
        (load_config, "retriever: {kind: bm25, model: [x]}\n", "'model' must be a text, not list"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match=message):
            load(file)


def test_systems_that_a_merge_brings_give_way_to_the_own_ones(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_text("data: x\n<<: {systems: [bm25, char]}\nsystems: [dense]\nbaseline: false\n", encoding="utf-8")
    assert [named.name for named in load_experiment(file).systems] == ["dense"]
    file.write_text("data: x\n<<: {systems: [bm25, char]}\n", encoding="utf-8")
    assert [named.name for named in load_experiment(file).systems] == ["bm25", "char"]
