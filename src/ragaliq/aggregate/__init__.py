"""A run's figures, computed once from its files.

`run_rows` parses the files of a run; each figure has a file of its own (`summary`, `overlap`, `answer_language`,
`language_gap`, `vote_agreement`, …) with a function from these rows, and `run_figures` collects them in one record. A
new figure is one more such file and one more entry in `compute_figures`. `grades/` reads grades from any source,
`items/` reads a run's items one by one, `plots/` draws its figures.
"""

__all__ = [
    "beside",
    "cross_lingual",
    "exported_log",
    "grades",
    "items",
    "language_gap",
    "run_figures",
    "run_rows",
    "summary",
    "token_scores",
    "usage",
]
