"""Building a benchmark."""
