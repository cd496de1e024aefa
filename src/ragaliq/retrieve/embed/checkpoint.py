"""The files of a model, on the hub or in a folder, and a name that changes with what they hold."""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import ConfigError, RagaliqError

# What says how a model is used; the weights are fetched when they are loaded.
SMALL_FILES = ("config.json", "*/config.json", "modules.json", "config_sentence_transformers.json", "sentence_*.json")
# Kinds of files that decide vectors: weights, settings, vocabularies, code.
_DECIDING = {".safetensors", ".bin", ".onnx", ".onnx_data", ".json", ".txt", ".model", ".py"}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model whose files are at hand, or at least the small ones.

    Attributes:
        model: id on the model hub, or a folder, as it was asked for.
        folder: where its files lie.
        commit: the hub's commit; empty for a folder of one's own.
    """

    model: str
    folder: Path
    commit: str = ""

    @property
    def source(self) -> str:
        """What the loaders of Hugging Face take together with `commit`."""
        return self.model if self.commit else str(self.folder)

    def name(self) -> str:
        """Return a name that changes with the content: the id with its commit, or a hash of the folder's files.

        The same files have the same name wherever they lie.
        """
        return f"{self.model}@{self.commit}" if self.commit else f"sha256:{_content_hash(self.folder)}"


def find_checkpoint(model: str, revision: str = "") -> Checkpoint:
    """Return a model's small files: a folder as it is, or the hub's, fetched if they are not in its cache.

    Raises:
        ConfigError: if there is no such model or revision, or the hub cannot be reached.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        if revision:
            raise ConfigError(f"embedder '{model}': option 'revision' is for models of the hub, this is a folder")
        return Checkpoint(model, folder)
    if model.startswith(("/", ".", "~")):
        raise ConfigError(f"embedder '{model}': there is no such folder; check the path")
    found = fetch(Checkpoint(model, folder, revision or "main"), SMALL_FILES)
    return Checkpoint(model, found, found.name)


def fetch(checkpoint: Checkpoint, patterns: Sequence[str]) -> Path:
    """Return the checkpoint's folder after files that match the patterns were fetched into it, if the hub has them.

    Raises:
        ConfigError: if the hub cannot be reached.
    """
    if not checkpoint.commit:
        return checkpoint.folder
    with loading(checkpoint.model):
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(checkpoint.model, revision=checkpoint.commit, allow_patterns=list(patterns)))


@contextmanager
def loading(model: str) -> Iterator[None]:
    """Tell in one line whatever goes wrong while a model is loaded, and keep the libraries' own reports back.

    Raises:
        ConfigError: for every exception that is not the user's already.
    """
    from transformers.utils import logging as reports

    verbosity = reports.get_verbosity()
    reports.set_verbosity(logging.ERROR)
    if not sys.stderr.isatty():
        reports.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    except RagaliqError:
        raise
    except Exception as error:  # Hub, files, devices and the model's own code: they raise what they like.
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise ConfigError(f"embedder '{model}': cannot be loaded ({reason}); check the id and the options") from None
    finally:
        reports.set_verbosity(verbosity)


def _content_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in place.parts)
        if path.suffix in _DECIDING and not hidden and path.is_file():
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{place.as_posix()}\0{content}\n".encode())
    return digest.hexdigest()[:32]
