"""Files that survive a crash, each read and written in one way.

`files` has text, JSON and JSON Lines, written atomically; `journal` and `record_store` grow line by line; `yaml_files`
is the one reader of YAML, `tables` that of CSV, `lock` the one lock, `redaction` keeps secrets out of what is written.
A new file format of our own goes here; formats of other tools go to `formats`.
"""

__all__ = ["files", "journal", "lock", "new_folder", "record_store", "redaction", "tables", "yaml_files"]
