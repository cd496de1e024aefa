"""Graded answers in other tools' files."""
