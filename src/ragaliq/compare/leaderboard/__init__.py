"""Systems of any origin in one table: `table` has the rows, `ranking` the ranks that the data leave open."""

__all__ = ["table"]
