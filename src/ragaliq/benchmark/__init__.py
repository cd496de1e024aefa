"""Benchmarks: loading, chunking and checking them."""
