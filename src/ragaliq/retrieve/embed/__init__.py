"""Embedders: texts to vectors of unit length, one file a kind; model conventions are data."""

__all__ = ["char_ngrams", "openai", "rows", "sentence_transformers", "use_multilingual"]
