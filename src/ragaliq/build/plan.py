"""What is to be generated: which chunks, which kinds of questions; decided by the settings alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from ragaliq.build.settings import GenerateSettings
from ragaliq.build.stage_row import content_hash
from ragaliq.text.terms import reading_length, terms, words
from ragaliq.types import Chunk

# Chunks with fewer letters have no fact worth asking for, such as a heading alone.
_LEAST_LETTERS = 60
_TWO_PASSAGES = ("multi-hop", "comparative")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A candidate that is to be generated.

    Attributes:
        candidate_id: follows from language, type and chunks, so it stays when settings grow.
        type: the kind of question.
        chunks: the passages that the model is shown.
    """

    candidate_id: str
    lang: str
    type: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class EarlierPlan:
    """What an update takes over of the plan of the earlier version.

    Attributes:
        staying: its candidates whose chunks are all still there.
        asked: kind and chunks of those that were retired although their chunks are there.
        known: the chunks that it had; new candidates are written from others.
        closed: chunks that no new candidate is written from.
        known_too: whether new candidates are also written from known chunks, where the others are not enough.
    """

    staying: Sequence[Wanted] = ()
    asked: Collection[tuple[str, frozenset[str]]] = ()
    known: Collection[str] = ()
    closed: Collection[str] = ()
    known_too: bool = False


NOTHING_EARLIER = EarlierPlan()


def plan_candidates(
    chunks: Sequence[Chunk], settings: GenerateSettings, seed: int, earlier: EarlierPlan = NOTHING_EARLIER
) -> list[Wanted]:
    """Return what is to be generated from the chunks of one language, sorted by id.

    Sources take turns, and within a source its documents, so that each gets its share however long it is; the order of
    turns is drawn. Types come in the proportions of the settings, spread over the plan. Each further round over the
    chunks asks for another type. Questions over two passages take the chunk that shares the rarest words. No chunk is
    shown more than `per_chunk` times. The plan for fewer queries is a part of that for more. Candidates that stay from
    an earlier version count, and all of them stay.
    """
    fitting = [
        chunk
        for chunk in chunks
        if chunk.doc_id not in earlier.closed and reading_length("".join(words(chunk.text))) >= _LEAST_LETTERS
    ]
    draft = _Draft(settings, _Partners(fitting))
    draft.take_over(earlier)
    turns = _taking_turns(fitting, seed)
    new = [chunk for chunk in turns if chunk.doc_id not in earlier.known]
    known = [chunk for chunk in turns if earlier.known_too and chunk.doc_id in earlier.known]
    for chunk in new * settings.per_chunk + known * settings.per_chunk:
        if len(draft.wanted) < settings.queries:
            draft.add(chunk)
    return sorted(draft.wanted, key=lambda wanted: wanted.candidate_id)


def draw(seed: int, name: str) -> bytes:
    """Return the place of a name in an order drawn by the seed: the same for each name whatever else there is."""
    return hashlib.sha256(f"{seed}\0{name}".encode()).digest()


@dataclass(slots=True)
class _Draft:
    """The plan so far, with the counts that decide what comes next."""

    settings: GenerateSettings
    partners: _Partners
    wanted: list[Wanted] = field(default_factory=list)
    _types: Counter[str] = field(default_factory=Counter)
    _shown: Counter[str] = field(default_factory=Counter)
    _asked: set[tuple[str, frozenset[str]]] = field(default_factory=set)

    def take_over(self, earlier: EarlierPlan) -> None:
        """Begin with the candidates that stay; what was asked before is not asked again."""
        for wanted in earlier.staying:
            self._take(wanted)
        self._asked.update(earlier.asked)

    def add(self, chunk: Chunk) -> None:
        """Add a question on a chunk, of the first type that is due and fits; none if none fits."""
        if not self._may_be_shown(chunk):
            return
        shown = ((kind, self._passages(kind, chunk)) for kind in self._due())
        kind, passages = next(((kind, passages) for kind, passages in shown if passages), ("", ()))
        if kind:
            ids = [one.doc_id for one in passages]
            self._take(Wanted(f"q{content_hash([chunk.lang, kind, ids])[:10]}", chunk.lang, kind, passages))

    def _due(self) -> list[str]:
        """Return the types, the one furthest behind its share first."""
        place, shares = len(self.wanted) + 1, self.settings.types
        total = sum(shares.values())
        return sorted(
            (kind for kind in shares if shares[kind]),
            key=lambda kind: (self._types[kind] - shares[kind] / total * place, kind),
        )

    def _passages(self, kind: str, chunk: Chunk) -> tuple[Chunk, ...]:
        """Return the chunks to show for a question of a type on a chunk; none if it was asked or has no partner."""

        def is_new(*passages: Chunk) -> bool:
            return (kind, frozenset(one.doc_id for one in passages)) not in self._asked

        if kind not in _TWO_PASSAGES:
            return (chunk,) if is_new(chunk) else ()
        other = self.partners.of(chunk, lambda other: self._may_be_shown(other) and is_new(chunk, other))
        return () if other is None else (chunk, other)

    def _may_be_shown(self, chunk: Chunk) -> bool:
        return self._shown[chunk.doc_id] < self.settings.per_chunk

    def _take(self, wanted: Wanted) -> None:
        ids = [one.doc_id for one in wanted.chunks]
        self._types[wanted.type] += 1
        self._shown.update(ids)
        self._asked.add((wanted.type, frozenset(ids)))
        self.wanted.append(wanted)


def _taking_turns(chunks: Sequence[Chunk], seed: int) -> list[Chunk]:
    """Return all chunks, one of each source in turn, and of a source one of each document in turn."""
    sources: dict[str, dict[str, list[Chunk]]] = {}
    for chunk in sorted(chunks, key=lambda chunk: draw(seed, chunk.doc_id)):
        label = chunk.source_id.partition("/")[0]
        sources.setdefault(label, {}).setdefault(chunk.source_id, []).append(chunk)
    return _interleaved({label: _interleaved(documents, seed) for label, documents in sources.items()}, seed)


def _interleaved(queues: Mapping[str, Sequence[Chunk]], seed: int) -> list[Chunk]:
    ordered = [queues[name] for name in sorted(queues, key=lambda name: draw(seed, name))]
    return [chunk for turn in zip_longest(*ordered) for chunk in turn if chunk is not None]


class _Partners:
    """Finds, for a chunk, the chunk that shares its rarest words."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._terms = {chunk.doc_id: frozenset(terms(chunk.text, chunk.lang)) for chunk in chunks}
        self._frequency = Counter(term for terms in self._terms.values() for term in terms)
        self._holders: dict[str, list[Chunk]] = {}
        for chunk in chunks:
            for term in self._terms[chunk.doc_id]:
                if 1 < self._frequency[term] <= max(2, len(chunks) // 10):
                    self._holders.setdefault(term, []).append(chunk)

    def of(self, chunk: Chunk, fits: Callable[[Chunk], bool]) -> Chunk | None:
        """Return the fitting chunk that shares most, where a word weighs less the more frequent it is."""
        weights: dict[str, float] = {}
        places: dict[str, Chunk] = {}
        for term in sorted(self._terms[chunk.doc_id]):
            for other in self._holders.get(term, ()):
                if other.doc_id != chunk.doc_id:
                    weights[other.doc_id] = weights.get(other.doc_id, 0.0) + 1.0 / self._frequency[term]
                    places[other.doc_id] = other
        ordered = sorted(weights, key=lambda doc_id: (-weights[doc_id], doc_id))
        return next((places[doc_id] for doc_id in ordered if fits(places[doc_id])), None)
