"""One system under test and its judge, resolved from a YAML file and from options of the command line.

`docs/config.md` lists the keys. An error names file, line and what is expected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from ragaliq.errors import ConfigError, nearest
from ragaliq.storage.files import check_name, read_json, read_text
from ragaliq.storage.own_json import MOST
from ragaliq.storage.redaction import redact
from ragaliq.storage.yaml_files import parse_yaml, scalar_text


def default_data() -> str:
    """Return the folder of the sample benchmark: below the working directory, else in the package or the checkout."""
    sample = Path("data") / "velmora"
    package = Path(__file__).resolve().parent
    # A wheel holds the sample (setup.py); an editable install has it beside `src`.
    places = (sample, package / sample, package.parents[1] / sample)
    return str(next((place for place in places if place.is_dir()), sample))


def sample_path(path: str) -> str:
    """Return a path of the sample, such as `data/velmora/sources/en`, where it lies; any other path as it is."""
    sample, parts = ("data", "velmora"), Path(path).parts
    return str(Path(default_data(), *parts[2:])) if parts[:2] == sample and not Path(path).exists() else path


# Values of `kb_lang` beside languages.
SAME, ALL = "same", "all"


@dataclass(frozen=True, slots=True)
class Component:
    """A pluggable part by its kind, its model and the options of its constructor."""

    kind: str
    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, value: Any, where: str) -> Component:
        """Read `KIND`, `KIND:MODEL`, or a mapping with `kind`, `model` and options."""
        if isinstance(value, str) and value.strip():
            kind, _, model = value.strip().partition(":")
            return cls(kind, model)
        if isinstance(value, Mapping) and isinstance(value.get("kind"), str):
            options = {str(key): option for key, option in value.items() if key not in ("kind", "model")}
            _check_plain(options, where)
            named = value.get("model")
            return cls(value["kind"], "" if named is None else scalar_text(named, f"{where}: 'model'"), options)
        raise ConfigError(f"{where}: a component is KIND, KIND:MODEL or a mapping with 'kind'; got {value!r}")

    def __str__(self) -> str:
        """Return `KIND` or `KIND:MODEL`."""
        return f"{self.kind}:{self.model}" if self.model else self.kind


_LEAST = {"top_k": 1, "context_k": 1, "context_chars": 1, "seed": 0}


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Everything that decides the answers and grades of a run.

    Attributes:
        name: name of the system; empty means that it is made from the components.
        data: folder of the benchmark.
        knowledge_base: file, or folder of texts, that replaces the benchmark's corpus; `{lang}` in it stands for the
            language.
        kb_lang: whose knowledge base answers the queries: `same` for that of each query's own language, a language for
            all queries, or `all` for all languages' at once.
        chunking: how a corpus that comes as text is cut: `windows` of lines, or single `lines`.
        embedder: makes the vectors of the dense channel.
        retriever: ranks the chunks of a language's corpus.
        reranker: orders the retrieved chunks again.
        reader: answers from the context.
        judge: grades the answers.
        check: answers the separate questions about them, beside the grade: `offline`, `openai` or `none`.
        top_k: number of chunks that are retrieved.
        context_k: most chunks that the reader is shown.
        context_chars: most characters that the reader is shown; a Han, kana or hangul character counts 3.
        sampling: sampling parameters of a reader model (`temperature`, `max_tokens`, …).
        seed: seed of everything that draws in measuring and grading; it is not sent to an endpoint.
    """

    name: str = ""
    data: str = field(default_factory=default_data)
    knowledge_base: str = ""
    kb_lang: str = SAME
    chunking: str = "windows"
    embedder: Component = Component("use-multilingual")
    retriever: Component = Component("hybrid")
    reranker: Component = Component("none")
    reader: Component = Component("extractive")
    judge: Component = Component("offline")
    check: Component = Component("offline")
    top_k: int = 100
    context_k: int = 60
    context_chars: int = 4500
    sampling: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse an empty `kb_lang`, sizes below 1, and numbers out of range."""
        for key in _LEAST:
            _check_bounds(key, getattr(self, key), "config")
        if not self.kb_lang.strip():
            raise ConfigError("config: 'kb_lang' is empty; name a language, or write same or all")

    def system(self) -> dict[str, Any]:
        """Return what decides the answers to given data; `kb_lang` is among it where it is not `same`."""
        values = asdict(self)
        left_out = {"name", "data", "knowledge_base", "judge", "check", "kb_lang" if self.kb_lang == SAME else ""}
        return {key: values[key] for key in sorted(values) if key not in left_out}


# Key → the type of its value in YAML.
_TYPES = {key: dict if get_origin(hint) is Mapping else hint for key, hint in get_type_hints(RunConfig).items()}


def load_config(path: Path | str) -> RunConfig:
    """Read a YAML config; keys that it lacks keep their defaults, an unnamed one takes the file's stem.

    Raises:
        ConfigError: if the file is not YAML, a key is unknown, or a value has the wrong type; with file and line.
    """
    path = path_of(path, "config")
    document = parse_yaml(read_text(path), str(path))
    data = document.value
    if data is None:
        return RunConfig(name=path.stem)
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: a mapping of keys is expected; known: {', '.join(_TYPES)}")
    lines = {key.value: key.start_mark.line + 1 for key, _ in document.node.value}
    return _with_values(RunConfig(name=path.stem), data, lambda key: f"{path}:{lines.get(key, 1)}")


def as_config(value: RunConfig | Mapping[str, Any] | None) -> RunConfig:
    """Return a configuration as it is, or one of a mapping with the keys of the YAML file; None gives the defaults.

    Raises:
        ConfigError: if a key is unknown, a value has the wrong type, or it is none of these.
    """
    if value is None or isinstance(value, RunConfig):
        return value or RunConfig()
    if not isinstance(value, Mapping):
        raise ConfigError(f"config: a RunConfig, a dict or load_config(path) is wanted, not {value!r}")
    return _with_values(RunConfig(), value, lambda key: "config")


def path_of(value: Path | str, what: str) -> Path:
    """Return a path that may come as text.

    Raises:
        ConfigError: if it is neither; `what` names it.
        InputError: if no file can have the name, or it is not UTF-8.
    """
    if not isinstance(value, str | Path):
        raise ConfigError(f"{what}: a path is wanted, not {value!r}")
    check_name(str(value))
    return Path(value)


def load_sampling(path: Path) -> dict[str, Any]:
    """Read sampling parameters, a JSON object such as `{"max_tokens": 512, "temperature": 0.0}`.

    Raises:
        InputError: if the file cannot be read, is not JSON or is no object.
    """
    value = read_json(path)
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: sampling parameters are a JSON object, not {type(value).__name__}")
    _check_plain(value, str(path))
    return value


def slug(text: str) -> str:
    """Return `text` as one path segment: letters, digits, '.' and '-' stay, all else becomes '-'."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-.") or "run"


