"""Records for people; nothing is computed here.

`format` has cells and tables, `findings` the sentences above them, `items` writes for a terminal, `markdown/` has
sections, `html/` the page.
"""

__all__ = ["aggregates", "findings", "format", "graded_answers", "html", "items", "markdown", "reference_logs",
           "stages", "terminal"]  # fmt: skip
