"""What a user hands to a chatbot: questions and corpora, as records or as plain texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragaliq.config import ALL, SAME, RunConfig
from ragaliq.errors import InputError
from ragaliq.retrieve.stored.index import StoredCorpus
from ragaliq.text.language import COMMON, likeliest
from ragaliq.types import Chunk, Query


def as_query(query: Query | str, config: RunConfig, langs: Iterable[str]) -> Query:
    """Return a query record; a plain text is taken to be in the likeliest of the indexed languages.

    Where all queries go to one language's knowledge base, common languages are candidates, too.

    Raises:
        InputError: if it is neither, or nothing is indexed.
    """
    if isinstance(query, Query):
        return query
    if not isinstance(query, str):
        raise InputError(f"a question is a text or a Query, not {query!r}")
    indexed = set(langs)
    if not indexed:
        raise InputError("retrieve: nothing is indexed; call index(corpus) first")
    foreign = config.kb_lang not in (SAME, ALL)
    if len(indexed) == 1 and not foreign:
        return Query("query", next(iter(indexed)), query)
    return Query("query", likeliest(query, {*indexed, *(COMMON if foreign else ())}), query)


def as_chunks(corpus: Iterable[Chunk | str]) -> Sequence[Chunk]:
    """Return a corpus as chunks. Plain texts get the ids d1, d2, …; all are in the language that they are likeliest in.

    Raises:
        InputError: if it is no list of either.
    """
    if isinstance(corpus, StoredCorpus):
        return corpus
    wanted = "index: a list of texts, or of Chunks such as load_benchmark(…).chunks['en'], is wanted"
    if isinstance(corpus, str) or not isinstance(corpus, Iterable):
        raise InputError(f"{wanted}, not {type(corpus).__name__}")
    chunks, texts = [], []
    for unit in corpus:
        if isinstance(unit, Chunk):
            chunks.append(unit)
        elif isinstance(unit, str):
            texts.append(unit)
        else:
            raise InputError(f"{wanted}; {type(unit).__name__} is in it")
    if texts and chunks:
        raise InputError(f"{wanted}, not both")
    lang = likeliest("\n".join(texts)[:_TELLING], COMMON) if texts else ""
    return chunks or [Chunk(f"d{n}", lang, text, "texts", 0, len(text)) for n, text in enumerate(texts, start=1)]


# More characters tell no more of the language.
_TELLING = 10_000
