"""TREC files: topics, qrels, runs."""
