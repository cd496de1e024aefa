"""Grades from any source: runs, files of rows, reference logs, answers graded row by row."""

__all__ = ["graded", "graded_answers", "graded_metrics", "query_grades"]
