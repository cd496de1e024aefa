"""One repository of data on the Hugging Face hub, or a local copy, as the library `datasets` reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.storage.files import Row

# Columns that hold ids or texts: a table of text (csv, tsv) must not turn "007" into 7 or "NA" into nothing.
_TEXT_COLUMNS = (
    "_id", "id", "docid", "query-id", "query_id", "corpus-id", "corpus_id", "document-id", "text", "title", "query",
)  # fmt: skip
_LOCAL = (
    "without a network give a local copy of the repository, or files of the formats beir, miracl, mmarco, freshstack"
)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository and its configurations; every row is streamed, nothing is kept on disk.

    What cannot be read is a `ConfigError`.

    Attributes:
        name: as on the hub, `OWNER/NAME`, or a folder.
        pins: revision by name of repository, for this one and its siblings.
        configs: names of the configurations.
        used: the repositories opened so far, siblings included.
    """

    name: str
    pins: Mapping[str, str]
    configs: tuple[str, ...]
    used: list[str]

    @property
    def short(self) -> str:
        """The name without owner or folder."""
        return self.name.rstrip("/").rpartition("/")[2]

    def named(self, names: Iterable[str]) -> str:
        """Return the first of some configurations that the repository has, else an empty text."""
        return next((name for name in names if name in self.configs), "")

    def splits(self, config: str) -> list[str]:
        """Return the names of a configuration's splits."""
        if config not in self.configs:
            raise ConfigError(f"{self.name}: no configuration '{config}'; it has {', '.join(self.configs)}")
        with _reading(self.name):
            from datasets import get_dataset_split_names

            return [str(split) for split in get_dataset_split_names(self.name, config, revision=self._revision)]

    def rows(self, config: str, split: str) -> Iterator[tuple[str, Row]]:
        """Yield the rows of a split, each with the words that name its place in errors."""
        with _reading(self.name):
            from datasets import load_dataset, load_dataset_builder

            builder = load_dataset_builder(self.name, config, revision=self._revision)
            options: dict[str, Any] = {}
            if type(builder).__module__.endswith(".csv"):
                # No csv quoting either: an id may begin with a quote.
                options = {"quoting": 3, "na_filter": False, "converters": dict.fromkeys(_TEXT_COLUMNS, str)}
            stream = load_dataset(self.name, config, split=split, revision=self._revision, streaming=True, **options)
            for number, row in enumerate(stream, start=1):
                yield f"{self.name} {config}/{split} row {number}", dict(row)

    def sibling(self, name: str) -> Repository:
        """Open another repository; for a local copy, the folder of that name beside it."""
        beside = str(Path(self.name).parent / Path(name).name) if Path(self.name).is_dir() else name
        return _opened(beside, self.pins, self.used)

    def unpinned(self) -> tuple[str, ...]:
        """Return a note for each repository of the hub that is read at its newest revision."""
        return tuple(
            f"{name}: read at its newest revision, which may change; pin it with a revision"
            for name in self.used
            if name not in self.pins and not Path(name).is_dir()
        )

    @property
    def _revision(self) -> str | None:
        return self.pins.get(self.name)


def open_repository(name: str, revision: str = "") -> Repository:
    """Open a repository of the hub by name, or a folder with a copy of one.

    Args:
        name: `OWNER/NAME` or a folder.
        revision: commit, branch or tag; for several repositories `OWNER/NAME=REVISION,…`.
    """
    return _opened(name, dict(_pin(part, name) for part in revision.split(",") if part), [])


def _pin(part: str, name: str) -> tuple[str, str]:
    repository, _, revision = part.rpartition("=")
    return repository or name, revision


def _opened(name: str, pins: Mapping[str, str], used: list[str]) -> Repository:
    try:
        from datasets import get_dataset_config_names
    except ImportError:
        raise ConfigError(
            f"{name}: the hub is read with the package datasets; pip install datasets, or give local files "
            "(formats beir, miracl, mmarco, freshstack)"
        ) from None
    with _reading(name):
        configs = tuple(get_dataset_config_names(name, revision=pins.get(name)))
    used.append(name)
    return Repository(name, pins, configs, used)


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Turn what goes wrong inside the library into one line."""
    import httpx
    from datasets.exceptions import DatasetsError

    try:
        yield
    except (OSError, ValueError, RuntimeError, DatasetsError, httpx.HTTPError) as error:
        reason = " ".join(str(error).split())[:200]
        # datasets refuses a data set's script by its file name; its other errors of this type name none.
        if type(error) is RuntimeError and ".py" in reason:
            raise ConfigError(
                f"{name}: its data lies behind a script, which is never run; try the revision refs/convert/parquet, or "
                "give its files"
            ) from None
        raise ConfigError(f"{name}: cannot be read ({reason}); {_LOCAL}") from None
