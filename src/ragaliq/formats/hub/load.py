"""Data sets of the Hugging Face hub, or local copies of its repositories, read through the library `datasets`.

Four layouts are told from the names of the configurations and the columns:

- BEIR and MTEB: configurations `corpus`, `queries` and `qrels` or `default`, the last perhaps in a repository of its
  own with `-qrels` behind the name. With a configuration X they are `X-corpus`, `X-queries`, `X-qrels`.
- mMARCO: configurations `collection-LANGUAGE` and `queries-LANGUAGE`; the judgements are MS MARCO's.
- MIRACL: rows with `positive_passages` and `negative_passages`, the corpus in the repository with `-corpus` behind.
- FreshStack: rows with `nuggets`, the corpus in the repository with `corpus` in place of `queries`.

Rows are streamed, so that memory does not grow with a corpus. Scripts of repositories are never run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from ragaliq.errors import ConfigError, InputError, listed, nearest
from ragaliq.formats.catalogue import Dataset, check_split, find
from ragaliq.formats.freshstack import from_rows
from ragaliq.formats.hub.repository import Repository, open_repository
from ragaliq.formats.miracl import read_passages
from ragaliq.formats.mmarco import language
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.reading.joining import join_judgements
from ragaliq.formats.reading.rows import Rows, read_documents, read_texts, row_key
from ragaliq.formats.trec.qrels import Judgement, collect_judgements
from ragaliq.types import Chunk

_DEV = ("dev", "validation")
_JUDGED_QUERY_KEYS = ("query-id", "query_id")
_JUDGED_DOC_KEYS = ("corpus-id", "document-id", "corpus_id")


def read_hub(name: str, config: str = "", split: str = "", lang: str = "", revision: str = "") -> Collection:
    """Read a data set of the hub, or a local copy of its repository.

    Queries without judgements in the split are left out. Ids are text, whatever type the repository gives them.

    Args:
        name: repository, such as `mteb/scifact`, or a folder with a copy of one.
        config: what tells a language or topic apart: `de` (MIRACL), `german` or `german/english` (mMARCO: language of
            the documents / of the queries), `langchain` (FreshStack); empty where there is none.
        split: the default is the catalogue's, else the first of test, dev, validation, train.
        lang: language code; needed where neither the catalogue nor the configuration tells it.
        revision: commit, branch or tag; for several repositories `REPOSITORY=REVISION,…`.

    Raises:
        ConfigError: if `datasets` is missing, or a repository cannot be reached or has another layout.
        InputError: if the split's judgements are withheld, a row is malformed, or no query has a text and judgements.
    """
    doc_config, _, query_config = config.partition("/")
    wanted = _Wanted(open_repository(name, revision), doc_config, query_config or doc_config, split, lang)
    check_split(wanted.name, split)
    if wanted.repository.named(wanted.kinds("corpus")) and wanted.repository.named(wanted.kinds("queries")):
        collection = _read_beir(wanted)
    elif wanted.repository.named([f"collection-{doc_config}"]):
        collection = _read_mmarco(wanted)
    else:
        collection = _read_rows(wanted)
    return replace(collection, notes=(*collection.notes, *wanted.repository.unpinned()))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a call asks for."""

    repository: Repository
    config: str
    query_config: str
    split: str
    given_lang: str

    @property
    def known(self) -> Dataset | None:
        """The catalogue's entry."""
        names = (f"{self.repository.short}-{self.config}", self.config, self.repository.short)
        return next(filter(None, map(find, names)), None)

    @property
    def name(self) -> str:
        """The data set's name."""
        return self.known.name if self.known else self.repository.short

    @property
    def lang(self) -> str:
        """The language code of the corpus."""
        by_config = self.config if 2 <= len(self.config) <= 3 and self.config.isalpha() else ""
        lang = self.given_lang or (self.known.lang if self.known else by_config)
        if not lang:
            raise ConfigError(f"{self.repository.name}: its language is not known; name it, such as lang='en'")
        return lang

    def kinds(self, kind: str) -> list[str]:
        """Return what a configuration of a kind may be called."""
        if self.config in ("", "default"):
            return [kind, "default"] if kind == "qrels" else [kind]
        return [f"{self.config}-{kind}", f"{kind}-{self.config}"]

    def pick(self, splits: Iterable[str]) -> str:
        """Return the wanted one of the splits that a configuration has."""
        available = list(splits)
        split = self.split or (self.known.default_split if self.known else "test")
        names: list[str] = [split, *(_DEV if split in _DEV else ()), *(() if self.split else ("test", *_DEV, "train"))]
        for name in names:
            if name in available:
                return name
        raise InputError(f"{self.repository.name}: no split '{split}'; {nearest(split, available)}")


