"""What an experiment varies: systems, queries, depths, grids."""
