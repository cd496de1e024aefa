"""Figures of answers: from grades (`aggregates`, `abstention`, `lgtm`), or from the texts themselves.

`overlap` compares an answer with its reference, `language` and `token_language` tell whether it is in the query's
language, `gap` what the languages differ by. A new figure of an answer is a module here; what it is printed beside is
the business of `aggregate` and `report`.
"""

__all__ = ["abstention", "aggregates", "gap", "language", "lgtm", "overlap", "token_language"]
