"""A person's judgements: sheets, the page and the terminal form, labels and their export."""

__all__ = ["export", "labels", "offline", "server", "session", "sheets", "terminal"]
