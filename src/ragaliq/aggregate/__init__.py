"""A run's figures, computed once from its files.

`run_rows` parses the files of a run; each figure has a file of its own (`summary`, `overlap`, `answer_language`,
`language_gap`, `vote_agreement`, …) with a function from these rows, and `run_figures` collects them in one record. A
new figure is one more such file and one more entry in `compute_figures`. `query_grades` and `graded` read grades from
any source: runs, files of rows, reference logs; `graded_answers` has the figures of answers graded row by row.
"""

__all__ = [
    "beside",
    "cross_lingual",
    "exported_log",
    "graded",
    "graded_answers",
    "graded_metrics",
    "language_gap",
    "query_grades",
    "run_figures",
    "run_rows",
    "summary",
    "token_scores",
]
