"""The tables of results.md, a file for each of its sections, and the legend of their columns."""

__all__ = ["beside", "cross_lingual", "language_gap", "languages", "legend", "losses", "systems"]
