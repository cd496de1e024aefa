"""Translation of a benchmark, segment by segment.

`units` are the chunks and queries with the places of their segments (`spans`), `asking` has them translated, `memory`
keeps the segments, `edits` what people changed since; `rendering` and `documents` put texts together again.
`exchange` has the files of translators' tools.
"""

__all__ = [
    "asking",
    "back",
    "documents",
    "edits",
    "exchange",
    "glossary",
    "memory",
    "rendering",
    "segment",
    "spans",
    "survivors",
    "units",
    "versions",
    "wording",
]
