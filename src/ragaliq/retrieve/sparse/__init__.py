"""Learned sparse retrieval: encoding, weights, cache, search."""

__all__ = ["retriever"]
