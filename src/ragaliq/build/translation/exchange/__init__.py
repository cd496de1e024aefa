"""Segments in files of translation tools: out to translators, and back as edits.

`outgoing` and `incoming` are the two ways, `xliff` and `tmx` the two formats, both by translate-toolkit; `unit` is a
segment in a file, `xml_text` keeps XML harmless and whole.
"""

__all__ = ["incoming", "outgoing"]
