"""Everything that decides a build: the keys of `build.yaml` with their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from os.path import normpath
from pathlib import PurePath
from typing import Any

TYPES = ("single", "numeric", "temporal", "conditional", "list", "comparative", "multi-hop")


def _at_least(least: float, most: float | None = None) -> Any:
    return {"least": least, "most": most}


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A folder or file of documents.

    Attributes:
        path: where it is, from the folder of `build.yaml`.
        name: begins the ids of its documents; empty takes the last part of the path.
        commit: of the repository that it was taken from, for the card.
        sha256: pins the content, as in `DIR/build/sources.json`: other content is an error.
        url: where it came from, for the card.
        licence: for the card.
        date: of the content, for the card.
    """

    path: str
    name: str = ""
    commit: str = ""
    sha256: str = ""
    url: str = ""
    licence: str = ""
    date: str = ""

    @property
    def label(self) -> str:
        """The start of its documents' ids; empty if neither name nor path gives one."""
        last = PurePath(normpath(self.path)).name
        return self.name or (last if last != ".." else "")


@dataclass(frozen=True, slots=True)
class Questions:
    """A file of questions that people asked: CSV or JSON Lines with the names of its columns, or a `Posts.xml`.

    Attributes:
        path: the file, from the folder of `build.yaml`.
        text: column of the question.
        answer: column of the answer; a file without it is a log, whose rows are answered from the documents.
        accepted: column that says whether the answer was accepted; empty takes every answer.
        lang: column of the language; a row without one takes `language`.
        language: language of all rows; empty recognises it.
        tags: of a Stack Exchange dump the questions with one of these; none takes all.
        sample: most rows that are drawn; 0 takes all.
        scrub: `module:function` that takes a text and returns it without personal data.
    """

    path: str
    text: str = "question"
    answer: str = "answer"
    accepted: str = ""
    lang: str = "lang"
    language: str = ""
    tags: tuple[str, ...] = ()
    sample: int = field(default=0, metadata=_at_least(0))
    scrub: str = ""


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How documents are cut; see `documents.chunking.Chunking`.

    Attributes:
        max_tokens: no chunk has more. One character may be several tokens, so the least is above 1.
        tokenizer: declares the unit; see `documents.tokens.token_counter`.
        sections: whether a chunk ends where a section does.
        min_chars: a chunk with fewer characters is removed.
    """

    max_tokens: int = field(default=512, metadata=_at_least(8))
    tokenizer: str = "estimate"
    sections: bool = True
    min_chars: int = field(default=1, metadata=_at_least(1))


@dataclass(frozen=True, slots=True)
class GenerateSettings:
    """How the model writes candidates.

    Attributes:
        queries: candidates per language.
        per_chunk: the most candidates that use one chunk.
        types: question type → its share.
        temperature: of the model.
        max_tokens: of its reply.
    """

    queries: int = field(default=100, metadata=_at_least(1))
    per_chunk: int = field(default=3, metadata=_at_least(1))
    types: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(TYPES, 1.0))
    temperature: float = field(default=0.7, metadata=_at_least(0, 2))
    max_tokens: int = field(default=1024, metadata=_at_least(16))


@dataclass(frozen=True, slots=True)
class CritiqueSettings:
    """A candidate is kept if the median of its votes is at least `threshold` on every criterion (1 to 5)."""

    votes: int = field(default=3, metadata=_at_least(1))
    threshold: int = field(default=4, metadata=_at_least(1, 5))
    rewrites: int = field(default=2, metadata=_at_least(0))
    temperature: float = field(default=0.7, metadata=_at_least(0, 2))


@dataclass(frozen=True, slots=True)
class ClosedBookSettings:
    """Who answers without documents, how often, and whether known queries are removed instead of tagged."""

    models: tuple[str, ...] = ()
    samples: int = field(default=1, metadata=_at_least(1))
    temperature: float = field(default=0.7, metadata=_at_least(0, 2))
    drop: bool = False


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """What is retrieved to be judged.

    Attributes:
        retrievers: components, each used with every query text.
        embedder: of the retrievers that need one.
        depth: how many of each list are fused.
        judged: how many of each fused list are judged.
        negatives: random chunks per query from outside the pool, judged too.
    """

    retrievers: tuple[str, ...] = ("bm25", "char", "hybrid")
    embedder: str = "use-multilingual"
    depth: int = field(default=100, metadata=_at_least(1))
    judged: int = field(default=20, metadata=_at_least(1))
    negatives: int = field(default=5, metadata=_at_least(0))


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How support is judged.

    Attributes:
        model: another model than the backend's, as in `openai:MODEL`; empty takes the backend's.
        documents: most documents of a call.
        rounds: how often cells are asked for; after the first time, the missing ones.
        temperature: of the model.
        relevance: also grade each pooled document from 0 to 3.
        relevance_labels: people's grades to compare these with, TREC qrels, from the folder of `build.yaml`.
    """

    model: str = ""
    documents: int = field(default=20, metadata=_at_least(1, 20))
    rounds: int = field(default=3, metadata=_at_least(1))
    temperature: float = field(default=0.1, metadata=_at_least(0, 2))
    relevance: bool = False
    relevance_labels: str = ""


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """Which of FreshStack's two rules remove queries: without any supported nugget; with an unsupported one."""

    no_support: bool = True
    unsupported: bool = True


@dataclass(frozen=True, slots=True)
class TranslateSettings:
    """Into which languages the benchmark is translated, and what must stay.

    Attributes:
        languages: the targets; none leaves the benchmark in the language of its documents.
        model: another model than the backend's, as in `openai:MODEL`; empty takes the backend's.
        glossary: CSV or TSV with a column for each language, from the folder of `build.yaml`: how to say terms.
        keep: terms that stay as they are in every language, such as names.
        temperature: of the model.
        back_translation: also translate back, for a hint.
    """

    languages: tuple[str, ...] = ()
    model: str = ""
    glossary: str = ""
    keep: tuple[str, ...] = ()
    temperature: float = field(default=0.0, metadata=_at_least(0, 2))
    back_translation: bool = False


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Everything that decides a build.

    Attributes:
        name: the benchmark's name.
        niche: the field of the documents and who asks in it, in a person's words, for the card.
        sources: the documents.
        questions: what people asked.
        languages: of the documents; empty recognises each document's.
        unanswerable: share of the queries whose documents are removed from the corpus.
        near_duplicate: Jaccard coefficient of character n-grams from which on two queries count as one.
        seed: of all random draws.
    """

    name: str = ""
    version: str = "1"
    niche: str = ""
    preset: str = ""
    sources: tuple[SourceSettings, ...] = ()
    questions: tuple[Questions, ...] = ()
    languages: tuple[str, ...] = ()
    unanswerable: float = field(default=0.15, metadata=_at_least(0, 0.9))
    near_duplicate: float = field(default=0.8, metadata=_at_least(0.1, 1))
    seed: int = field(default=0, metadata=_at_least(0))
    chunk: ChunkSettings = ChunkSettings()
    generate: GenerateSettings = GenerateSettings()
    critique: CritiqueSettings = CritiqueSettings()
    closed_book: ClosedBookSettings = ClosedBookSettings()
    pool: PoolSettings = PoolSettings()
    judge: JudgeSettings = JudgeSettings()
    filter: FilterSettings = FilterSettings()
    translate: TranslateSettings = TranslateSettings()


def settings_to_json(settings: Any) -> dict[str, Any]:
    """Return settings as a JSON object."""
    return asdict(settings)
