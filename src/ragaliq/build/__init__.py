"""Building benchmarks. `edition/` fills a benchmark's slots anew; a stage of the builder is a new file here."""

__all__ = ["edition"]
