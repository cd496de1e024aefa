"""Cases whose grade is known: controls, attacks and exams, and what a judge's grades of them say."""

__all__ = ["attacks", "cases", "exam", "faithfulness", "gates", "results"]
