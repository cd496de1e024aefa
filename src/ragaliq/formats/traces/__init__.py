"""Traces of programs that answer: OpenTelemetry, Langfuse, LangSmith; read into one form, for results and for answers.

A new program is a file here and a line in `reading`.
"""

__all__ = ["reading", "rows", "scores", "values"]
