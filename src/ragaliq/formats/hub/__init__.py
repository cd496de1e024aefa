"""Data sets from the Hugging Face hub."""
