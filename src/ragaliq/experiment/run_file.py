"""A retrieval run on disk: a TREC file, and beside it a manifest that says what decided it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.experiment.effort import Seconds, Spent
from ragaliq.runs.manifests import first_difference
from ragaliq.runs.versions import installed_versions
from ragaliq.storage.files import open_file, write_json
from ragaliq.storage.lock import locked
from ragaliq.storage.own_json import read_own_json
from ragaliq.types import Query

_PACKAGES = ("ragaliq", "chromadb", "numpy", "PyStemmer", "regex", "sentence-transformers", "torch")
KIND = "ragaliq-retrieval-1"
_MANIFEST = {
    "kind": frozenset({KIND}),
    "finished": bool,
    "seconds": {name: type(zero) for name, zero in asdict(Seconds()).items()},
    "spent": {**{name: type(zero) for name, zero in asdict(Spent()).items()}, "cost_usd": (float, None)},
    "models?": {str: str},
}
# Keys of a manifest that do not identify the run.
_ABOUT = ("kind", "models", "finished", "seconds", "spent", "versions")


class RunFile:
    """A TREC run that grows, with its manifest `RUN.trec.json`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest_file = path.with_name(f"{path.name}.json")
        self.texts_file = path.with_name(f"{path.name}.queries.jsonl")
        self.seconds = Seconds()
        self.spent = Spent()

    def open(self, identity: Mapping[str, Any], fresh: bool = False) -> bool:
        """Begin the run, or go on with it, and tell whether it is finished; `fresh` throws away an earlier one.

        `identity` is everything that decides the rankings. A manifest of another identity gives way if it has no
        ranking and no text beside it.

        Raises:
            InputError: if there is a run with another identity, or a file that is no such run.
        """
        earlier = self.manifest()
        if earlier is None and self.path.exists():
            raise InputError(f"{self.path}: is there already, without its manifest; give another file with --out")
        if fresh and earlier is not None:
            for path in (self.path, self.texts_file, self.manifest_file):
                path.unlink(missing_ok=True)
            earlier = None
        if earlier is None:
            self._write(identity, finished=False)
            return False
        changed = first_difference({key: earlier[key] for key in earlier if key not in _ABOUT}, dict(identity))
        if changed and self._is_bare(earlier["finished"]):
            self._write(identity, finished=False)
            return False
        if changed:
            raise InputError(
                f"{self.manifest_file}: this run was made with another configuration ({changed}); "
                "give another file with --out, or begin anew with --fresh"
            )
        self.seconds, self.spent = Seconds(**earlier["seconds"]), Spent(**earlier["spent"])
        return bool(earlier["finished"]) and self.path.exists()

    def close(self, identity: Mapping[str, Any], finished: bool, models: Mapping[str, str]) -> None:
        """Write the manifest; a run that failed before its first ranking, and cost nothing, is removed.

        Raises:
            InputError: if a model is another one than in an earlier call.
        """
        known = (self.manifest() or {}).get("models", {})
        for part, model in models.items():
            if known.get(part, model) != model:
                raise InputError(
                    f"{self.manifest_file}: the {part} was '{known[part]}' and is '{model}' now; name its revision, or "
                    "begin anew with --fresh"
                )
        if self._is_bare(finished) and self.spent == Spent():
            self.manifest_file.unlink(missing_ok=True)
            self.path.unlink(missing_ok=True)
            return
        self._write(identity, finished, {**known, **models})

    def manifest(self) -> dict[str, Any] | None:
        """Return the manifest, None if there is none.

        Raises:
            InputError: if the file beside the run is something else.
        """
        if not self.manifest_file.is_file():
            return None
        what, remedy = "the manifest of a retrieval run", "give another file with --out"
        return dict(read_own_json(self.manifest_file, _MANIFEST, what, remedy))

    def _is_bare(self, finished: bool) -> bool:
        """Return whether a run is not finished and has nothing that a later call could go on with."""
        if finished or self.texts_file.exists():
            return False
        if not self.path.exists():
            return True
        with open_file(self.path) as file:
            return not file.read(64).strip()

    def _write(self, identity: Mapping[str, Any], finished: bool, models: Mapping[str, str] | None = None) -> None:
        versions = installed_versions(_PACKAGES)
        seconds = {key: round(value, 6) for key, value in asdict(self.seconds).items()}
        about = {"finished": finished, "seconds": seconds, "spent": asdict(self.spent), "versions": versions}
        write_json(self.manifest_file, {"kind": KIND, **identity, "models": models or {}, **about})

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out of the run while this one writes it.

        Raises:
            InputError: if another process is at work here, or the place cannot be written.
        """
        lock = self.path.with_name(f".{self.path.name}.lock")
        busy, remedy = "another process is at work on this run; wait for it", "give another file"
        with locked(lock, str(self.path), busy=busy, remedy=remedy):
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)


def queries_hash(queries: Iterable[Query]) -> str:
    """Return one SHA-256 over ids and texts of queries in their order."""
    digest = hashlib.sha256()
    for query in queries:
        for text in (query.query_id, query.text):
            data = text.encode("utf-8", "surrogatepass")
            # With lengths, two lists of texts never are the same bytes.
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
