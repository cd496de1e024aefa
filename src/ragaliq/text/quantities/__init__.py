"""Numbers, dates, times and names that a text states, in a form that compares across languages.

`extract` is the way in; a kind of quantity has one file. A new kind is a new file that `extract` calls.
"""

__all__ = ["decimals", "entities", "extract", "measures", "mentions", "mismatch", "restated"]
