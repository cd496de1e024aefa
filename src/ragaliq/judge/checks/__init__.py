"""Checks beside the grade: is the answer supported by its context?"""
