"""The YAML files of a template, in which no key may stand twice: the second would replace the first unseen."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.files import read_text


def read_yaml(path: Path) -> Any:
    """Return the value in a YAML file; None if it is empty.

    Raises:
        InputError: if it cannot be read, is not YAML, or a mapping holds a key twice; with file and line.
    """
    import yaml

    try:
        return yaml.load(read_text(path), _loader())
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"{path}: not valid YAML ({' '.join(str(error).split())}); mend it") from None


def read_mapping(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file; an empty file holds an empty one.

    Raises:
        InputError: as `read_yaml`, or if it holds anything else.
    """
    data = read_yaml(path)
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise InputError(f"{path}: a mapping of names is expected")
    return data


@cache
def _loader() -> Any:
    import yaml

    # In C where PyYAML was built with it: several times faster.
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class UniqueKeys(base):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in seen:
                        raise yaml.constructor.ConstructorError(
                            None, None, f"'{key.value}' stands twice", key.start_mark
                        )
                    seen.add(key.value)
            return super().construct_mapping(node, deep)

    return UniqueKeys
