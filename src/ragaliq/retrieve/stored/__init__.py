"""An index on disk: a corpus larger than memory, indexed once, opened by mapping its files.

`build` writes it, block by block; `index` opens it. The numbers of its passages are those of `Passages` in memory, so
are the scores of its channels, bit for bit.
"""

__all__ = ["build", "index", "passages"]
