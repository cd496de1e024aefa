"""The stages of a build, one file each: rows of earlier stages, settings and replies in, rows out.

`pipeline.STAGES` lists them in order; a new stage is a file here and an entry there.
"""

__all__ = [
    "check_translation",
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
    "pool",
    "relevance",
    "translate",
]
