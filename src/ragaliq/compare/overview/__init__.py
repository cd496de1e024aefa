"""What a reader of several runs wants first: one row a system over all languages, and what the data show in words."""

__all__ = ["cost", "findings", "language_tables", "systems"]
