"""An experiment as one YAML file: data, languages, measures, and systems, whose lists expand to a grid."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ragaliq.config import Component
from ragaliq.errors import ConfigError, nearest
from ragaliq.experiment.settings.grid import NamedSystem, expand_entry
from ragaliq.experiment.settings.system import TOP_K, System
from ragaliq.experiment.settings.values import check_setting, plain_keys
from ragaliq.storage.files import read_text
from ragaliq.storage.yaml_files import parse_yaml

_BASELINE = "bm25"


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is compared, and on what.

    Attributes:
        name: title of the report.
        data: the data set, as `load_collections` takes it; so are `format`, `split`, `languages` and `max_docs`.
        k: documents of a ranking.
        measures: empty takes the defaults of the data.
        baseline: add BM25 if none of the systems is it.
        oracle: add the best system, asking the reference answer and the nuggets.
        seed: of everything that draws.
        systems: what is compared.
    """

    name: str
    data: str
    format: str = ""
    split: str = ""
    languages: tuple[str, ...] | None = None
    k: int = TOP_K
    measures: tuple[str, ...] = ()
    max_docs: int | None = None
    baseline: bool = True
    oracle: bool = False
    seed: int = 0
    systems: tuple[NamedSystem, ...] = ()

    @property
    def baseline_name(self) -> str:
        """Name of the system that is plain BM25; empty if there is none."""
        return next((named.name for named in self.systems if named.system.is_plain_bm25), "")


def load_experiment(path: Path) -> Experiment:
    """Read an experiment.

    Raises:
        ConfigError: if the file is not YAML, a key is unknown, a value has the wrong type, or two systems have one
            name; with file and line.
    """
    document = parse_yaml(read_text(path), str(path))
    data, node = document.value, document.node
    known = [entry.name for entry in fields(Experiment)]
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: a mapping of keys is expected; known: {', '.join(known)}")
    data = plain_keys(data, str(path))
    # Keys that a YAML merge brings have no place of their own.
    where = {**dict.fromkeys(data, f"{path}:1"), **_places(node, str(path))}
    values: dict[str, Any] = {"name": path.stem}
    for key, value in data.items():
        if key not in known:
            raise ConfigError(f"{where[key]}: unknown key '{key}'; {nearest(key, known)}")
        if key != "systems":
            values[key] = check_setting(key, value, where[key])
    if "data" not in values:
        raise ConfigError(f"{path}:1: 'data' is needed, the folder of the data set")
    listed = data.get("systems")
    if not isinstance(listed, list) or not listed:
        raise ConfigError(f"{where.get('systems', f'{path}:1')}: 'systems' must list at least one system")
    experiment = Experiment(**values)
    # The keys that a YAML merge brings stand before a mapping's own, which replace them.
    *_, nodes = (value for key, value in node.value if key.value == "systems")
    return replace(experiment, systems=_systems(listed, nodes, experiment, str(path)))


def _systems(listed: list[Any], node: Any, experiment: Experiment, path: str) -> tuple[NamedSystem, ...]:
    common: dict[str, Any] = {"top_k": experiment.k, "seed": experiment.seed}
    systems: list[NamedSystem] = []
    lines: dict[str, str] = {}
    for entry, mapping in zip(listed, node.value, strict=True):
        here = f"{path}:{mapping.start_mark.line + 1}"
        if isinstance(entry, str):
            entry, places = {"retriever": entry}, {"retriever": here}
        elif isinstance(entry, dict):
            entry = plain_keys(entry, here)
            places = {**dict.fromkeys(entry, here), **_places(mapping, path)}
        else:
            raise ConfigError(f"{here}: a system is a retriever or a mapping with 'retriever', not {entry!r}")
        for named in expand_entry(entry, places, common):
            name = named.name
            if name in lines:
                raise ConfigError(f"{here}: a system named '{name}' stands already at {lines[name]}; name it")
            lines[name] = here
            systems.append(named)
    if experiment.baseline and not any(named.system.is_plain_bm25 for named in systems):
        if _BASELINE in lines:
            where = lines[_BASELINE]
            raise ConfigError(f"{where}: '{_BASELINE}' is the name of the baseline, which this is not; rename it")
        systems.insert(0, NamedSystem(_BASELINE, System(Component(_BASELINE), **common)))
    return tuple(systems)


def _places(node: Any, path: str) -> dict[str, str]:
    """Return file and line of each key of a mapping."""
    return plain_keys({key.value: f"{path}:{key.start_mark.line + 1}" for key, _ in node.value}, path)
