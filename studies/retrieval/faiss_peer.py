"""Searches with faiss in an environment of its own: `faiss_peer.py FOLDER K`, then `batched` or `single N` by line."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import faiss
import numpy as np


def main() -> None:
    """Load the vectors, then answer each line with the seconds that a search took."""
    folder, k = Path(sys.argv[1]), int(sys.argv[2])
    matrix, queries = (np.load(folder / f"{name}.npy") for name in ("matrix", "queries"))
    index = faiss.IndexFlatIP(matrix.shape[1])
    index.add(matrix)
    print(json.dumps({"version": faiss.__version__, "threads": faiss.omp_get_max_threads()}), flush=True)
    for line in sys.stdin:
        way, _, number = line.strip().partition(" ")
        start = time.perf_counter()
        if way == "batched":
            scores, _ = index.search(queries, k)
            taken = time.perf_counter() - start
            np.save(folder / "scores.npy", scores)
        else:
            for place in range(int(number)):
                index.search(queries[place : place + 1], k)
            taken = time.perf_counter() - start
        print(json.dumps({"s": taken}), flush=True)


if __name__ == "__main__":
    main()
