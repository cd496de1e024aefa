"""Checks of the language of a translation: left in the source's, or in a third one."""

__all__ = ["copies", "foreign", "untranslated"]
