"""Texts that were encoded elsewhere: tokens with weights in files, searched without any model.

Queries in repeated-token form (Anserini's `topics.*.splade-v3.tsv.gz`): `qid<tab>tok tok tok …`, where a token's weight
is the number of its repeats. Corpora as JSON Lines: `{"id": …, "contents": …, "vector": {token: weight}}`.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragaliq.errors import InputError, nearest
from ragaliq.formats.reading.streams import read_lines, read_rows
from ragaliq.storage.files import Row, refuse_special

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_FLOAT32 = 3.4e38
# Token → weight; what is not there is 0.
TokenVector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class TokenCorpus:
    """An encoded corpus.

    Attributes:
        doc_ids: ascending.
        matrix: one row for each document, float32.
        vocabulary: token → column, tokens ascending.
    """

    doc_ids: list[str]
    matrix: csr_matrix
    vocabulary: dict[str, int]

    def rows(self, doc_ids: Sequence[str], source: Path) -> csr_matrix:
        """Return the rows of documents in the order asked for.

        Raises:
            InputError: if the file has no such document.
        """
        place = {doc_id: number for number, doc_id in enumerate(self.doc_ids)}
        missing = [doc_id for doc_id in doc_ids if doc_id not in place]
        if missing:
            raise InputError(
                f"{source}: {len(missing)} of {len(doc_ids)} documents have no vector, such as '{missing[0]}'; "
                f"{nearest(missing[0], self.doc_ids) if len(self.doc_ids) < 1000 else 'encode the same corpus'}"
            )
        return self.matrix[[place[doc_id] for doc_id in doc_ids]]


def read_sparse_topics(path: Path) -> dict[str, dict[str, float]]:
    """Return query id → token → number of its repeats, in the order of the file; `.gz` is decompressed.

    A query without tokens is an empty vector.

    Raises:
        InputError: with file and line, if a line has no tab or no id, or an id occurs twice.
    """
    topics: dict[str, dict[str, float]] = {}
    for number, line in read_lines(path):
        if not line.strip():
            continue
        query_id, tab, tokens = line.partition("\t")
        query_id = query_id.strip()
        if not tab or not query_id:
            raise InputError(f"{path}:{number}: `qid<tab>token token …` is expected; fix the line")
        if query_id in topics:
            raise InputError(f"{path}:{number}: query '{query_id}' occurs twice; remove one")
        # At blanks alone: a token may be any other character.
        topics[query_id] = {token: float(count) for token, count in Counter(tokens.split(" ")).items() if token}
    return topics


def load_sparse_corpus(path: Path) -> TokenCorpus:
    """Return an encoded corpus; documents and tokens are numbered in their own order, not the file's.

    A doc id is the line's `id`, else its `_id` or `docid`; a whole number stands for its digits. `.gz` is decompressed.

    Raises:
        InputError: with file and line, if a line is no such object; if a doc id occurs twice.
    """
    from scipy.sparse import csr_matrix

    numbers: dict[str, int] = {}
    doc_ids: dict[str, None] = {}
    tokens, weights, ends = array("i"), array("f"), array("q", [0])
    for where, row in read_rows(path):
        doc_id, vector = _document(row, where)
        if doc_id in doc_ids:
            raise InputError(f"{path}: document '{doc_id}' occurs twice; remove one")
        doc_ids[doc_id] = None
        tokens.extend(numbers.setdefault(token, len(numbers)) for token in vector)
        weights.extend(vector.values())
        ends.append(len(tokens))
    known, ids = sorted(numbers), list(doc_ids)
    column = np.zeros(len(known), dtype=np.int32)
    column[[numbers[token] for token in known]] = np.arange(len(known))
    arrays = np.array(weights, np.float32), column[np.array(tokens, np.int64)], np.array(ends, np.int64)
    matrix = csr_matrix(arrays, shape=(len(ids), len(known)))
    matrix.sort_indices()
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return TokenCorpus(
        [ids[place] for place in order], matrix[order], {token: number for number, token in enumerate(known)}
    )


def _document(row: Row, where: str) -> tuple[str, TokenVector]:
    doc_id = next((row[key] for key in ("id", "_id", "docid") if key in row), None)
    if type(doc_id) is int:
        doc_id = str(doc_id)
    if not isinstance(doc_id, str) or not doc_id:
        raise InputError(f"{where}: 'id' must be a text, not {json.dumps(doc_id)}; fix the line")
    vector = row.get("vector")
    if not isinstance(vector, dict):
        raise InputError(f"{where}: 'vector' must be an object of tokens and weights; fix the line")
    wrong = next((token for token, weight in vector.items() if not _is_weight(weight)), None)
    if wrong is not None:
        raise InputError(f"{where}: the weight of '{wrong}' is no finite float32; fix the line")
    return doc_id, vector


def numbered(vector: TokenVector, vocabulary: Mapping[str, int]) -> dict[int, float]:
    """Return a vector by the numbers of its tokens, without those that the vocabulary lacks: they match nothing."""
    return {vocabulary[token]: weight for token, weight in vector.items() if token in vocabulary}


def content_name(path: Path) -> str:
    """Return a name that changes with a file's content.

    Raises:
        InputError: if the file cannot be read.
    """
    try:
        refuse_special(path)
        with path.open("rb") as file:
            return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()[:16]}"
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path") from None


def _is_weight(value: Any) -> bool:
    # NaN is below nothing; whole numbers may be too great for a float.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _FLOAT32
