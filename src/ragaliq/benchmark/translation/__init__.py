"""Checks of translations: whether two texts in different languages state the same.

`check` is the way in. A new check is a function of all pairs of one target language, named there.
"""

__all__ = ["check", "findings_file", "pairs", "pass_rates", "terms_kept"]
