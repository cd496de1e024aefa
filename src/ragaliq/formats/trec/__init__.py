"""TREC files: topics, qrels and runs, read and written."""

__all__ = ["qrels", "run", "topics"]
