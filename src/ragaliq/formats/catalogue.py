"""The catalogue of retrieval data sets: BEIR's 19, MIRACL's 18 languages, mMARCO's 14, FreshStack's five topics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError, nearest
from ragaliq.storage.yaml_files import read_yaml

_FILE = Path(__file__).with_name("catalogue.yaml")
# What others put before a name, such as `BeIR/scifact` or `beir-v1.0.0-scifact`, and behind it, such as `beir/nq/dev`.
_BEFORE = re.compile(r"(beir-v[\d.]+|beir|mteb)-(?=.)")
_BEHIND = re.compile(r"-(train|dev|validation|test)$")


@dataclass(frozen=True, slots=True)
class Dataset:
    """What is known of a data set, in one language; `catalogue.yaml` names the sources.

    Attributes:
        name: our name for it, such as `scifact`, `miracl-de`, `mmarco-de`, `freshstack-yolo`.
        lang: language code of corpus and queries.
        queries: number of queries in the default split.
        documents: number of documents in the corpus.
        licence: as a source reports it, or `unknown`, or `terms of source`.
        published: year in which the family came out.
        year: year of the questions and their judgements.
        splits: those with judgements at hand; `hidden` are those whose judgements are withheld.
        public: false if one has to apply; `access` then says where.
        hub: repository on the Hugging Face hub, `config` the configuration in it.
        archive: address of the zip archive, `md5` its digest.
        self_match: queries stand in the corpus under their own ids, so that a retriever finds the query itself first.
        leaderboards: where results on it are ranked in public.
        parts: data sets that it consists of; its value is the mean over them.
        remark: what else a reader of a result should know.
    """

    name: str
    family: str
    task: str
    domain: str
    lang: str
    queries: int
    documents: int
    licence: str
    published: int
    year: int
    splits: tuple[str, ...]
    default_split: str
    hidden: tuple[str, ...] = ()
    public: bool = True
    access: str = ""
    hub: str = ""
    config: str = ""
    archive: str = ""
    md5: str = ""
    self_match: bool = False
    leaderboards: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    remark: str = ""


def catalogue(family: str = "") -> tuple[Dataset, ...]:
    """Return all data sets, or those of `beir`, `miracl`, `mmarco` or `freshstack`, in the order of the file."""
    return tuple(entry for entry in _entries().values() if family in ("", entry.family))


def dataset_families() -> tuple[str, ...]:
    """Return the names of the families."""
    return tuple(_data())


def sources(family: str) -> Mapping[str, str]:
    """Return where a family's facts come from: what → source."""
    return dict(_data()[family]["sources"])


def find(name: str) -> Dataset | None:
    """Return a data set by its name as we or others write it; None if the catalogue does not know it.

    Case, `/`, `_` and spaces do not count; `BeIR/scifact`, `mteb/scifact`, `beir/scifact/test` and
    `beir-v1.0.0-scifact` are `scifact`, `miracl/de` is `miracl-de`, `langchain` is `freshstack-langchain`.
    Names are never guessed.
    """
    key = re.sub(r"[\s/_-]+", "-", name.casefold().strip())
    words = (key, _BEHIND.sub("", key), _BEFORE.sub("", key), _BEFORE.sub("", _BEHIND.sub("", key)))
    return next((_names()[word] for word in words if word in _names()), None)


def entry(name: str) -> Dataset:
    """Return a data set of the catalogue."""
    dataset = find(name)
    if dataset is None:
        hint = nearest(name, _names())
        # All the names would fill a screen.
        advice = hint if hint.startswith("did you mean") else "`ragaliq datasets` lists them"
        raise InputError(f"'{name}' is not in the catalogue; {advice}")
    return dataset


def check_split(name: str, split: str) -> None:
    """Refuse a split whose judgements are withheld; any other split or data set passes."""
    dataset = find(name)
    if dataset is None or split in dataset.splits:
        return
    word = re.sub(r"[\s_-]", "", split.casefold())
    hidden = {part.replace("-", "") for part in dataset.hidden}
    # MIRACL's test sets are called A and B; whoever asks for `test` means one of them.
    if word in hidden or (word == "test" and any(part.startswith("test") for part in hidden)):
        raise InputError(
            f"the judgements of {dataset.name}'s split '{split}' are withheld for its leaderboard; evaluate on "
            f"'{dataset.default_split}' ({dataset.queries:,} queries), or submit a run there"
        )


@lru_cache(maxsize=1)
def _names() -> dict[str, Dataset]:
    return {name: entry for entry in _entries().values() for name in (*entry.aliases, entry.name)}


@lru_cache(maxsize=1)
def _entries() -> dict[str, Dataset]:
    return {
        name: _entry(name, family, {**data, **own})
        for family, data in _data().items()
        for name, own in data["datasets"].items()
    }


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    data: dict[str, Any] = read_yaml(_FILE)["families"]
    return data


def _entry(name: str, family: str, data: Mapping[str, Any]) -> Dataset:
    fields: dict[str, Any] = {k: tuple(value) if isinstance(value, list) else value for k, value in data.items()}
    del fields["datasets"], fields["sources"]
    for key in {"hub", "config", "archive"} & fields.keys():
        fields[key] = fields[key].format(name=name, lang=fields["lang"]) if fields.get("public", True) else ""
    return Dataset(name=name, family=family, **fields)
