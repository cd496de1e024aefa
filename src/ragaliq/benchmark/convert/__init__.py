"""Writing a data set in another layout."""
