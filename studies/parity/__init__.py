"""Whether unequal items are found: `planting` makes them, `study` measures."""
