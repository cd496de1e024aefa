"""What `ragaliq compare` prints: the verdict first, then the tables."""

__all__ = ["gate", "run_comparison", "source_comparison", "verdict"]
