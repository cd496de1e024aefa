"""`build.yaml`: read, checked, and filled up by its preset."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragaliq.build.documents.language import check_language, check_translatable
from ragaliq.build.settings import TYPES, BuildSettings, PoolSettings
from ragaliq.build.settings_reader import line_of, read_record
from ragaliq.components import check
from ragaliq.config import Component
from ragaliq.errors import ConfigError, nearest
from ragaliq.storage.files import read_text
from ragaliq.storage.yaml_files import YamlDocument, parse_yaml

_SHA256 = re.compile(r"[0-9a-f]{64}")
# What a preset sets where the file does not. FreshStack's two papers differ in the size of a chunk (arXiv 2504.13128,
# v1 section 3.2, v2); RAGaliq cuts at `###`, leaves out chunks under 100 characters, and asks six times per chunk.
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "v1-4096": {"chunk": {"max_tokens": 4096, "sections": False}},
    "v2-2048": {"chunk": {"max_tokens": 2048, "sections": False}},
    "ragaliq": {
        "chunk": {"max_tokens": 1024, "sections": True, "min_chars": 100},
        "generate": {"per_chunk": 6, "temperature": 0.7, "max_tokens": 512},
    },
}


def load_settings(path: Path) -> BuildSettings:
    """Read `build.yaml`; keys that it lacks take the preset's values, then the defaults.

    The order of the sources does not count.

    Raises:
        ConfigError: if it is not YAML, a key, preset, type, language or retriever is unknown, a value is of the wrong
            type or size, or two sources have one name; with the line.
    """
    return parse_settings(read_text(path), path)


def parse_settings(text: str, path: Path) -> BuildSettings:
    """Return the settings in the text of a `build.yaml` that is, or will be, at `path`; raises as `load_settings`."""
    document = parse_yaml(text, str(path))
    if document.value is None:
        return BuildSettings()
    settings: BuildSettings = read_record(BuildSettings, document, str(path))
    _check(settings, document, str(path))
    for section, values in PRESETS.get(settings.preset, {}).items():
        new = {key: value for key, value in values.items() if key not in document.value.get(section, {})}
        settings = replace(settings, **{section: replace(getattr(settings, section), **new)})
    return replace(settings, sources=tuple(sorted(settings.sources, key=lambda source: source.label)))


def _check(settings: BuildSettings, document: YamlDocument, path: str) -> None:
    """Refuse values that fit their types but cannot be used.

    Raises:
        ConfigError: as `load_settings`.
    """
    if settings.preset and settings.preset not in PRESETS:
        where = line_of(document, path, "preset")
        raise ConfigError(f"{where}: unknown preset '{settings.preset}'; {nearest(settings.preset, PRESETS)}")
    for kind in settings.generate.types:
        if kind not in TYPES:
            where = line_of(document, path, "generate", "types", kind)
            raise ConfigError(f"{where}: unknown type '{kind}' of questions; {nearest(kind, TYPES)}")
    for keys, langs in (
        (("languages",), settings.languages),
        (("translate", "languages"), settings.translate.languages),
    ):
        for number, lang in enumerate(langs):
            where = line_of(document, path, *keys, number)
            check_language(lang, where)
            if lang in langs[:number]:
                raise ConfigError(f"{where}: '{lang}' is named twice")
    where = line_of(document, path, "translate", "languages")
    check_translatable(settings.languages, settings.translate.languages, where)
    _check_pool(settings.pool, document, path)
    labels: set[str] = set()
    for number, source in enumerate(settings.sources):
        where = line_of(document, path, "sources", number)
        if source.label in ("", ".", ".."):
            raise ConfigError(f"{where}: the source '{source.path}' needs a 'name', with which its ids begin")
        if source.label in labels:
            raise ConfigError(f"{where}: two sources are called '{source.label}'; give one another 'name'")
        if source.sha256 and not _SHA256.fullmatch(source.sha256):
            raise ConfigError(f"{where}: 'sha256' must be 64 hex digits in lower case; build/sources.json states it")
        labels.add(source.label)


def _check_pool(settings: PoolSettings, document: YamlDocument, path: str) -> None:
    """Refuse early what the pool cannot use: it runs when most of the calls are paid for.

    Raises:
        ConfigError: as `load_settings`.
    """
    if not settings.retrievers:
        raise ConfigError(f"{line_of(document, path, 'pool', 'retrievers')}: 'pool.retrievers' needs at least one")
    for stage, key, names in (
        ("embedder", "embedder", [settings.embedder]),
        ("retriever", "retrievers", settings.retrievers),
    ):
        for number, name in enumerate(names):
            try:
                check(stage, Component.parse(name, "pool"), embedder=None, index_dir=None, session=None, seed=0)
            except ConfigError as error:
                raise ConfigError(f"{line_of(document, path, 'pool', key, number)}: {error}") from None
