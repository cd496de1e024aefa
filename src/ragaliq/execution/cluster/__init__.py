"""Stages on the machines of a Ray cluster: the loop stays in one process, the calls of its items go to workers."""

__all__ = ["connection", "pool", "worker"]
