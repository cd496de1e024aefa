"""Figures beside the grade, from what was asked separately about each answer: groundedness, nuggets, context."""

__all__ = ["context", "groundedness", "nuggets", "unchecked"]