def _read_beir(wanted: _Wanted) -> Collection:
    repository = wanted.repository
    judged, config = repository, repository.named(wanted.kinds("qrels"))
    if not config:
        judged = repository.sibling(f"{repository.name.rstrip('/')}-qrels")
        config = judged.named([*wanted.kinds("qrels"), "default"])
    split = wanted.pick(judged.splits(config))
    qrels = collect_judgements(_judgements(judged.rows(config, split)))
    queries = repository.named(wanted.kinds("queries"))
    splits = repository.splits(queries)
    texts = read_texts(repository.rows(queries, "queries" if "queries" in splits else wanted.pick(splits)))
    chunks = partial(_documents, repository, repository.named(wanted.kinds("corpus")), wanted.lang)
    joined = join_judgements(texts, qrels, wanted.lang, Path(judged.name))
    return Collection(wanted.name, wanted.lang, split, chunks, *joined)


def _read_mmarco(wanted: _Wanted) -> Collection:
    repository = wanted.repository
    judged, config = repository, repository.named(["qrels", "default"])
    if not config:
        judged = repository.sibling("BeIR/msmarco-qrels")
        config = judged.named(["qrels", "default"])
    # MS MARCO's test split has judgements too, but mMARCO no queries for it.
    queries = f"queries-{wanted.query_config}"
    split = wanted.pick(repository.splits(queries))
    judged_split = replace(wanted, split=split).pick(judged.splits(config))
    qrels = collect_judgements(_judgements(judged.rows(config, judged_split)))
    texts = read_texts(repository.rows(queries, split))
    lang = language(wanted.config)
    chunks = partial(_documents, repository, f"collection-{wanted.config}", lang)
    joined = join_judgements(texts, qrels, language(wanted.query_config), Path(judged.name))
    return Collection(wanted.name, lang, split, chunks, *joined)


def _read_rows(wanted: _Wanted) -> Collection:
    """Read a repository whose rows carry queries and judgements together."""
    repository, lang = wanted.repository, wanted.lang
    config = repository.named([wanted.config] if wanted.config else ["default", *repository.configs])
    split = wanted.pick(repository.splits(config or wanted.config))
    rows = repository.rows(config, split)
    first = next(rows, ("", {}))
    whole = chain([first], rows)
    if "nuggets" in first[1]:
        other = repository.sibling(repository.name.replace("queries", "corpus"))
        return from_rows(wanted.name, lang, whole, partial(_documents, other, config, lang), split)
    if "positive_passages" in first[1]:
        other = repository.sibling(f"{repository.name.rstrip('/')}-corpus")
        texts, qrels = read_passages(whole)
        joined = join_judgements(texts, qrels, lang, Path(repository.name))
        return Collection(wanted.name, lang, split, partial(_documents, other, config, lang), *joined)
    raise ConfigError(
        f"{repository.name}: no layout that is known (corpus and queries, collections, rows with nuggets or "
        f"positive_passages); name a configuration, {listed(repository.configs)}"
    )


def _judgements(rows: Rows) -> Iterator[Judgement]:
    for where, row in rows:
        query_id, doc_id = row_key(row, _JUDGED_QUERY_KEYS, where), row_key(row, _JUDGED_DOC_KEYS, where)
        score = row.get("score")
        if isinstance(score, bool) or not isinstance(score, int | float) or not float(score).is_integer():
            raise InputError(f"{where}: 'score' must be a whole number, not {score!r}; fix it")
        yield Judgement(query_id, "0", doc_id, int(score), where)


def _documents(repository: Repository, config: str, lang: str) -> Iterator[Chunk]:
    """Stream a corpus."""
    splits = repository.splits(config)
    split = next((split for split in ("corpus", "collection", "train") if split in splits), splits[0])
    yield from read_documents(repository.rows(config, split), lang)
