"""Where vectors and postings are kept and searched: exact, approximate, inverted; compiled where numba is there."""

__all__ = ["approximate", "coded", "exact", "inverted", "milvus", "sentences", "store", "vectors"]
