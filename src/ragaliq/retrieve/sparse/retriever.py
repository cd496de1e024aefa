"""Learned sparse retrieval: the inner product of SPLADE-style vectors over the vocabulary, exact."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from tqdm import tqdm

from ragaliq.errors import ConfigError, InputError, nearest
from ragaliq.retrieve import Channel, Side, TopDocs
from ragaliq.retrieve.channels import ChannelRetriever
from ragaliq.retrieve.index.inverted import InvertedIndex
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.sparse.cache import (
    EncodedCorpus,
    cache_folder,
    corpus_key,
    load_encoded_corpus,
    save_encoded_corpus,
)
from ragaliq.retrieve.sparse.encoder import SpladeEncoder
from ragaliq.retrieve.sparse.idf import IdfWeighting, idf_weighting, missing_idf
from ragaliq.retrieve.sparse.memory import memory_warning
from ragaliq.retrieve.sparse.splade_topics import (
    TokenCorpus,
    content_name,
    load_sparse_corpus,
    numbered,
    read_sparse_topics,
)
from ragaliq.retrieve.sparse.vectors import Idf, SparseVector, compute_idf, weighted_query
from ragaliq.types import Query

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class SparseQueries(Protocol):
    """Anything that has sparse vectors of queries."""

    def vectors(self, queries: Sequence[Query]) -> Sequence[SparseVector]:
        """Return one vector for each query."""
        ...


class SparseRetriever(ChannelRetriever):
    """Ranks by `Σ query weight · document weight`, query weights times IDF or as they are; see `sparse_vectors`.

    Vectors come from a model, or from files in which another program has written them.
    """

    def __init__(
        self,
        model: str = "",
        idf: str = "",
        index_dir: Path | None = None,
        revision: str = "",
        device: str = "",
        dtype: str = "",
        batch_size: int = 32,
        max_length: int = 0,
        trust_remote_code: bool = False,
        query_tokens: str = "",
        corpus_tokens: str = "",
        title: bool = True,
    ) -> None:
        """Check the options; no model is loaded and no file opened yet.

        Args:
            model: a SPLADE-style encoder, as id on the model hub or a folder.
            idf: `corpus` multiplies query weights by the IDF of the indexed corpus, `none` does not; empty decides by
                the model (see `sparse_idf.idf_weighting`), and takes `none` for a corpus from a file.
            index_dir: where encoded corpora are kept; None keeps them in memory.
            revision: branch, tag or commit on the hub.
            device: as torch writes it; empty takes a GPU if there is one.
            dtype: `float32`, `bfloat16` or `float16`; empty takes 16 bits on an NVIDIA GPU, else `float32`.
            batch_size: texts that are encoded at once.
            max_length: tokens of a text that are read; 0 takes the model's own number.
            trust_remote_code: run code that comes with the model.
            query_tokens: file of encoded queries, `qid<tab>token token …`, looked up by query id.
            corpus_tokens: file of the encoded corpus, JSON Lines of `id` and `vector`, looked up by doc id.
            title: encode the title with the text.

        Raises:
            ConfigError: if an option cannot be, or neither a model nor both files are named.
        """
        super().__init__()
        if idf and idf not in list(IdfWeighting):
            raise ConfigError(f"retriever 'sparse': unknown idf '{idf}'; {nearest(idf, list(IdfWeighting))}")
        if not model and not (query_tokens and corpus_tokens):
            raise ConfigError(
                "retriever 'sparse': name its model, as in sparse:MODEL, or give both options 'query_tokens' and "
                "'corpus_tokens'"
            )
        self.title = title
        self._idf, self._index_dir = idf, index_dir
        self._query_file, self._corpus_file = Path(query_tokens), Path(corpus_tokens)
        self._queries_given, self._corpus_given = bool(query_tokens), bool(corpus_tokens)
        self._encoder = (
            SpladeEncoder(model, revision, device, dtype, batch_size, max_length, trust_remote_code) if model else None
        )
        self._token_corpus: TokenCorpus | None = None

    @property
    def resolved(self) -> str:
        """What made the vectors, for the run's record."""
        given = ((self._corpus_given, self._corpus_file), (self._queries_given, self._query_file))
        made_by = [str(self._encoder)] if self._encoder else ["sparse"]
        files = [f"{path.name} {content_name(path)}" for is_given, path in given if is_given]
        return " ".join([*made_by, *files, f"idf {self._weighting()}"])

    def _weighting(self) -> IdfWeighting:
        if self._encoder is None or (self._corpus_given and not self._idf):
            return IdfWeighting(self._idf or IdfWeighting.NONE)
        static = not self._queries_given and not self._idf and self._encoder.has_static_weights
        return idf_weighting(self._encoder.model, self._idf, static)

    def _open(self, passages: Passages) -> list[Channel]:
        corpus = self._from_file(passages) if self._corpus_given else self._encoded(passages)
        if self._queries_given:
            queries: SparseQueries = _FileQueries(self._query_file, self._vocabulary())
        else:
            assert self._encoder is not None
            queries = _ModelQueries(self._encoder)
        idf = corpus.idf if self._weighting() is IdfWeighting.CORPUS else np.ones_like(corpus.idf)
        return [SparseChannel(corpus.matrix, idf, queries)]

    def _from_file(self, passages: Passages) -> EncodedCorpus:
        if self._token_corpus is None:
            self._token_corpus = load_sparse_corpus(self._corpus_file)
        matrix = self._token_corpus.rows(passages.doc_ids, self._corpus_file)
        if self._encoder is not None:
            matrix = _renumbered(matrix, self._token_corpus.vocabulary, self._encoder)
        return EncodedCorpus(matrix, compute_idf(matrix), passages.doc_ids)

    def _vocabulary(self) -> Mapping[str, int]:
        if self._encoder is not None:
            return self._encoder.vocabulary
        assert self._token_corpus is not None
        return self._token_corpus.vocabulary

    def _encoded(self, passages: Passages) -> EncodedCorpus:
        """Return the corpus encoded by the model, read back if it was kept."""
        encoder, doc_ids = self._encoder, passages.doc_ids
        assert encoder is not None
        key = corpus_key(str(encoder), doc_ids, passages.texts)
        folder = cache_folder(self._index_dir, encoder.model, key) if self._index_dir else None
        kept = load_encoded_corpus(folder, key) if folder else None
        if kept is not None:
            return kept
        warning = memory_warning(len(doc_ids))
        if warning:
            tqdm.write(warning, file=sys.stderr)
        matrix = encoder.encode(passages.texts, Side.PASSAGE)
        corpus = EncodedCorpus(matrix, compute_idf(matrix), doc_ids)
        if folder:
            save_encoded_corpus(folder, corpus, key)
        return corpus


