"""How documents are shown to a judge: in batches that stay when the pool grows, asked again where cells are missing."""

__all__ = ["batches", "earlier", "rounds"]
