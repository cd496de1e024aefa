"""Records for people; nothing is computed here.

`format` has cells and tables, `findings` the sentences above them, `items` writes for a terminal, `markdown/` has
sections, `html/` the page, `compared` the function `ragaliq.compare`.
"""

__all__ = [
    "aggregates",
    "compared",
    "exports",
    "findings",
    "format",
    "graded_answers",
    "html",
    "items",
    "markdown",
    "stages",
    "terminal",
]
