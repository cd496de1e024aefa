"""The stages of a build, one file each: rows of earlier stages, settings and replies in, rows out.

`pipeline.STAGES` lists them in order; a new stage is a file here and an entry there.
"""

__all__ = [
    "chunk",
    "closed_book",
    "critique",
    "dedupe",
    "export",
    "filter",
    "generate",
    "ingest",
    "init",
    "judge",
    "nuggets",
    "plan",
    "pool",
    "relevance",
]
