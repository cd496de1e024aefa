"""What the readers of foreign formats share: bytes, rows, and the collection that every format becomes."""
