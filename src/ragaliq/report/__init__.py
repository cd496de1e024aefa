"""Reports: aggregates of runs, results.md."""
