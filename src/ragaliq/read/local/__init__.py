"""Readers that run a model on this machine."""
