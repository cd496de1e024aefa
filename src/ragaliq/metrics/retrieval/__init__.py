"""Measures of rankings."""
