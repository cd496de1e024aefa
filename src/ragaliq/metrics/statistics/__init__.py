"""Intervals, paired tests and rank sets over queries."""
