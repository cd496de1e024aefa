"""YAML as plain values: what would be lost, multiplied or nested without end is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ragaliq.errors import ConfigError
from ragaliq.storage.yaml_files import parse_yaml, read_mapping, read_yaml

SHIPPED = sorted(Path(__file__).parents[3].glob("src/ragaliq/**/*.yaml"))
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
REFUSED = [
    ("a: [1, 2\n", "f.yaml:2: not valid YAML (while parsing a flow sequence, did not find"),
    ("a: 1\n---\nb: 2\n", "f.yaml:2: not valid YAML (expected a single document"),
    ("a: 1\nb:\n  c: 1\n  c: 2\n", "f.yaml:4: not valid YAML ('c' occurs twice)"),
    ("a: 1\n'a': 2\n", "f.yaml:2: not valid YAML ('a' occurs twice)"),
    ("a: 1\nb: !!python/object:os.system {}\n", "f.yaml:2: not valid YAML (could not determine a constructor"),
    ("a: !mine 1\n", "f.yaml:1: not valid YAML (could not determine a constructor"),
    ("\nday: 2024-13-45\n", "f.yaml:2: not valid YAML ('2024-13-45' is no timestamp: month must"),
    ("a: !!bool maybe\n", "f.yaml:1: not valid YAML ('maybe' is no bool)"),
    ("a: !!int ''\n", "f.yaml:1: not valid YAML ('' is no int)"),
    ("a: !!timestamp noon\n", "f.yaml:1: not valid YAML ('noon' is no timestamp)"),
    ("? [a]\n: b\n", "f.yaml:1: not valid YAML (while constructing a mapping, found unhashable key)"),
    ("a: &a [*a]\n", "f.yaml:1: not valid YAML (an alias within what it names)"),
    (BOMB, "f.yaml:5: not valid YAML (aliases of aliases multiply)"),
    ("\n" + "[" * 65 + "]" * 65, "f.yaml:2: not valid YAML (nested more than 64 deep)"),
    # A parser that calls itself would end the process here.
    ("[" * 100_000, "f.yaml:1: not valid YAML (nested more than 64 deep)"),
    ("".join(f"{' ' * depth}a:\n" for depth in range(70)), "f.yaml:65: not valid YAML (nested more than 64 deep)"),
    ("a: 1\nb: \x07\n", "f.yaml:2: not valid YAML (control characters"),
    ("a: \ud800\n", "f.yaml: not valid YAML (half a surrogate pair)"),
]


def test_what_is_refused_is_one_line_with_its_place() -> None:
    for text, message in REFUSED:
        with pytest.raises(ConfigError) as error:
            parse_yaml(text, "f.yaml")
        assert str(error.value).startswith(message) and "\n" not in str(error.value), text[:60]


def test_plain_values_are_what_they_are_elsewhere() -> None:
    text = "a: &a [1, 2.5, yes, ~, 'é', 2024-01-02]\nb: *a\nc: {<<: {d: 1}, e: .inf}\n"
    assert parse_yaml(text, "f.yaml").value == yaml.safe_load(text)
    deep = "[" * 64 + "]" * 64
    assert parse_yaml(deep, "f.yaml").value == yaml.safe_load(deep)


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
