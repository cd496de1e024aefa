"""Numbers, times, dates and codes of a text in a form that can be compared across languages."""
