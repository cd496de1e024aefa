"""What the readers of formats share: streams, archives, fields, joins, and the collection they all return."""

__all__ = [
    "archives",
    "collection",
    "download",
    "fields",
    "joining",
    "members",
    "rows",
    "stored_documents",
    "streams",
    "truncation",
]
