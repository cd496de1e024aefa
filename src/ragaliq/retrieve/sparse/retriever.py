"""Learned sparse retrieval: the inner product of SPLADE-style vectors over the vocabulary, exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragaliq.errors import ConfigError, InputError, nearest
from ragaliq.execution.progress import say
from ragaliq.retrieve import Channel, Side, TopDocs
from ragaliq.retrieve.channels import ChannelRetriever
from ragaliq.retrieve.index.inverted import InvertedIndex
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.prepared import Prepared
from ragaliq.retrieve.sparse.cache import cache_file, load_encoded_corpus, save_encoded_corpus
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
                the model (see `idf.idf_weighting`), and takes `none` for a corpus from a file.
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
        self._query_file = Path(query_tokens) if query_tokens else None
        self._corpus_file = Path(corpus_tokens) if corpus_tokens else None
        self._encoder = (
            SpladeEncoder(model, revision, device, dtype, batch_size, max_length, trust_remote_code) if model else None
        )
        self._token_corpus: TokenCorpus | None = None

    def keep_in(self, index_dir: Path) -> None:
        """Keep encoded corpora to come in a folder."""
        self._index_dir = index_dir

    @property
    def resolved(self) -> str:
        """What made the vectors, for the run's record."""
        made_by = [str(self._encoder)] if self._encoder else ["sparse"]
        files = [f"{path.name} {content_name(path)}" for path in (self._corpus_file, self._query_file) if path]
        return " ".join([*made_by, *files, f"idf {self._weighting()}"])

    def _weighting(self) -> IdfWeighting:
        if self._encoder is None or (self._corpus_file and not self._idf):
            return IdfWeighting(self._idf or IdfWeighting.NONE)
        static = not self._query_file and not self._idf and self._encoder.has_static_weights
        return idf_weighting(self._encoder.model, self._idf, static)

    def _open(self, passages: Passages) -> list[Channel]:
        matrix = self._from_file(self._corpus_file, passages) if self._corpus_file else self._encoded(passages)
        if self._query_file:
            queries: Prepared[SparseVector] | FileQueries = FileQueries(self._query_file, self._vocabulary())
        else:
            assert self._encoder is not None
            queries = Prepared(self._encoder.encode_queries)
        idf = compute_idf(matrix) if self._weighting() is IdfWeighting.CORPUS else np.ones(matrix.shape[1], np.float32)
        return [SparseChannel(matrix, idf, queries)]

    def _from_file(self, path: Path, passages: Passages) -> csr_matrix:
        if self._token_corpus is None:
            self._token_corpus = load_sparse_corpus(path)
        matrix = self._token_corpus.rows(passages.doc_ids, path)
        return _renumbered(matrix, self._token_corpus.vocabulary, self._encoder) if self._encoder else matrix

    def _vocabulary(self) -> Mapping[str, int]:
        if self._encoder is not None:
            return self._encoder.vocabulary
        assert self._token_corpus is not None
        return self._token_corpus.vocabulary

    def _encoded(self, passages: Passages) -> csr_matrix:
        """Return the corpus encoded by the model, read back if it was kept."""
        encoder, doc_ids, texts = self._encoder, passages.doc_ids, passages.texts
        assert encoder is not None
        file = cache_file(self._index_dir, encoder.model, str(encoder), doc_ids, texts) if self._index_dir else None
        kept = load_encoded_corpus(file, len(doc_ids)) if file else None
        if kept is not None:
            return kept
        warning = memory_warning(len(doc_ids))
        if warning:
            say(warning)
        matrix = encoder.encode(texts, Side.PASSAGE)
        if file:
            save_encoded_corpus(file, matrix)
        return matrix


class FileQueries:
    """The vectors of queries that a file holds, by query id."""

    def __init__(self, path: Path, vocabulary: Mapping[str, int]) -> None:
        self._path = path
        self._vectors = {name: numbered(vector, vocabulary) for name, vector in read_sparse_topics(path).items()}

    def of(self, queries: Sequence[Query]) -> list[SparseVector]:
        """Return the vector of each query.

        Raises:
            InputError: if the file lacks one.
        """
        missing = [query.query_id for query in queries if query.query_id not in self._vectors]
        if missing:
            raise InputError(
                f"{self._path}: {len(missing)} of {len(queries)} queries have no vector, such as '{missing[0]}'; take "
                "the file of the same split"
            )
        return [self._vectors[query.query_id] for query in queries]


class SparseChannel:
    """The vectors of one corpus, passages numbered in ascending order of their doc ids."""

    def __init__(self, matrix: csr_matrix, idf: Idf, queries: Prepared[SparseVector] | FileQueries) -> None:
        self._index = InvertedIndex.from_csr(matrix)
        self._idf, self._queries = idf, queries
        self._told = False

    def prepare(self, queries: Sequence[Query]) -> None:
        """Encode queries ahead, where a model does that, and keep their vectors."""
        if isinstance(self._queries, Prepared):
            self._queries.prepare(queries)

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` passages of greatest inner product, those above 0 alone."""
        vectors = [weighted_query(vector, self._idf) for vector in self._queries.of(queries)]
        best = self._index.search_many(vectors, k)
        # All ones: the weights are searched as they are.
        if not self._told and (self._idf == 1).all():
            warning = missing_idf(self._index, vectors, best)
            if warning:
                self._told = True
                say(warning)
        return best


def _renumbered(matrix: csr_matrix, vocabulary: Mapping[str, int], encoder: SpladeEncoder) -> csr_matrix:
    """Return a matrix with a model's dimensions for the columns of a file's tokens."""
    from scipy.sparse import csr_matrix

    dimension_of = encoder.vocabulary
    known = [(column, dimension_of[token]) for token, column in vocabulary.items() if token in dimension_of]
    columns, dimensions = np.array(known, dtype=np.int64).reshape(-1, 2).T
    cells = matrix[:, columns].tocoo()
    return csr_matrix((cells.data, (cells.row, dimensions[cells.col])), shape=(matrix.shape[0], encoder.dimension))
