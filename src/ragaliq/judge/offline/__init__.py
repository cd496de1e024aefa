"""The offline judge: features of an answer and its reference, and the fitted model that grades them."""

__all__ = ["cuts", "judge"]
