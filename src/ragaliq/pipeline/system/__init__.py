"""The system of an evaluation: its choice; a chatbot's parts, its corpus, what it is asked, what its stages return."""

__all__ = ["choice", "indexed", "inputs", "parts", "results"]
