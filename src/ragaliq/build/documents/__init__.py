"""Documents on the way in: files read by format, their language, and their chunks with exact spans.

A new format is an entry of `reading.READERS`; a new programming language one of the tables of `code`.
"""

__all__ = ["chunking", "code", "language", "markdown", "names", "quotes", "reading", "tokens"]
