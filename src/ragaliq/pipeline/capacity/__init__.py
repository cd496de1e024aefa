"""Capacity on paper: what a corpus larger than a laptop's takes, from measured costs of a passage and of a call."""

__all__ = ["estimate"]
