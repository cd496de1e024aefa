"""Files of answers that another system has given: CSV, TSV, JSON, JSON Lines, Parquet, traces."""

__all__ = ["columns", "reading", "values", "writing"]
