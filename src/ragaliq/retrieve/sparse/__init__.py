"""Learned sparse retrieval."""
