"""Encoded corpora kept on disk: encoding takes hours, reading back takes seconds.

A corpus is one file of scipy, whose name tells what was encoded by what.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from ragaliq.storage.files import new_file

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def cache_file(root: Path, model: str, encoder: str, doc_ids: Sequence[str], texts: Sequence[str]) -> Path:
    """Return the file of an encoded corpus below `root`: `sparse/{model}/{hash}.npz`.

    Args:
        root: where indexes are kept.
        model: the model's name.
        encoder: names everything that decides the vectors: model, revision, parameters.
        doc_ids: of the documents.
        texts: what is encoded of each.
    """
    digest = hashlib.sha256()
    pairs = zip(doc_ids, texts, strict=True)
    for part in (encoder, *(part for pair in pairs for part in pair)):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode() + data)
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", model).strip("-.")[-80:] or "model"
    return root / "sparse" / slug / f"{digest.hexdigest()[:32]}.npz"


def save_encoded_corpus(path: Path, matrix: csr_matrix) -> None:
    """Write an encoded corpus, one row for each document.

    Raises:
        InputError: if the file cannot be written.
    """
    from scipy.sparse import save_npz

    with new_file(path) as out:
        # Uncompressed: packing hundreds of MB takes longer than reading them.
        save_npz(out, matrix, compressed=False)


def load_encoded_corpus(path: Path, n: int) -> csr_matrix | None:
    """Return the `n` rows that are kept in a file; None if it is something else, damaged, or not there."""
    from scipy.sparse import load_npz

    try:
        # Opened here: NumPy leaves a damaged archive open.
        with path.open("rb") as file:
            matrix = load_npz(file).tocsr()
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):
        return None
    return matrix if matrix.shape[0] == n else None
