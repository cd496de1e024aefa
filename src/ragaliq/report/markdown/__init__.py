"""Tables and sections of Markdown."""
