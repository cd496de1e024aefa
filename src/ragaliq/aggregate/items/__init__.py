"""The items of a run one by one, each with all that is known about its answer; which of them to look at."""

__all__ = ["disagreements", "run_items", "selection"]