def run_name(config: RunConfig, benchmark: str) -> str:
    """Return the default name of a run's folder: benchmark, system; knowledge base and judge if not the defaults.

    A secret in the address of an endpoint is left out.
    """
    system = config.name or "_".join(map(str, (config.reader, config.embedder, config.reranker)))
    parts = [benchmark, system]
    if config.kb_lang != SAME:
        parts.append(f"kb-{config.kb_lang}")
    if config.judge != Component("offline"):
        parts.append(f"judge-{config.judge}")
    return "_".join(slug(redact(part)) for part in parts)


def _with_values(config: RunConfig, values: Mapping[Any, Any], where: Callable[[str], str]) -> RunConfig:
    """Return a configuration with other values; `where` says in errors where a key stands."""
    typed: dict[str, Any] = {}
    for key, value in values.items():
        if key not in _TYPES:
            raise ConfigError(f"{where(str(key))}: unknown key '{key}'; {nearest(str(key), _TYPES)}")
        typed[key] = _typed(key, value, where(str(key)))
    return replace(config, **typed)


def _typed(key: str, value: Any, where: str) -> Any:
    expected = _TYPES[key]
    if expected is Component:
        if isinstance(value, Component):
            return value
        return Component.parse(value, f"{where}: '{key}'")
    if not isinstance(value, expected) or isinstance(value, bool):
        raise ConfigError(f"{where}: '{key}' must be of type {expected.__name__}, not {type(value).__name__}")
    if isinstance(value, int):
        _check_bounds(key, value, where)
    if isinstance(value, dict):
        _check_plain(value, f"{where}: '{key}'")
    return value


def _check_bounds(key: str, value: int, where: str) -> None:
    if value > MOST:
        raise ConfigError(f"{where}: '{key}' must be at most {MOST}, which fits into 64 bits")
    if value < _LEAST[key]:
        raise ConfigError(f"{where}: '{key}' must be at least {_LEAST[key]}, not {value}")


def _check_plain(value: Any, where: str) -> None:
    """Refuse what JSON cannot hold: dates, infinite numbers and the like."""
    try:
        if json.loads(json.dumps(value, allow_nan=False, ensure_ascii=False).encode()) != value:
            raise ValueError("a key is not a text")
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: only texts, finite numbers, booleans, lists and mappings ({error})") from None
