"""A run on disk: its folder, the lines of its files and the records that they become, its rankings.

Everything that reads or writes a run goes through `RunFolder`; a new file of a run gets its name there and its codec
beside the others.
"""

__all__ = [
    "benchmark",
    "folder",
    "manifests",
    "merge",
    "rankings",
    "rows",
    "shapes",
    "shards",
    "traces",
    "versions",
    "waterfall",
]
