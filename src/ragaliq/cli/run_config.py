"""The configuration that the arguments of `run` and `plan` name: the file's, with the command line's options."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragaliq.cli.judging import chosen_judge
from ragaliq.cli.options import tell
from ragaliq.config import Component, RunConfig, load_config, load_sampling
from ragaliq.errors import ConfigError

# Stage → the kind of a bare model id in the flags of the RAGaliq sources.
LOCAL_KINDS = {"reader": "transformers", "embedder": "transformers", "reranker": "cross-encoder"}


def resolve(arguments: argparse.Namespace, config: RunConfig | None = None) -> RunConfig:
    """Return a configuration, by default the file's, with the command line's options in place of its values."""
    if config is None:
        config = load_config(arguments.config) if arguments.config else RunConfig()
    named = {key: getattr(arguments, key) for key in ("data", "knowledge_base", "kb_lang")}
    changes: dict[str, Any] = {key: value for key, value in named.items() if value is not None}
    changes |= _sources_folder(arguments, config)
    if arguments.sampling_params:
        changes["sampling"] = load_sampling(Path(arguments.sampling_params))
    changes["judge"] = chosen_judge(arguments, config.judge)
    if arguments.check:
        changes["check"] = Component.parse(arguments.check, "--check")
    for stage in LOCAL_KINDS:
        model_id = getattr(arguments, f"{stage}_model_id")
        if model_id:
            changes[stage] = _legacy(stage, model_id)
    config = replace(config, **changes)
    if arguments.use_decoder_as_embedder:
        embedder = config.embedder
        if embedder.kind != "transformers":
            raise ConfigError(f"--use_decoder_as_embedder: needs the embedder transformers:ID, not '{embedder}'")
        config = replace(config, embedder=replace(embedder, options={**embedder.options, "pooling": "last"}))
    return config


def _sources_folder(arguments: argparse.Namespace, config: RunConfig) -> dict[str, str]:
    """Return `data`, and `knowledge_base`, where a command of the RAGaliq sources leaves out what they take as given.

    Their questions are in `data`. Their `--knowledge_base` is never read; where it names the benchmark's own file, it
    says nothing new.
    """
    from ragaliq.formats.upstream import is_upstream

    base = Path(arguments.knowledge_base or config.knowledge_base)
    changes = {}
    data = Path(arguments.data or config.data)
    if arguments.data is None and config.data == RunConfig().data:
        folders = [folder for folder in (base.parent, Path("data")) if is_upstream(folder)]
        data = folders[0] if folders else data
        if folders:
            changes["data"] = str(data)
            tell([f"note: the questions are those of the folder '{data}'; --data names another benchmark"])
    own = {"orientation_{lang}.md", f"orientation_{arguments.lang}.md"}
    if base.name in own and is_upstream(data) and base.parent.resolve() == data.resolve():
        changes["knowledge_base"] = ""
    return changes


def names_judge(arguments: argparse.Namespace) -> bool:
    """Return whether `--judge` or the configuration's file names a judge."""
    from ragaliq.storage.files import read_text
    from ragaliq.storage.yaml_files import parse_yaml

    file = arguments.config or ""
    if arguments.judge or not file or file.startswith("python:"):
        return bool(arguments.judge)
    return "judge" in (parse_yaml(read_text(Path(file)), file).value or ())


def _legacy(stage: str, model_id: str) -> Component:
    """Return the component that a legacy flag names: a known kind, or a bare Hugging Face id for the local kind."""
    from ragaliq.components import KINDS, unknown_kind

    kind = model_id.partition(":")[0]
    if kind in KINDS[stage] or kind == "python":
        return Component.parse(model_id, f"--{stage}_model_id")
    if "/" not in model_id:
        raise ConfigError(f"--{stage}_model_id: {unknown_kind(stage, kind)}")
    return Component(LOCAL_KINDS[stage], model_id)
