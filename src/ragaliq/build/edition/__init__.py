"""Editions: a template's slots, the values drawn for them, the texts that hold them, the files of an edition."""

__all__ = ["commitment", "refresh", "template"]
