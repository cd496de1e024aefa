"""A run's figures, computed once from its files."""
