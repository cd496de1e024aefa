"""Results of any origin as values by system, language and query: our runs, graded files, other tools' results."""

__all__ = ["footing", "opened", "planned_looks", "read", "settings", "summaries", "system_values", "tables"]
