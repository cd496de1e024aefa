"""Figures of graded answers."""
