"""Questions beside the grade: is the answer supported by its context, does it refuse, in which language is it?"""

__all__ = ["cited", "context", "context_openai", "offline", "openai", "rates", "support"]
