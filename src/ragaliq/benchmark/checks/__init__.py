"""Checks of a benchmark on disk: each returns findings with file and line."""
