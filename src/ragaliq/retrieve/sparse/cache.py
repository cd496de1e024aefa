"""Encoded corpora kept on disk: encoding takes hours, reading back takes seconds.

A folder holds `corpus.npz` (scipy), `idf.npy`, `doc_ids.txt` and `key.json`, which names what was encoded by what and
how long the other files are and what they hash to. It is written last: a folder without it, or whose files are
different ones, is as good as none.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.storage.files import read_json, write_json

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

KEY = "key.json"
FILES = ("corpus.npz", "idf.npy", "doc_ids.txt")


@dataclass(frozen=True, slots=True)
class EncodedCorpus:
    """A corpus in sparse vectors.

    Attributes:
        matrix: one row for each document, float32.
        idf: weight of each column.
        doc_ids: of the rows.
    """

    matrix: csr_matrix
    idf: NDArray[np.float32]
    doc_ids: list[str]


def corpus_key(encoder: str, doc_ids: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """Return what an encoded corpus is known by: the encoder with its settings, and the content.

    Args:
        encoder: names everything that decides the vectors: model, revision, parameters.
        doc_ids: of the documents.
        texts: what is encoded of each.
    """
    digest = hashlib.sha256()
    for doc_id, text in zip(doc_ids, texts, strict=True):
        for part in (doc_id, text):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(f"{len(data)}:".encode() + data)
    return {"encoder": encoder, "content": digest.hexdigest()}


def cache_folder(root: Path, model: str, key: Mapping[str, str]) -> Path:
    """Return the folder of an encoded corpus below `root`: `sparse/{model}/{hash of the key}`."""
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", model).strip("-.")[-80:] or "model"
    return root / "sparse" / slug / hashlib.sha256(_written(key)).hexdigest()[:32]


def save_encoded_corpus(folder: Path, corpus: EncodedCorpus, key: Mapping[str, str]) -> None:
    """Write an encoded corpus, each file under a passing name first.

    Raises:
        InputError: if the folder cannot be written, or a doc id holds a line end.
    """
    from scipy.sparse import save_npz

    broken = [doc_id for doc_id in corpus.doc_ids if "\n" in doc_id or "\r" in doc_id]
    if broken:
        raise InputError(f"{folder}: doc id {broken[0]!r} holds a line end and cannot be kept; rename it")
    drafts = {name: folder / f".{os.getpid()}.draft.{name}" for name in FILES}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / KEY).unlink(missing_ok=True)
        # Uncompressed: packing hundreds of MB takes longer than reading them.
        save_npz(drafts["corpus.npz"], corpus.matrix, compressed=False)
        np.save(drafts["idf.npy"], corpus.idf, allow_pickle=False)
        lines = "".join(f"{doc_id}\n" for doc_id in corpus.doc_ids)
        drafts["doc_ids.txt"].write_bytes(lines.encode("utf-8", "surrogatepass"))
        sums = {name: _sum(draft) for name, draft in drafts.items()}
        for name, draft in drafts.items():
            os.replace(draft, folder / name)
        write_json(folder / KEY, {"key": dict(key), "files": sums})
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"{folder}: the encoded corpus cannot be written ({reason}); check path and disk") from None
    finally:
        for draft in drafts.values():
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def load_encoded_corpus(folder: Path, key: Mapping[str, str]) -> EncodedCorpus | None:
    """Return what is kept in a folder under `key`; None if that is something else, torn, or nothing."""
    from scipy.sparse import load_npz

    try:
        kept: Any = read_json(folder / KEY)
        if kept["key"] != dict(key) or kept["files"] != {name: _sum(folder / name) for name in FILES}:
            return None
        matrix = load_npz(folder / "corpus.npz").tocsr()
        idf = np.load(folder / "idf.npy", allow_pickle=False)
        # Split at line feeds alone, nothing stripped: ids may hold spaces at their ends, and U+2028.
        doc_ids = (folder / "doc_ids.txt").read_bytes().decode("utf-8", "surrogatepass").split("\n")[:-1]
    except (InputError, OSError, ValueError, KeyError, TypeError, BadZipFile):
        return None
    if matrix.shape != (len(doc_ids), len(idf)):
        return None
    return EncodedCorpus(matrix, idf, doc_ids)


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _written(key: Mapping[str, str]) -> bytes:
    return json.dumps(dict(key), sort_keys=True).encode()
