"""Records of settings from YAML: each key by its type and bounds, each error with its line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from ragaliq.errors import ConfigError, nearest
from ragaliq.storage.yaml_files import YamlDocument


def read_record(kind: type, document: YamlDocument, path: str) -> Any:
    """Return the record in a mapping; keys that it lacks take their defaults.

    A field's metadata may have `least` and `most`. A text is taken as it is written: a date, a number or `no` need no
    quotes.

    Raises:
        ConfigError: if a key is unknown or missing, or a value is of the wrong type or size; with the line.
    """
    return _read(kind, document.value, document.node, path, "")


def line_of(document: YamlDocument, path: str, *keys: str | int) -> str:
    """Return `file:line` of the value below keys of mappings and places of lists, as far as they lead."""
    node = document.node
    for key in keys:
        if node.id == "sequence" and isinstance(key, int):
            node = node.value[key]
        elif node.id == "mapping":
            node = next((inner for name, inner in node.value if name.value == key), node)
    return _line(path, node)


def _read(kind: type, value: Any, node: Any, path: str, place: str) -> Any:
    if not isinstance(value, dict):
        raise ConfigError(f"{_line(path, node)}: '{place.rstrip('.') or 'build.yaml'}' must be a mapping of keys")
    known = {entry.name: entry for entry in fields(kind)}
    hints = get_type_hints(kind)
    nodes = {key.value: (key, inner) for key, inner in node.value}
    values = {}
    for key, inner in value.items():
        key_node, inner_node = nodes.get(str(key), (node, node))
        if key not in known:
            raise ConfigError(f"{_line(path, key_node)}: unknown key '{place}{key}'; {nearest(str(key), known)}")
        values[key] = _value(hints[key], inner, inner_node, path, f"{place}{key}", known[key].metadata)
    for name, entry in known.items():
        if name not in values and entry.default is MISSING and entry.default_factory is MISSING:
            raise ConfigError(f"{_line(path, node)}: '{place}{name}' is needed")
    return kind(**values)


def _value(hint: Any, value: Any, node: Any, path: str, place: str, bounds: Mapping[str, Any]) -> Any:
    where = f"{_line(path, node)}: '{place}'"
    if is_dataclass(hint):
        return _read(hint, value, node, path, f"{place}.")  # type: ignore[arg-type]
    if get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{where} must be a list, as in [a, b]")
        inner = get_args(hint)[0]
        return tuple(_value(inner, one, each, path, place, {}) for one, each in zip(value, node.value, strict=True))
    if get_origin(hint) is Mapping:
        return _shares(value, where)
    if hint is str and node.id == "scalar" and value is not None:
        return str(node.value)
    expected = (int, float) if hint is float else (hint,)
    if not isinstance(value, expected) or (isinstance(value, bool) and hint is not bool):
        raise ConfigError(f"{where} must be of type {hint.__name__}, not {value!r}")
    least, most = bounds.get("least"), bounds.get("most")
    if least is not None and not (least <= value and (most is None or value <= most)):
        raise ConfigError(
            f"{where} must be at least {least:g}{'' if most is None else f', at most {most:g}'}, not {value}"
        )
    return hint(value)


def _shares(value: Any, where: str) -> dict[str, float]:
    """Return names with their shares; raises ConfigError if they are not that."""
    shares = value.values() if isinstance(value, dict) else ()
    right = all(isinstance(share, int | float) and math.isfinite(share) and share >= 0 for share in shares)
    if not right or not sum(shares):
        raise ConfigError(f"{where} must map names to shares of at least 0, one of them above")
    return {str(name): float(share) for name, share in value.items()}


def _line(path: str, node: Any) -> str:
    return f"{path}:{node.start_mark.line + 1}"
