"""The one reader of YAML: plain values only, no key twice, no aliases that multiply, no nesting without end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.storage.files import is_unicode, read_text

_DEPTH = 64
# Nodes that aliases may repeat: ten lines of aliases to aliases would stand for billions.
_REPEATED = 100_000
# A greater number is no float, and may be too long to be printed.
_BITS = 1023
# Characters of a wrong value that an error shows.
_SHOWN = 60
# Characters that YAML does not allow. PyYAML's two readers word and place them differently.
_NOT_YAML = re.compile(r"[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """The value in a text, None if it is empty, and its root node, which knows the lines."""

    value: Any
    node: Any


def read_yaml(path: Path) -> Any:
    """Return the value in a YAML file; None if it is empty.

    Raises:
        InputError: if it cannot be read.
        ConfigError: as `parse_yaml`.
    """
    return parse_yaml(read_text(path), str(path)).value


def read_mapping(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file; an empty file holds an empty one.

    Raises:
        InputError: as `read_yaml`, or if it holds anything else.
    """
    data = read_yaml(path)
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ConfigError(f"{path}: a mapping of names is expected")
    return data


def scalar_text(value: Any, where: str) -> str:
    """Return a text, a number or a date, such as a version that nobody has put in quotes, as text.

    Raises:
        ConfigError: if it is anything else; `where` names it.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float | date):
        raise ConfigError(f"{where} must be a text, not {type(value).__name__}")
    return str(value)


def parse_yaml(text: str, where: str) -> YamlDocument:
    """Return the value in a text; `where` names it in errors.

    Raises:
        ConfigError: if it is not YAML, a tag or its value is wrong, a mapping holds a key twice, or the value is nested
            too deeply or multiplied by aliases; with the line.
    """
    import yaml

    wrong = _NOT_YAML.search(text)
    if wrong:
        problem = "half a surrogate pair" if "\ud800" <= wrong[0] <= "\udfff" else f"the character {wrong[0]!r}"
        number = text.count("\n", 0, wrong.start()) + 1
        raise ConfigError(f"{where}:{number}: not valid YAML ({problem}); fix it")
    try:
        _check_depth(text)
        loader = _loader()(text)
        try:
            node = loader.get_single_node()
            if node is not None:
                _check(node)
            return YamlDocument(None if node is None else loader.construct_document(node), node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f":{mark.line + 1}"
        problem = ", ".join(filter(None, (error.context, error.problem)))
        raise ConfigError(f"{where}{line}: not valid YAML ({problem}); fix it") from None


def _check_depth(text: str) -> None:
    """Refuse deep nesting before anything is built: PyYAML's composer calls itself, and in C the process would crash.

    Raises:
        ConstructorError: with the line.
    """
    import yaml

    deep = None
    try:
        deep = _deep_event(text)
    except yaml.MarkedYAMLError as error:
        # The scanner reads ahead of the events, and some versions of PyYAML refuse deep nesting there.
        mark = error.problem_mark
        with suppress(yaml.MarkedYAMLError):
            deep = None if mark is None else _deep_event(text[: mark.index])
        if deep is None:
            raise
    if deep is not None:
        raise _error(f"nested more than {_DEPTH} deep", deep)


def _deep_event(text: str) -> Any:
    """Return the first event that is nested too deeply; None if there is none."""
    import yaml

    depth = 0
    for event in yaml.parse(text, _loader()):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEPTH:
                return event
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return None


def _check(root: Any) -> None:
    """Refuse a null character, a key that occurs twice, aliases within what they name, and aliases that multiply.

    Raises:
        ConstructorError: with the line.
    """
    # Of each finished node, how many nodes it stands for with its aliases followed; 0 for one that is not finished.
    sizes: dict[int, int] = {}

    def size(node: Any) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = 0
            _check_scalar(node)
            _check_keys(node)
            sizes[id(node)] = 1 + sum(map(size, _children(node)))
            if sizes[id(node)] - len(sizes) > _REPEATED:
                raise _error("aliases of aliases multiply", node)
        if not sizes[id(node)]:
            raise _error("an alias within what it names", node)
        return sizes[id(node)]

    size(root)


def _check_scalar(node: Any) -> None:
    """Refuse what only an escape can write, and what no path and no file of ours can hold."""
    if node.id == "scalar" and ("\0" in node.value or not is_unicode(node.value)):
        raise _error("a null character or half a surrogate pair", node)


def _check_keys(node: Any) -> None:
    """Refuse a mapping with a key twice: the second would replace the first unseen."""
    if node.id != "mapping":
        return
    keys = set()
    for key, _ in node.value:
        if key.id == "scalar":
            if key.value in keys:
                raise _error(f"'{key.value}' occurs twice", key)
            keys.add(key.value)


def _children(node: Any) -> Iterator[Any]:
    if node.id == "mapping":
        for pair in node.value:
            yield from pair
    elif node.id == "sequence":
        yield from node.value


def _error(problem: str, place: Any) -> Exception:
    from yaml.constructor import ConstructorError

    return ConstructorError(None, None, problem, place.start_mark)


@cache
def _loader() -> Any:
    import yaml

    # In C where PyYAML was built with it: several times faster.
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                value = super().construct_object(node, deep)
                if type(value) is int and value.bit_length() > _BITS:
                    raise ValueError("a number with this many digits is no setting")
                return value
            except (ValueError, LookupError, AttributeError, TypeError) as error:
                # A value that is none of its tag, such as the date 2024-13-45 or `!!bool maybe`.
                why = f": {error}" if isinstance(error, ValueError) else ""
                shown = str(node.value)[:_SHOWN]
                raise _error(f"{shown!r} is no {node.tag.rpartition(':')[2]}{why[: 2 * _SHOWN]}", node) from None

    return Loader
