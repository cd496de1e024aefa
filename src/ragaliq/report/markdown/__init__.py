"""Sections and files of Markdown, one file a kind of report; `results` writes `results.md`."""

__all__ = [
    "agreement",
    "audit",
    "build",
    "certificate",
    "comparison",
    "controls",
    "leaderboard",
    "measures",
    "planned_power",
    "results",
    "retrieval",
    "tables",
    "validity",
]
