"""Running one function over many items: concurrency, progress, one way to stop."""
