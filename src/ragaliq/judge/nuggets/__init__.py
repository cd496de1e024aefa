"""Nuggets: which of the facts that a good answer holds does an answer support? Asked beside the grade."""

__all__ = ["matches", "offline", "openai"]
