"""How documents are shown to a judge: in batches that stay when the pool grows, asked for again where cells lack."""

__all__ = ["batches", "rounds"]
