"""Measures of rankings: `ranking.evaluate_run` gives one value per query for each measure that `measures` can read.

A run is joined with its judgements once (`judged`, `nuggets`), and each measure is a few passes over flat arrays. A
new measure is a function and its entry in the table of `relevance`, or of `nuggets` if it counts facts instead of
documents. `collapse` turns rankings of units `doc_id@lang` into rankings of documents; `retrieval_scores` is the one
call for the usual scores.
"""

__all__ = ["collapse", "definition", "measures", "ranking", "retrieval_scores"]
