"""A benchmark on disk: its layout, its rows, its chunks, and the loader that resolves them.

`load` is the way in; `collections` loads any known format. Checks are in `checks/`, writers of other layouts in
`convert/`. What is missing, malformed or not known by name is an `InputError`; docstrings name only errors beyond that.
"""

__all__ = [
    "checks",
    "chunking",
    "collections",
    "convert",
    "document_checks",
    "exam",
    "judgements",
    "kb_language",
    "layout",
    "load",
    "located",
    "statistics",
    "translation",
]
