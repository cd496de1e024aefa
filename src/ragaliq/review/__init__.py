"""A person's judgements: sheets, the page and the terminal form, labels and their export.

`sources` opens what is under review, `values` has the judgements of each task, `reviewed` what other commands take.
"""

__all__ = [
    "export",
    "labels",
    "offline",
    "reviewed",
    "server",
    "session",
    "sheets",
    "sources",
    "terminal",
]
