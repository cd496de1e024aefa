"""The system of an evaluation: its choice; the parts of a chatbot, what it is asked, what its stages return."""

__all__ = ["choice", "inputs", "parts", "results"]
