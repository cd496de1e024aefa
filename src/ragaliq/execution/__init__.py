"""Carrying work out: one loop over many items, how far it has come, one way to stop, one thread for plain functions.

`run_stage` maps a function over items and keeps each result as it comes; `carry_out` runs a command's coroutine.
`cluster/` calls functions on the workers of a Ray cluster. `loopback` serves a page to this machine alone.
"""

__all__ = [
    "carry_out",
    "cluster",
    "loopback",
    "progress",
    "run_stage",
    "second_process",
    "serial_thread",
    "stopping",
    "stopwatch",
]
