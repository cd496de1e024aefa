"""What a build leaves as a benchmark: `files` that it may write, `records` as rows, `sources` as documents."""

__all__ = ["files", "records", "sources"]
