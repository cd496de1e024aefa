"""Data sets in other people's layouts, one file a format; each becomes a `Collection`.

A new format is a new file here with `is_…` and `read_…`, and a line in `benchmark.collections`.

What is missing or malformed is an `InputError` with file and line, and so is an id that a written format cannot hold;
docstrings name only errors beyond that.
"""

__all__ = [
    "answers",
    "beir",
    "catalogue",
    "cranfield",
    "freshstack",
    "grades",
    "hub",
    "miracl",
    "mmarco",
    "reading",
    "results",
    "squad",
    "squad_files",
    "trec",
    "upstream",
]
