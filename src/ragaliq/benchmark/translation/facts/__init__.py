"""Checks of what a translation states: numbers, dates, units, codes, terms, and answers inside their documents."""

__all__ = ["glossary", "spans", "values"]
