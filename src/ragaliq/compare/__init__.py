"""Systems side by side: paired differences, tests, rank sets, over any table of values by query.

How two graders of the same items agree is in `agreement/`.
"""

__all__ = [
    "agreement",
    "comparable",
    "comparison",
    "file_ranks",
    "file_results",
    "grade_comparison",
    "neighbours",
    "overview",
    "rank_sets",
    "results",
    "standings",
    "value_table",
]
