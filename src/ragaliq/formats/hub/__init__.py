"""Data sets of the Hugging Face hub: the repository, its rows, and the collections that they become."""

__all__ = ["load"]
