"""What an experiment varies: `config` reads its file, `grid` expands lists of values to systems.

`system` is one way to retrieve and makes its parts, `queries` what is asked, `depth` how much is reranked. A new
setting is a field of `System`, a key of `grid` with its type in `values`, and an option of `ragaliq retrieve`.
"""

__all__ = ["config", "depth", "grid", "queries", "system"]
