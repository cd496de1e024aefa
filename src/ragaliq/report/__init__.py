"""Records as text: `format` has cells and tables, `markdown/` the sections. Nothing is computed here."""

__all__ = ["aggregates", "format", "graded_answers", "markdown", "reference_logs", "terminal"]
