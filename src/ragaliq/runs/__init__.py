"""A run on disk: its folder, the rows of its files, its rankings."""
