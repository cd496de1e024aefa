"""Which knowledge base answers a query: that of its own language, that of one language, or all of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragaliq.benchmark.load import Benchmark
from ragaliq.config import ALL, SAME
from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.collapse import unit_id
from ragaliq.types import Chunk


def corpus_name(kb_lang: str, lang: str) -> str:
    """Return what a knowledge base is called that answers the queries of `lang`: its language, or `all`."""
    return lang if kb_lang == SAME else kb_lang


def knowledge_base(benchmark: Benchmark, kb_lang: str, lang: str) -> Sequence[Chunk]:
    """Return the chunks that the queries of `lang` are answered from; `all` gives those of all languages, in turn."""
    name = corpus_name(kb_lang, lang)
    if not (benchmark.whole if kb_lang == ALL else name in benchmark.chunks):
        raise InputError(f"{benchmark.name}: the knowledge base for '{name}' is not loaded; load it with kb_lang")
    if kb_lang == ALL:
        return tuple(chunk for own in sorted(benchmark.chunks) for chunk in benchmark.chunks[own])
    return benchmark.chunks[name]


def retrieval_units(chunks: Iterable[Chunk], kb_lang: str) -> Sequence[Chunk]:
    """Return what a ranking names: the chunks as they are, or for `all` each under the name `doc_id@lang`."""
    if kb_lang != ALL:
        return chunks if isinstance(chunks, Sequence) else list(chunks)
    return [replace(chunk, doc_id=unit_id(chunk.doc_id, chunk.lang)) for chunk in chunks]


def mixed_language(chunks: Iterable[Chunk]) -> str:
    """Return the code under which chunks of several languages are one index, such as `de+en+fr`.

    Words of such an index are analysed in all of its languages, on both sides (`ragaliq.retrieve.bm25`): a word that
    two languages share is one term however they stem, and each language's own inflections still meet.
    """
    return "+".join(sorted({chunk.lang for chunk in chunks}))
