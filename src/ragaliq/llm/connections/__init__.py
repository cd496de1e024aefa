"""Connections to endpoints: the official client, and replies that end."""

__all__ = ["bounded", "official", "transport"]
