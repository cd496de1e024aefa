"""Graded answers in other tools' files: logs, label exports, rows of any key names.

A new tool is a new file here, and one line in the loader of grades.
"""

__all__ = ["label_exports", "labels", "reference_logs", "rows"]
