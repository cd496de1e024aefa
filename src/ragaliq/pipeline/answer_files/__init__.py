"""Grading answers that somebody has already: files, rows in memory, data frames."""

__all__ = ["grade_file", "grade_frame", "graders"]