class SparseChannel:
    """The vectors of one corpus, passages numbered in ascending order of their doc ids."""

    def __init__(self, matrix: csr_matrix, idf: Idf, queries: SparseQueries) -> None:
        self._index = InvertedIndex.from_csr(matrix)
        self._idf, self._queries = idf, queries
        self._told = False

    def prepare(self, queries: Sequence[Query]) -> None:
        """Encode queries ahead, where a model does that, and keep their vectors."""
        ahead = getattr(self._queries, "prepare", None)
        if callable(ahead):
            ahead(queries)

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` passages of greatest inner product, those above 0 alone."""
        vectors = [weighted_query(vector, self._idf) for vector in self._queries.vectors(queries)]
        found = self._index.search_many(vectors, k)
        # All ones: the weights are searched as they are.
        if not self._told and (self._idf == 1).all():
            warning = missing_idf(self._index, vectors, found)
            if warning:
                self._told = True
                tqdm.write(warning, file=sys.stderr)
        return found


class _ModelQueries:
    def __init__(self, encoder: SpladeEncoder) -> None:
        self._encoder = encoder
        self._prepared: dict[str, SparseVector] = {}

    def prepare(self, queries: Sequence[Query]) -> None:
        self._prepared.update(self._made(queries))

    def vectors(self, queries: Sequence[Query]) -> Sequence[SparseVector]:
        made = {**self._prepared, **self._made(queries)}
        return [made[query.text] for query in queries]

    def _made(self, queries: Sequence[Query]) -> dict[str, SparseVector]:
        new = [text for text in dict.fromkeys(query.text for query in queries) if text not in self._prepared]
        return dict(zip(new, self._encoder.encode_queries(new), strict=True)) if new else {}


class _FileQueries:
    def __init__(self, path: Path, vocabulary: Mapping[str, int]) -> None:
        self._path = path
        self._vectors = {name: numbered(vector, vocabulary) for name, vector in read_sparse_topics(path).items()}

    def vectors(self, queries: Sequence[Query]) -> Sequence[SparseVector]:
        missing = [query.query_id for query in queries if query.query_id not in self._vectors]
        if missing:
            raise InputError(
                f"{self._path}: {len(missing)} of {len(queries)} queries have no vector, such as '{missing[0]}'; take "
                "the file of the same split"
            )
        return [self._vectors[query.query_id] for query in queries]


def _renumbered(matrix: csr_matrix, vocabulary: Mapping[str, int], encoder: SpladeEncoder) -> csr_matrix:
    """Return a matrix with a model's dimensions for the columns of a file's tokens."""
    from scipy.sparse import csr_matrix

    own = encoder.vocabulary
    known = [(column, own[token]) for token, column in vocabulary.items() if token in own]
    columns, dimensions = np.array(known, dtype=np.int64).reshape(-1, 2).T
    cells = matrix[:, columns].tocoo()
    return csr_matrix((cells.data, (cells.row, dimensions[cells.col])), shape=(matrix.shape[0], encoder.dimension))
