"""Figures of answers: from grades (`aggregates`, `abstention`, `lgtm`), or from the texts themselves.

`overlap` compares an answer with its reference, `nuggets` with the facts it should hold, `citations` with
the documents it cites, `context` what the reader was shown with the reference; `language` and `token_language` say
whether it is in the query's language, `gap` what the languages differ by, `waterfall` which stage loses the points;
`nugget_audit` says how good the nuggets themselves are. A new figure of an answer is a module here; where it is printed
is up to `aggregate` and `report`.
"""

__all__ = [
    "abstention",
    "aggregates",
    "citations",
    "context",
    "gap",
    "language",
    "lgtm",
    "nugget_audit",
    "nuggets",
    "overlap",
    "token_language",
    "waterfall",
]
