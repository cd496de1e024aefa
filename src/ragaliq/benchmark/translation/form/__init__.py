"""Checks of the form of a translation: links, lists, tables, lines, length."""

__all__ = ["capitals", "length", "links", "presence", "structure"]
