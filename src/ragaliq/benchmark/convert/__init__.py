"""A data set in another layout, with a line for everything that the layout cannot hold."""

__all__ = ["convert"]
