"""Results in other tools' files, in one form; a new tool is a new file here and one line in `reading`."""

__all__ = ["grade_tables", "long_columns", "long_tables", "reading", "rows"]
