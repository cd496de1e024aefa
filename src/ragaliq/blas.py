"""Matrix products that have the same bytes on any number of cores.

numpy hands products, norms and decompositions to a BLAS library, which splits the sums among as many threads as there
are cores; where a sum is split decides its last digits. In one thread they depend on the library and its kernel alone.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@cache
def one_thread() -> None:
    """Let numpy's BLAS compute in one thread from now on, in the whole process.

    Every way in calls this before the first product: a command, a name of `ragaliq`, a worker of a cluster. A limit for
    each product would not do: it is the process's, and another thread may lift it in between. Torch's threads, and
    those of a BLAS that only scipy uses, stay as they are.

    Raises:
        ConfigError: if `threadpoolctl` is not installed.
    """
    _numpys().limit(limits=1)


def kernel() -> str:
    """Return what decides the last digits of a product: the library, its version, processor kernel and threads."""
    one_thread()
    keys = ("internal_api", "version", "architecture", "threading_layer", "num_threads")
    return "; ".join(sorted(" ".join(str(library.get(key)) for key in keys) for library in _numpys().info()))


def _numpys() -> ThreadpoolController:
    """Return the BLAS libraries of numpy; if it brings none, all that are loaded."""
    import numpy as np

    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        raise ConfigError(
            "matrix products: need threadpoolctl, so that results do not depend on the number of cores: "
            "pip install threadpoolctl"
        ) from None
    libraries = ThreadpoolController().select(user_api="blas")
    # A wheel of numpy has its library beside the package (`numpy.libs`) or within (`numpy/.dylibs`).
    beside = os.path.dirname(os.path.realpath(np.__file__))
    paths = [library["filepath"] for library in libraries.info() if library["filepath"].startswith(beside)]
    return libraries.select(filepath=paths) if paths else libraries
