"""Retrieval alone: systems that rank the documents of a data set, their runs, and what these are worth.

The way of the data: `tasks` (a collection and a system → what is asked of which `corpus`) → `search` (an index,
perhaps of windows: `chunked`) → `retrieving` (batches, reranking, resumption) → `run_file` (a TREC run with its
manifest) → `judgements` and `guards` (a run's values, and what looks wrong) → `figures`. `run` does it for every
system of an experiment in every language; `expansion` asks a model for query texts; `reachable` tells which gold no
retriever finds. Nothing up to `run_file` sees references, nuggets or judgements. New settings go into `settings`.
"""

__all__ = ["corpus", "figures", "judgements", "reachable", "retrieving", "run", "run_file", "settings", "tasks"]
