"""Measures as pure functions over records and numbers: no files, no network, no model."""
