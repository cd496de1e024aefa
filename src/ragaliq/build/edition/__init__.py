"""Editions of a benchmark: a template whose facts are slots, filled from a seed."""
