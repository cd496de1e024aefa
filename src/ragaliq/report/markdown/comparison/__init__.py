"""What `ragaliq compare` prints: the verdict first, then the tables."""

__all__ = ["grade_comparison", "run_comparison"]
