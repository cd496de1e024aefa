"""Sections and files of Markdown, one file a kind of report; `results` writes `results.md`."""

__all__ = [
    "agreement",
    "build",
    "certificate",
    "controls",
    "grade_comparison",
    "measures",
    "results",
    "retrieval",
    "run_comparison",
    "validity",
]
