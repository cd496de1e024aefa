"""Texts of any script, as terms, sentences, numbers and sentence vectors; their language, and refusals.

Functions over strings; word lists are YAML files beside the module that reads them. A new thing to know of a text is a
new file here, tested in all six languages.
"""

__all__ = [
    "addresses",
    "answer_language",
    "denials",
    "language",
    "language_names",
    "numbers",
    "polarity",
    "quantities",
    "questions",
    "refusals",
    "sentence_encoder",
    "sentences",
    "terms",
]
