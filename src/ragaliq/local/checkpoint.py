"""The files of a model, on the hub or in a folder, and a name that changes with what they hold."""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import ConfigError, RagaliqError
from ragaliq.storage.redaction import error_line

# What says how a model is used; its loader fetches the weights.
SMALL_FILES = ("config.json", "*/config.json", "modules.json", "config_sentence_transformers.json", "sentence_*.json")
# Kinds of files that decide nothing; all others may: weights, settings, vocabularies, templates, code.
_DOCUMENTS = {".md", ".rst", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".pyc"}


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
        """What Hugging Face's loaders take together with `commit`."""
        return self.model if self.commit else str(self.folder)

    def name(self) -> str:
        """Return a name that changes with the content: the id with its commit, or a hash of the folder's files.

        The same files have the same name wherever they lie.
        """
        return f"{self.model}@{self.commit}" if self.commit else f"sha256:{_content_hash(self.folder)}"


def find_checkpoint(label: str, model: str, revision: str = "") -> Checkpoint:
    """Return a model's small files: a folder as it is, or the hub's, fetched if they are not in its cache.

    Args:
        label: the component, for messages.
        model: id on the hub, or a folder.
        revision: branch, tag or commit on the hub; empty is its main branch.

    Raises:
        ConfigError: if there is no such model or revision, or the hub cannot be reached.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        if revision:
            raise ConfigError(f"{label}: option 'revision' is for models of the hub, this is a folder")
        return Checkpoint(model, folder)
    if model.startswith(("/", ".", "~")):
        raise ConfigError(f"{label}: there is no such folder; check the path")
    with loading(label):
        from huggingface_hub import snapshot_download

        snapshot = Path(snapshot_download(model, revision=revision or "main", allow_patterns=list(SMALL_FILES)))
    return Checkpoint(model, snapshot, snapshot.name)


@contextmanager
def loading(label: str) -> Iterator[None]:
    """Turn whatever goes wrong while a model is loaded into one line, and keep the libraries' own reports back.

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
    except Exception as error:  # Hub, files, devices and the model's own code raise what they like.
        reason = error_line(error)
        hint = "if you trust its code, set trust_remote_code: true to run it"
        advice = hint if "trust_remote_code" in reason else "check the id and the options"
        raise ConfigError(f"{label}: cannot be loaded ({reason}); {advice}") from None
    finally:
        reports.set_verbosity(verbosity)


def _content_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in place.parts)
        if path.suffix.lower() not in _DOCUMENTS and not hidden and path.is_file():
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{place.as_posix()}\0{content}\n".encode())
    return digest.hexdigest()[:32]
