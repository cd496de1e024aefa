"""What is under review: runs with their rankings, or a benchmark with its support and its translations."""

__all__ = ["benchmark", "opening"]
