"""Editions: a template's slots, the values drawn for them, the texts that contain them, the files of an edition.

What is malformed in a template is an `InputError` with file and key; docstrings name only errors beyond that.
"""

__all__ = ["commitment", "refresh", "template"]
